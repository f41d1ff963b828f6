"""
Attack: find an open file of the supervisor among the inherited ones, or open an inherited file in the other direction.
The log is a pipe that all runs share: a script that reads it takes lines away from the runner.
Defence: all files except those of the script are closed; scripts can open the shared log only for writing.
Runs: 2
Expect: []
"""

import os
import stat

from attempts import is_first_run, report


def inherited():
    found = []
    for fd in map(int, os.listdir("/proc/self/fd")):
        try:
            if fd > 3 and not stat.S_ISDIR(os.fstat(fd).st_mode):
                found.append(fd)
        except OSError:  # the descriptor of the list itself
            pass
    return found


is_first_run()
report(
    inherited=lambda: len(inherited()) > 0,
    read_log=lambda: os.open("/proc/self/fd/2", os.O_RDONLY | os.O_NONBLOCK),
    read_and_write_log=lambda: os.open("/proc/self/fd/2", os.O_RDWR | os.O_NONBLOCK),
    read_log_of_init=lambda: os.open("/proc/1/fd/2", os.O_RDONLY | os.O_NONBLOCK),
    open_log_to_all=lambda: os.fchmod(2, 0o666),
)
