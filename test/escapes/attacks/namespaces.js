/*
Attack: create namespaces, mount file systems and become root, with calls of the C library.
Defence: no capabilities, no new privileges, and the engine's seccomp profile.
Expect: []
*/
import { dlopen, FFIType } from 'bun:ffi';
import { report } from './attempts.js';

const { symbols } = dlopen('libc.so.6', {
  unshare: { args: [FFIType.i32], returns: FFIType.i32 },
  umount2: { args: [FFIType.cstring, FFIType.i32], returns: FFIType.i32 },
  setuid: { args: [FFIType.u32], returns: FFIType.i32 },
});

await report({
  userNamespace: () => symbols.unshare(0x10000000) === 0,
  mountNamespace: () => symbols.unshare(0x00020000) === 0,
  unmount: () => symbols.umount2(Buffer.from('/tmp\0'), 2) === 0,
  rootUser: () => symbols.setuid(0) === 0,
});
