/** Calls of the C library that Bun does not offer. */
import { dlopen, FFIType } from 'bun:ffi';

const PR_SET_DUMPABLE = 4;
const F_SETFL = 4;
const F_SETOWN = 8;

const { i32, u64 } = FFIType;
const { symbols } = dlopen('libc.so.6', {
  prctl: { args: [i32, u64, u64, u64, u64], returns: i32 },
  fcntl: { args: [i32, i32, i32], returns: i32 },
});

/** Denies other processes of the same user, above all the script, ptrace and /proc/<pid>/{mem,fd,…} of this process. */
export function forbidTracing(): void {
  symbols.prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
}

/** Clears the flags of a shared open file, such as non-blocking and append, and the process that it signals. */
export function clearFlags(fd: number): void {
  symbols.fcntl(fd, F_SETFL, 0);
  symbols.fcntl(fd, F_SETOWN, 0);
}
