/*
Attack: find the process that waits to become the next script; leave a hunter that stops and kills each process that
appears after the run; take the numbers of processes that the next script would get.
Defence: no such process exists while a run has one; it starts after the proof that nothing of the run is left, and as
another user.
Runs: 4
Expect: []
*/
import { readdirSync } from 'node:fs';
import { isFirstRun, report } from './attempts.js';

const KNOWN = 3;
const LOOKS = 50;
/**
 * It spares itself and the script of the first run, whose number is its argument. A signal to the number of a thread reaches the whole
 * process, so it spares the numbers of all threads of that script.
 */
const HUNT = `trap "" TERM INT HUP PIPE
echo up
while :; do
  for signal in STOP KILL; do
    spared="-e $$"
    for thread in $(cd /proc/$1/task && echo [0-9]*); do spared="$spared -e $thread"; done
    kill -$signal $(seq 2 400 | grep -vx $spared)
  done
done`;

async function appears() {
  for (let look = 0; look < LOOKS; look++) {
    if (readdirSync('/proc').filter((name) => /^\d+$/.test(name)).length > KNOWN) return true;
    await Bun.sleep(1);
  }
  return false;
}

const isAttacker = isFirstRun();
await report({ appears });
if (isAttacker) {
  const daemon = Bun.spawn(['setsid', 'setsid', 'sh', '-c', HUNT, 'sh', String(process.pid)], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  await daemon.stdout.getReader().read();
  process.exit();
}
