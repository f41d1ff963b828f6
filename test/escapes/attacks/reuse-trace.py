"""
Attack: trace the supervisor, its children or the container's init; read their memory with system calls; take over their
open files.
Defence: these processes belong to another user and are not dumpable; the seccomp profile also refuses the system calls.
Runs: 2
Expect: []
"""

import ctypes
import os

from attempts import is_first_run, other_processes, report

PTRACE_ATTACH, PTRACE_SEIZE = 16, 0x4206
SYS_PROCESS_VM_READV, SYS_PROCESS_VM_WRITEV, SYS_KCMP, SYS_PIDFD_OPEN, SYS_PIDFD_GETFD = 310, 311, 312, 434, 438
libc = ctypes.CDLL(None, use_errno=True)
space = ctypes.create_string_buffer(64)
piece = (ctypes.c_size_t * 2)(ctypes.addressof(space), 8)


def on_any(attempt):
    return lambda: any(attempt(pid) for pid in [1, *other_processes()])


def steal_file(pid):
    pidfd = libc.syscall(SYS_PIDFD_OPEN, pid, 0)
    return any(libc.syscall(SYS_PIDFD_GETFD, pidfd, fd, 0) >= 0 for fd in range(12))


is_first_run()
assert len(other_processes()) >= 2
report(
    attach=on_any(lambda pid: libc.ptrace(PTRACE_ATTACH, pid, 0, 0) == 0),
    seize=on_any(lambda pid: libc.ptrace(PTRACE_SEIZE, pid, 0, 0) == 0),
    read=on_any(lambda pid: libc.syscall(SYS_PROCESS_VM_READV, pid, piece, 1, piece, 1, 0) >= 0),
    write=on_any(lambda pid: libc.syscall(SYS_PROCESS_VM_WRITEV, pid, piece, 1, piece, 1, 0) >= 0),
    compare_files=on_any(lambda pid: libc.syscall(SYS_KCMP, os.getpid(), pid, 0, 0, 0) >= 0),
    steal_file=on_any(steal_file),
)
