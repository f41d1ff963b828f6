/*
Attack: reach parts of the kernel that scripts do not need and that often had holes: io_uring, eBPF, userfaultfd,
performance counters, file handles, rare kinds of sockets, programs without a file.
Defence: the seccomp profile is a list of allowed calls, and none of these calls is on the list.
Expect: []
*/
import { dlopen, FFIType } from 'bun:ffi';
import { report } from './attempts.js';

const { i32, i64, u64, cstring } = FFIType;
const { symbols } = dlopen('libc.so.6', {
  syscall: { args: [i64, u64, u64, u64, u64], returns: i64 },
  socket: { args: [i32, i32, i32], returns: i32 },
  memfd_create: { args: [cstring, i32], returns: i32 },
});
const call =
  (number, ...words) =>
  () =>
    Number(symbols.syscall(number, words[0] ?? 0, words[1] ?? 0, words[2] ?? 0, words[3] ?? 0)) >= 0;
const socket =
  (family, kind, protocol = 0) =>
  () =>
    symbols.socket(family, kind, protocol) >= 0;

await report({
  ioUring: call(425, 4),
  bpf: call(321),
  userfaultfd: call(323),
  perf: call(298),
  kexec: call(246),
  openTree: call(428),
  keyring: call(250),
  kernelLog: call(103, 10),
  programInMemory: () => symbols.memfd_create(Buffer.from('x\0'), 0) >= 0,
  cryptoSocket: socket(38, 5),
  packetSocket: socket(17, 3),
  vmSocket: socket(40, 1),
  rawSocket: socket(2, 3),
  netlinkOfFilters: socket(16, 3, 12),
  netlinkOfEverything: socket(16, 3, 16),
});
