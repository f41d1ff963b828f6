"""
Attack: find an open file of the supervisor among one's own, or open one's own files in the other direction: the log is a pipe that all runs share, and whoever reads it takes lines that belong to the runner.
Defence: all files but the script's own are closed; the shared log can be opened for writing alone.
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
        except OSError:  # the list's own
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
