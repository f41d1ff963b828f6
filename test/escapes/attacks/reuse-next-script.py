"""
Attack: find the process that waits to become the next script; leave a hunter that stops and kills each process that
appears after the run; take the numbers of processes that the next script would get.
Defence: no such process exists while a run has one; it starts after the proof that nothing of the run is left, and as
another user.
Runs: 4
Expect: []
"""

import os
import signal
import time

from attempts import is_first_run, leave_daemon, other_processes, report

SUPERVISORS = 2
LOOKS = 50
SCRIPT = os.getpid()


def hunt(tell):
    tell()
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    while True:
        for pid in range(2, 400):
            for number in (signal.SIGSTOP, signal.SIGKILL):
                try:
                    if pid not in (os.getpid(), SCRIPT):
                        os.kill(pid, number)
                except OSError:
                    pass


def appears():
    for _ in range(LOOKS):
        if len(other_processes()) > SUPERVISORS:
            return True
        time.sleep(0.001)
    return False


if is_first_run():
    report(appears=appears)
    leave_daemon(hunt)
else:
    report(appears=appears)
