"""
Attack: leave a daemon that ignores signals, has left its session and its parents, and tries to read every later
request.
Defence: one kill as the user of the run ends all its processes; the supervisor is ready only when /proc shows no other
process.
Runs: 4
Expect: []
"""

import os
import signal
import time

from attempts import is_first_run, leave_daemon, other_processes, report


def thief(begin):
    for number in set(signal.Signals) - {signal.SIGKILL, signal.SIGSTOP}:
        signal.signal(number, signal.SIG_IGN)
    begin()
    while True:
        try:
            with open("/proc/1/fd/0", "rb", 0) as requests:
                os.write(2, b"stolen " + requests.read(65536) + b"\n")
        except OSError:
            time.sleep(0.001)


if is_first_run():
    leave_daemon(thief)
    report()
else:
    report(still_there=lambda: len(other_processes()) > 2)
