/*
Attack: read or rewrite the memory of the container's init. Init belongs to the same user and does not make itself
undumpable. Init is also the only process that the containers of a tool keep from run to run: planted code would see the
next run.
Defence: the memory of init is masked, in every folder.
Expect: []
*/
import { openSync, readFileSync, readSync, writeSync } from 'node:fs';
import { report } from './attempts.js';

const firstAddress = (pid) => Number.parseInt(readFileSync(`/proc/${pid}/maps`, 'utf8'), 16);

/** Writes the bytes back that it read, if it could read. */
const rewrite = (path) => () => {
  const memory = openSync(path, 'r+');
  const found = Buffer.alloc(4);
  const address = firstAddress(1);
  return readSync(memory, found, 0, 4, address) > 0 && writeSync(memory, found, 0, 4, address) > 0;
};

const own = Buffer.alloc(4);
readSync(openSync('/proc/self/mem', 'r'), own, 0, 4, firstAddress('self'));
if (own.toString('latin1') !== '\x7fELF') throw new Error('this attack cannot read memory, not even its own');

await report({
  memory: rewrite('/proc/1/mem'),
  memoryOfItsThread: rewrite('/proc/1/task/1/mem'),
  memoryBesideOurOwn: rewrite('/proc/self/../1/mem'),
  memoryThroughItsRoot: rewrite('/proc/1/root/proc/1/mem'),
});
