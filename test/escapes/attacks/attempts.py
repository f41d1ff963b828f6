"""Runs attempts that the sandbox must refuse, and prints the names of those that succeeded.

An empty list means that the defence held. Only an OSError counts as a refusal. Any other exception is a bug of the attack.
"""

import json
import os
import sys


def is_first_run():
    """Of the runs that share a container, the first one attacks and the later ones are its victims."""
    return json.load(sys.stdin)["run"] == 1


def leave_daemon(work):
    """Starts a process outside of this session, group and parent, which runs `work`. Returns when `work` calls its argument."""
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
    """The pids of all processes except the container's init and this process."""
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
