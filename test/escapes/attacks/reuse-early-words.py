"""
Attack: write the messages of the supervisor before the supervisor does, into every channel that the script can reach. A
daemon goes on writing ready messages and responses while the container is cleaned.
Defence: the channel belongs to the user of the supervisor. A ready message counts only with the token of the run, and
any byte before it ends the container.
Runs: 4
Expect: []
"""

import json
import os
import time

from attempts import is_first_run, leave_daemon, other_processes, report

WORDS = b"ready\nready apart\nready " + b"0" * 32 + b"\n" + json.dumps({"exitCode": 0, "nonce": "0" * 32, "stdoutBytes": 2}).encode() + b"\n[]"


CHANNELS = [f"/proc/{pid}/fd/{fd}" for pid in [1, *other_processes()] for fd in range(9)]


def say(path):
    fd = os.open(path, os.O_WRONLY | os.O_NONBLOCK)
    try:
        return os.write(fd, WORDS)
    finally:
        os.close(fd)


def go_on_saying(begin):
    begin()
    while True:
        for path in CHANNELS:
            try:
                say(path)
            except OSError:
                pass
        os.write(3, WORDS)
        time.sleep(0.0005)


if is_first_run():
    leave_daemon(go_on_saying)
report(**{path: lambda path=path: say(path) for path in CHANNELS})
