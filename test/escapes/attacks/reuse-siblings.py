"""
Attack: give the supervisor children of one's own (CLONE_PARENT), which its init does not reap, to hold up or to outlive the cleaning.
Defence: they have the run's user and are killed with it; the supervisor reaps them.
Runs: 4
Expect: []
"""

import ctypes
import os
import signal

from attempts import is_first_run, other_processes, report

libc = ctypes.CDLL(None, use_errno=True)
SYS_CLONE, CLONE_PARENT = 56, 0x8000


def sibling():
    """Past the C library, so that Python does not know that it has been forked."""
    if libc.syscall(SYS_CLONE, CLONE_PARENT | signal.SIGCHLD, 0, 0, 0, 0) == 0:
        while True:
            libc.pause()


if is_first_run():
    for _ in range(5):
        sibling()
    report()
else:
    report(still_there=lambda: len(other_processes()) > 2)
