"""What the supervisor does once, before it waits."""

import _ctypes
import _signal
import importlib
import os
import select
import sys

PR_SET_DUMPABLE = 4
# Past the module `ctypes`, whose classes take longer to make than anything else that is loaded here, and longest in a new fork.
PRCTL = _ctypes.dlsym(_ctypes.dlopen(None, 0), "prctl")

# In the order of how often scripts ask for them, then what attendants may need. Each costs every fork a little, so what is rarer or
# large (asyncio, subprocess, decimal, whatever needs a network) is left to those who need it.
USUAL_MODULES = """
    json re math datetime random collections itertools functools pathlib string typing time csv io hashlib base64 uuid
    dataclasses enum copy textwrap urllib.parse logging operator contextlib traceback heapq bisect struct zlib
    tarfile socket
""".split()


def import_usual_modules(lifeline):
    """Imports what scripts import, until somebody asks for a run: who waits is not kept waiting for what may not be needed."""
    for name in USUAL_MODULES:
        if select.select([lifeline], [], [], 0)[0]:
            return
        importlib.import_module(name)


def forbid_tracing(forbidden=True):
    """Closes /proc/<pid>/{mem,fd,…} and ptrace of this process to others of the same user, the script first of all."""
    _ctypes.call_function(PRCTL, (PR_SET_DUMPABLE, int(not forbidden), 0, 0, 0))


def hear_of_children(heard=True):
    """
    Whether the end of a child is a signal that wakes. Goes past the module `signal`, whose enumerations take a process that has just
    been forked a fifth of a millisecond.
    """
    _signal.signal(_signal.SIGCHLD, (lambda *_: None) if heard else _signal.SIG_DFL)


def be_as_a_script():
    """What is the same for every script, and so need not be done in each: no variable is left, and text is UTF-8 whatever they said."""
    os.environ.clear()
    sys.stdin.reconfigure(encoding="utf-8", errors="strict")
    sys.stdout.reconfigure(encoding="utf-8", errors="strict")
    sys.stderr.reconfigure(encoding="utf-8", errors="backslashreplace", line_buffering=True)


def take_over_stdio():
    """Moves the channel to the runner away from 0 and 1, which are then free for the script's pipes."""
    moved = os.dup(0), os.dup(1)
    null = os.open(os.devnull, os.O_RDWR)
    os.dup2(null, 0)
    os.dup2(null, 1)
    os.close(null)
    return moved
