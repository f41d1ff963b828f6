/*
Attack: read data that does not belong to the script: passwords, the memory of the kernel, the supervisor.
Defence: user 65534 without capabilities, masked paths of /proc, no devices; the supervisor cannot be traced.
Expect: []
*/
import { closeSync, openSync, readdirSync, readSync } from 'node:fs';
import { report } from './attempts.js';

const read = (path) => () => {
  const file = openSync(path);
  const count = readSync(file, Buffer.alloc(1));
  closeSync(file);
  return count > 0;
};

await report({
  shadow: read('/etc/shadow'),
  rootHome: () => readdirSync('/root'),
  kernelMemory: read('/proc/kcore'),
  supervisorEnvironment: read(`/proc/${process.ppid}/environ`),
  supervisorMemory: read(`/proc/${process.ppid}/mem`),
  supervisorFiles: () => readdirSync(`/proc/${process.ppid}/fd`),
});
