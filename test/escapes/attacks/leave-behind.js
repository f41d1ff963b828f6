/*
Attack: leave something in the kernel that outlives its process, for the next run or for another script: shared memory,
semaphores, message queues, keys, attributes of files.
Defence: the seccomp profile refuses these calls, /dev/mqueue is masked, /dev/shm does not exist.
Expect: []
*/
import { dlopen, FFIType } from 'bun:ffi';
import { writeFileSync } from 'node:fs';
import { report } from './attempts.js';

const { i32, u64, cstring } = FFIType;
const { symbols } = dlopen('libc.so.6', {
  shmget: { args: [i32, u64, i32], returns: i32 },
  semget: { args: [i32, i32, i32], returns: i32 },
  msgget: { args: [i32, i32], returns: i32 },
  setxattr: { args: [cstring, cstring, cstring, u64, i32], returns: i32 },
});
const text = (word) => Buffer.from(`${word}\0`);

await report({
  sharedMemory: () => symbols.shmget(4711, 4096, 0o1666) >= 0,
  semaphores: () => symbols.semget(4711, 1, 0o1666) >= 0,
  messages: () => symbols.msgget(4711, 0o1666) >= 0,
  attribute: () => symbols.setxattr(text('/tmp'), text('user.left'), text('x'), 1, 0) === 0,
  queueFile: () => writeFileSync('/dev/mqueue/left', 'x'),
  sharedFile: () => writeFileSync('/dev/shm/left', 'x'),
});
