/*
Attack: say the supervisor's words before it does: greetings and answers into every channel that can be reached.
Defence: the channel belongs to the supervisor's user; a greeting counts with the token of the run alone, and any byte before it ends the container.
Runs: 4
Expect: []
*/
import { constants, openSync, readdirSync, writeSync } from 'node:fs';
import { isFirstRun, report } from './attempts.js';

isFirstRun();
const WORDS = `ready\nready apart\nready ${'0'.repeat(32)}\n`;
const others = readdirSync('/proc').filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid);
const channels = others.flatMap((pid) => [0, 1, 2, 3, 4, 5, 6, 7, 8].map((fd) => `/proc/${pid}/fd/${fd}`));
const say = (path) => writeSync(openSync(path, constants.O_WRONLY | constants.O_NONBLOCK), WORDS);
writeSync(3, WORDS); // its own line to the supervisor, on which it may tell of an error
await report(Object.fromEntries(channels.map((path) => [path, () => say(path)])));
