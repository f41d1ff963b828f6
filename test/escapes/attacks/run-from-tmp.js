/*
Attack: bring or create a program and run it; load it as a library; give it a set-user-id bit.
Defence: /tmp and /script are mounted noexec and nosuid. (A script can always feed code to an interpreter; it cannot run
its own binary.)
Expect: []
*/
import { dlopen } from 'bun:ffi';
import { chmodSync, copyFileSync, readFileSync } from 'node:fs';
import { report } from './attempts.js';

await report({
  runCopy: () => {
    copyFileSync('/bin/true', '/tmp/true');
    chmodSync('/tmp/true', 0o4755);
    return Bun.spawnSync(['/tmp/true']).exitCode === 0;
  },
  loadCopy: () => {
    const libc = /\S*libc\.so\S*/.exec(readFileSync('/proc/self/maps', 'utf8'))[0];
    copyFileSync(libc, '/tmp/own.so');
    return dlopen('/tmp/own.so', { getpid: { args: [], returns: 'i32' } });
  },
});
