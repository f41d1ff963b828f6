"""
Attack: leave signals that arrive later: timers, alarms, and a shared log that signals its owner at every line.
Defence: timers end with their process, the owner of the log is reset, and the signals of a run reach only its own user.
Runs: 4
Expect: []
"""

import fcntl
import os
import signal

from attempts import is_first_run, report

F_SETSIG = 10

first = is_first_run()
if first:
    signal.signal(signal.SIGIO, signal.SIG_IGN)
    signal.setitimer(signal.ITIMER_REAL, 60, 0.001)
    signal.alarm(60)
    for owner in (os.getppid(), 1, os.getpid(), -os.getpgid(0)):
        try:
            fcntl.fcntl(2, fcntl.F_SETOWN, owner)
        except OSError:
            pass
    fcntl.fcntl(2, F_SETSIG, signal.SIGIO)
    fcntl.fcntl(2, fcntl.F_SETFL, os.O_ASYNC | os.O_NONBLOCK | os.O_APPEND)
report(
    alarm=lambda: not first and signal.alarm(0) != 0,
    timer=lambda: not first and signal.getitimer(signal.ITIMER_REAL) != (0, 0),
    flags=lambda: not first and fcntl.fcntl(2, fcntl.F_GETFL) & (os.O_ASYNC | os.O_NONBLOCK | os.O_APPEND) != 0,
    owner=lambda: not first and fcntl.fcntl(2, fcntl.F_GETOWN) != 0,
)
