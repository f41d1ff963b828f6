"""Tries what should be refused and prints the names of what was not: an empty list is a defence that held.

Only a refusal by the system counts as one. Any other exception is a mistake in the attack itself and fails the run.
"""

import json
import os
import sys


def is_first_run():
    """Of the runs that share a container, the first attacks and the later ones are its victims."""
    return json.load(sys.stdin)["run"] == 1


def leave_daemon(work):
    """Starts a process that belongs to no session, group or parent of this one and never returns. Resolves when it works."""
    heard, tell = os.pipe()
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            os.close(heard)
            work(lambda: os.close(tell))
            os._exit(0)
        os._exit(0)
    os.close(tell)
    os.read(heard, 1)


def other_processes():
    """All but the container's init and this process."""
    return [int(name) for name in os.listdir("/proc") if name.isdigit() and int(name) not in (1, os.getpid())]


def report(**attempts):
    achieved = []
    for name, attempt in attempts.items():
        try:
            outcome = attempt()
        except OSError:
            continue
        if outcome is not False:
            achieved.append(name)
    print(json.dumps(achieved))
