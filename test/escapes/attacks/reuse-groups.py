"""
Attack: join the process group or session of the supervisor, or adopt its children, so that signals for them also reach
the supervisor.
Defence: a process cannot join a group of another session, and the signals of a run reach only its own user.
Runs: 4
Expect: []
"""

import ctypes
import os
import signal

from attempts import is_first_run, other_processes, report

libc = ctypes.CDLL(None, use_errno=True)
PR_SET_CHILD_SUBREAPER = 36


def move(pid):
    os.setpgid(pid, 0)


SUPERVISORS = other_processes()


def on_any(attempt):
    def try_each():
        for pid in SUPERVISORS:
            try:
                if attempt(pid) is not False:
                    return True
            except OSError:
                pass
        return False

    return try_each


first = is_first_run()
if first:
    libc.prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    if os.fork() == 0:
        if os.fork() == 0:
            signal.pause()
        os._exit(0)
report(
    move=on_any(move),
    signal_group=on_any(lambda pid: os.killpg(os.getpgid(pid), 0)),
    same_session=lambda: os.getsid(0) in [os.getsid(pid) for pid in [1, *SUPERVISORS]],
    still_there=lambda: not first and len(other_processes()) > 2,
)
