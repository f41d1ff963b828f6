/*
Attack: write the messages of the supervisor before the supervisor does, into every channel that the script can reach:
ready messages and responses.
Defence: the channel belongs to the user of the supervisor. A ready message counts only with the token of the run, and
any byte before it ends the container.
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
writeSync(3, WORDS); // the script's own pipe to the supervisor, for reporting an error
await report(Object.fromEntries(channels.map((path) => [path, () => say(path)])));
