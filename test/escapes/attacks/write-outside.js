/*
Attack: write outside of /tmp: into the system, the supervisor, the folder of the script, shared memory.
Defence: `ReadonlyRootfs`, user 65534, no /dev/shm (`IpcMode: none`), files of the script with mode 0444 in folders with
mode 0555.
Expect: []
*/
import { appendFileSync } from 'node:fs';
import { report } from './attempts.js';

const write = (path) => () => appendFileSync(path, 'x');

await report({
  root: write('/x'),
  etc: write('/etc/passwd'),
  var: write('/var/tmp/x'),
  supervisor: write('/opt/errand/supervisor.js'),
  runtime: write(process.execPath),
  beside: write('/script/x.js'),
  itself: write(import.meta.path),
  sharedMemory: write('/dev/shm/x'),
});
