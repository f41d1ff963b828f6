/*
Attack: put symbolic links where somebody with more rights might write or read later, and follow those that lead out.
Defence: nobody writes into or reads from a sandbox by path; what /proc links to is closed or one's own.
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
