/*
Attack: put symbolic links where a process with more rights might write or read later, and follow links that lead out of
the sandbox.
Defence: no process accesses the files of a sandbox by path; links of /proc lead to closed folders or to those of the
script.
Expect: []
*/
import { appendFileSync, existsSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { report } from './attempts.js';

await report({
  replaceOut: () => {
    rmSync('/tmp/out', { recursive: true });
    symlinkSync('/etc', '/tmp/out');
    appendFileSync('/tmp/out/passwd', 'x');
  },
  replaceScript: () => symlinkSync('/etc/passwd', '/script/link'),
  outOfRoot: () => existsSync('/proc/self/root/../../../var/lib/docker'),
  outThroughInit: () => existsSync('/proc/1/root/../../../var/lib/docker'),
  supervisorRoot: () => statSync(`/proc/${process.ppid}/root/`),
});
