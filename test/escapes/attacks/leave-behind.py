"""
Attack: leave something in the kernel that outlives its process, for the next run or for another script: shared memory,
semaphores, message queues, keys, attributes of files, the size of a pipe.
Defence: the seccomp profile refuses these calls, /dev/mqueue is masked, /dev/shm does not exist.
Expect: []
"""

import ctypes
import fcntl
import os

from attempts import report

libc = ctypes.CDLL(None, use_errno=True)
SYS_MQ_OPEN, SYS_ADD_KEY = 240, 248


def works(call, *arguments):
    return lambda: call(*arguments) >= 0


report(
    shared_memory=works(libc.shmget, 4711, 4096, 0o1666),
    semaphores=works(libc.semget, 4711, 1, 0o1666),
    messages=works(libc.msgget, 4711, 0o1666),
    queue=works(libc.syscall, SYS_MQ_OPEN, b"left", os.O_CREAT | os.O_RDWR, 0o666, None),
    queue_file=lambda: open("/dev/mqueue/left", "x"),
    shared_file=lambda: open("/dev/shm/left", "x"),
    key=works(libc.syscall, SYS_ADD_KEY, b"user", b"left", b"x", 1, -4),
    attribute=lambda: os.setxattr("/tmp", "user.left", b"x"),
    pipe_size=lambda: fcntl.fcntl(2, fcntl.F_SETPIPE_SZ, 4096),
)
