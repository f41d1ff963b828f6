"""
Attack: leave shared memory and semaphores that later runs can find: System V, POSIX, memory files.
Defence: the seccomp profile refuses these calls, and /dev/shm does not exist.
Runs: 2
Expect: []
"""

import ctypes
import os

from attempts import is_first_run, report

libc = ctypes.CDLL(None, use_errno=True)
SYS_MEMFD_CREATE, SYS_MEMFD_SECRET = 319, 447
CREATE = 0o1666
flags = CREATE if is_first_run() else 0
report(
    memory=lambda: libc.shmget(4711, 4096, flags) >= 0,
    semaphores=lambda: libc.semget(4711, 1, flags) >= 0,
    messages=lambda: libc.msgget(4711, flags) >= 0,
    posix_memory=lambda: os.open("/dev/shm/left", os.O_RDWR | os.O_CREAT, 0o666),
    memory_file=lambda: libc.syscall(SYS_MEMFD_CREATE, b"left", 0) >= 0,
    secret_memory=lambda: libc.syscall(SYS_MEMFD_SECRET, 0) >= 0,
)
