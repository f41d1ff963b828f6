"""Performs a run of an empty script, while no request comes. A fork shares its pages until it writes to them, and each first write takes
time, so the rehearsal makes the first run fast. It leaves only empty lines in the log, before the begin mark of a run.
"""

import base64
import os

from handover import FOR_REHEARSAL, ask_for_script, receive_end, receive_script
from leave_nothing import empty_folders
from outgoing import collect
from run import Run
from run_user import rehearsal_user

HEADER = {
    "entry": "rehearsal",
    "files": [{"path": "rehearsal", "base64": base64.b64encode(b"pass").decode()}],
    "env": {"ERRAND_OUT": "/tmp/out"},
    "begin": "",
    "outputBytes": 0,
    "deadlineMs": 1000,
    "cpuMs": 1000,
}


def rehearse(answers, channel):
    """The run reads a pipe instead of the stream of the runner, whose request must wait until the rehearsal is over."""
    user = rehearsal_user()
    ask_for_script(channel, FOR_REHEARSAL)
    nothing, held = os.pipe()
    script = receive_script(channel)
    try:
        run = Run(HEADER, b"null", script, (nothing, answers, channel), user)
        run.watch()
        run.await_leave()
        run.report()
        with user:
            collect(HEADER["env"]["ERRAND_OUT"], 0)
        script.close()
    except OSError:  # the limits of the container are too low; without an order the process ends
        script.close()
        receive_end(channel)
    os.close(nothing)
    os.close(held)
    empty_folders(user)
