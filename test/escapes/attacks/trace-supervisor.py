"""
Attack: trace the supervisor, or write a result into its channel to the runner.
Defence: the supervisor is not dumpable, so a process of the same user may neither trace it nor open its files.
Expect: []
"""

import ctypes
import os

from attempts import report

PTRACE_ATTACH = 16
PTRACE_SEIZE = 0x4206
SYS_PIDFD_OPEN, SYS_PIDFD_GETFD = 434, 438
libc = ctypes.CDLL(None, use_errno=True)
supervisor = os.getppid()


def steal_file():
    pidfd = libc.syscall(SYS_PIDFD_OPEN, supervisor, 0)
    return any(libc.syscall(SYS_PIDFD_GETFD, pidfd, fd, 0) >= 0 for fd in range(12))


report(
    attach=lambda: libc.ptrace(PTRACE_ATTACH, supervisor, 0, 0) == 0,
    seize=lambda: libc.ptrace(PTRACE_SEIZE, supervisor, 0, 0) == 0,
    write_memory=lambda: open(f"/proc/{supervisor}/mem", "r+b"),
    write_channel=lambda: os.open(f"/proc/{supervisor}/fd/1", os.O_WRONLY),
    steal_file=steal_file,
)
