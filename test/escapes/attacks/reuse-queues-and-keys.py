"""
Attack: leave message queues, keys and keyrings that later runs can find by user, session or name.
Defence: the seccomp profile refuses these calls, and /dev/mqueue is masked.
Runs: 2
Expect: []
"""

import ctypes
import os

from attempts import is_first_run, report

libc = ctypes.CDLL(None, use_errno=True)
SYS_MQ_OPEN, SYS_ADD_KEY, SYS_REQUEST_KEY, SYS_KEYCTL = 240, 248, 249, 250
JOIN_SESSION, USER_KEYRING, USER_SESSION = 1, -4, -5
is_first_run()
report(
    queue=lambda: libc.syscall(SYS_MQ_OPEN, b"left", os.O_CREAT | os.O_RDWR, 0o666, None) >= 0,
    queue_file=lambda: open("/dev/mqueue/left", "w"),
    key=lambda: libc.syscall(SYS_ADD_KEY, b"user", b"left", b"x", 1, USER_KEYRING) >= 0,
    session_key=lambda: libc.syscall(SYS_ADD_KEY, b"user", b"left", b"x", 1, USER_SESSION) >= 0,
    found_key=lambda: libc.syscall(SYS_REQUEST_KEY, b"user", b"left", None, USER_KEYRING) >= 0,
    session=lambda: libc.syscall(SYS_KEYCTL, JOIN_SESSION, b"left") >= 0,
)
