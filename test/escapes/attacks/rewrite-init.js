/*
Attack: read or rewrite the memory of the container's init. It belongs to the same user, is no supervisor of ours that could make
itself undumpable, and is the one process that a tool's containers keep from run to run: what is planted there sees the next.
Defence: its memory is masked, in whichever folder.
Expect: []
*/
import { openSync, readFileSync, readSync, writeSync } from 'node:fs';
import { report } from './attempts.js';

const firstAddress = (pid) => Number.parseInt(readFileSync(`/proc/${pid}/maps`, 'utf8'), 16);

/** Puts back what it read, if it could read anything. */
const rewrite = (path) => () => {
  const memory = openSync(path, 'r+');
  const found = Buffer.alloc(4);
  const address = firstAddress(1);
  return readSync(memory, found, 0, 4, address) > 0 && writeSync(memory, found, 0, 4, address) > 0;
};

const own = Buffer.alloc(4);
readSync(openSync('/proc/self/mem', 'r'), own, 0, 4, firstAddress('self'));
if (own.toString('latin1') !== '\x7fELF') throw new Error('this attack does not know how to read memory');

await report({
  memory: rewrite('/proc/1/mem'),
  memoryOfItsThread: rewrite('/proc/1/task/1/mem'),
  memoryBesideOurOwn: rewrite('/proc/self/../1/mem'),
  memoryThroughItsRoot: rewrite('/proc/1/root/proc/1/mem'),
});
