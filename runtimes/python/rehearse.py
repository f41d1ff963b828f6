"""Performs the steps of a run once, while no request comes. A fork shares its pages until it writes to them, and each first write takes
time, so the rehearsal makes the first run fast. It leaves nothing behind.
"""

import base64
import json
import os
import selectors

from counters import Counters
from lay_out import lay_out
from leave_nothing import empty_folders
from outgoing import collect

OUT = "/tmp/out"
HEADER = {"files": [{"path": "rehearsal", "base64": base64.b64encode(b"pass").decode()}], "env": {"ERRAND_OUT": OUT}}


def rehearse(user):
    try:
        header = json.loads(json.dumps(HEADER))
        lay_out(header["files"], None)
        with user:
            os.mkdir(OUT)
            collect(OUT, 0)
        with selectors.DefaultSelector() as selector:
            selector.select(0)
        Counters().since_the_start()
    except OSError:  # the limits of the container are too low for it
        pass
    empty_folders(user)
