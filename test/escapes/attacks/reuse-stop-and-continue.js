/*
Attack: stop, continue, kill or signal the supervisor, its helper and the container's init: one by one, by thread, by
group, all at once and through descriptors. While the supervisor is stopped, another process could respond in its place.
Defence: the user of a run may signal only its own processes.
Runs: 2
Expect: []
*/
import { readdirSync } from 'node:fs';
import { isFirstRun, report } from './attempts.js';

isFirstRun();
const others = readdirSync('/proc').filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid);
const threads = others.flatMap((pid) => readdirSync(`/proc/${pid}/task`));
if (others.length < 2) throw new Error('init and the supervisor should be running');
const attempts = ['SIGSTOP', 'SIGCONT', 'SIGKILL', 'SIGUSR1', 0].flatMap((signal) => [
  ...[...new Set([...others, ...threads])].map((id) => [`${signal} to ${id}`, () => process.kill(Number(id), signal)]),
  ...others
    .filter((id) => id !== '1')
    .map((id) => [`${signal} to group ${id}`, () => process.kill(-Number(id), signal)]),
]);
await report(Object.fromEntries(attempts));
