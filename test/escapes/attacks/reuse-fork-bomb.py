"""
Attack: start processes until the limit is near and leave them all behind; each goes on forking after the end of the
run.
Defence: one kill as the user of the run ends all of them; a container whose run was refused a process is not reused.
Runs: 4
Expect: []
"""

import os
import time

from attempts import is_first_run, other_processes, report


def go_on():
    while True:
        try:
            if os.fork():
                os._exit(0)
        except OSError:
            pass
        time.sleep(0.001)


if is_first_run():
    for _ in range(6):
        if os.fork() == 0:
            os.setsid()
            go_on()
    report()
else:
    report(still_there=lambda: len(other_processes()) > 2)
