"""
Attack: give the supervisor additional children (CLONE_PARENT), which init does not reap, to delay or outlive the
cleaning.
Defence: these children have the user of the run and are killed with it; the supervisor reaps them.
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
    """Calls the kernel directly, so that Python does not notice the fork."""
    if libc.syscall(SYS_CLONE, CLONE_PARENT | signal.SIGCHLD, 0, 0, 0, 0) == 0:
        while True:
            libc.pause()


if is_first_run():
    for _ in range(5):
        sibling()
    report()
else:
    report(still_there=lambda: len(other_processes()) > 2)
