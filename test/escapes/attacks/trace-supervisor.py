"""
Attack: trace the processes that supervise the script, or write a result into their channel to the runner.
Defence: these processes are not dumpable, so a process of the same user can neither trace them nor open their files;
the seccomp profile also refuses the system calls.
Expect: []
"""

import ctypes
import os

from attempts import report

PTRACE_ATTACH = 16
PTRACE_SEIZE = 0x4206
SYS_PIDFD_OPEN, SYS_PIDFD_GETFD = 434, 438
libc = ctypes.CDLL(None, use_errno=True)


def supervisors():
    """The pids of all processes except the container's init and the script itself."""
    return [int(name) for name in os.listdir("/proc") if name.isdigit() and int(name) not in (1, os.getpid())]


def on_any(attempt):
    def try_each():
        refusals = []
        for pid in supervisors():
            try:
                if attempt(pid) is not False:
                    return True
            except OSError as refusal:
                refusals.append(refusal)
        return False

    return try_each


def steal_file(pid):
    pidfd = libc.syscall(SYS_PIDFD_OPEN, pid, 0)
    return any(libc.syscall(SYS_PIDFD_GETFD, pidfd, fd, 0) >= 0 for fd in range(12))


assert len(supervisors()) >= 2
report(
    attach=on_any(lambda pid: libc.ptrace(PTRACE_ATTACH, pid, 0, 0) == 0),
    seize=on_any(lambda pid: libc.ptrace(PTRACE_SEIZE, pid, 0, 0) == 0),
    read_memory=on_any(lambda pid: open(f"/proc/{pid}/mem", "rb")),
    write_memory=on_any(lambda pid: open(f"/proc/{pid}/mem", "r+b")),
    read_environment=on_any(lambda pid: open(f"/proc/{pid}/environ", "rb")),
    write_channel=on_any(lambda pid: [os.open(f"/proc/{pid}/fd/{fd}", os.O_WRONLY) for fd in range(3, 12)]),
    steal_file=on_any(steal_file),
)
