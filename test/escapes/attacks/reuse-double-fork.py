"""
Attack: fork so quickly that one process is always new when the others are killed.
Defence: a fork cannot escape SIGKILL for all processes of a user: a fork whose parent has a pending signal fails.
Runs: 6
Expect: []
"""

import os
import time

from attempts import is_first_run, other_processes, report


def run_away():
    """Each process lives for a moment and leaves one child behind."""
    while True:
        try:
            if os.fork():
                os._exit(0)
            os.setsid()
        except OSError:
            time.sleep(0.0001)


if is_first_run():
    for _ in range(8):
        if os.fork() == 0:
            run_away()
    report()
else:
    report(still_there=lambda: len(other_processes()) > 2)
