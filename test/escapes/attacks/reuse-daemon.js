/*
Attack: leave a daemon that ignores signals, has left its session and its parents, and tries to read every later
request.
Defence: one kill as the user of the run ends all its processes; the supervisor is ready only when /proc shows no other
process.
Runs: 4
Expect: []
*/
import { readdirSync } from 'node:fs';
import { isFirstRun, report } from './attempts.js';

const THIEF =
  'trap "" TERM INT HUP PIPE; echo up; while :; do head -c 4096 /proc/1/fd/0 >&2 2>/dev/null || sleep 0.01; done';

if (isFirstRun()) {
  const daemon = Bun.spawn(['setsid', 'setsid', 'sh', '-c', THIEF], { stdio: ['ignore', 'pipe', 'inherit'] });
  await daemon.stdout.getReader().read();
  await report({});
  process.exit();
} else {
  const processes = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  await report({ stillThere: () => processes.length > 3 });
}
