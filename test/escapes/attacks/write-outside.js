/*
Attack: leave something behind outside of /tmp: in the system, in the supervisor, in the script's own folder, in shared memory.
Defence: `ReadonlyRootfs`, user 65534, no /dev/shm (`IpcMode: none`), files of the script 0444 in folders 0555.
Expect: []
*/
import { appendFileSync } from 'node:fs';
import { report } from './attempts.js';

const write = (path) => () => appendFileSync(path, 'x');

await report({
  root: write('/x'),
  etc: write('/etc/passwd'),
  var: write('/var/tmp/x'),
  supervisor: write('/opt/errand/supervisor.ts'),
  runtime: write(process.execPath),
  beside: write('/script/x.js'),
  itself: write(import.meta.path),
  sharedMemory: write('/dev/shm/x'),
});
