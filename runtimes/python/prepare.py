"""Prepares the supervisor once, before it forks the run process and the first script."""

import _ctypes
import _signal
import importlib
import os
import select
import sys

PR_SET_DUMPABLE = 4
# This avoids the module `ctypes`: its classes take longer to create than anything else here, above all in a new fork.
PRCTL = _ctypes.dlsym(_ctypes.dlopen(None, 0), "prctl")

# The modules in the order of their use by scripts, then those that a run process may need. Each makes every fork a little slower, so
# rare or large modules (asyncio, subprocess, decimal, network modules) are not loaded here.
USUAL_MODULES = """
    json re math datetime random collections itertools functools pathlib string typing time csv io hashlib base64 uuid
    dataclasses enum copy textwrap urllib.parse logging operator contextlib traceback heapq bisect struct zlib
    tarfile socket
""".split()


def import_usual_modules(lifeline):
    """Imports the usual modules of scripts, until a request comes. A run need not wait for modules that it may not use."""
    for name in USUAL_MODULES:
        if select.select([lifeline], [], [], 0)[0]:
            return
        importlib.import_module(name)


def forbid_tracing(forbidden=True):
    """Denies other processes of the same user, above all the script, ptrace and /proc/<pid>/{mem,fd,…} of this process."""
    _ctypes.call_function(PRCTL, (PR_SET_DUMPABLE, int(not forbidden), 0, 0, 0))


def hear_of_children(heard=True):
    """
    Sets whether the end of a child sends a signal that wakes this process. It avoids the module `signal`, whose enumerations take 0.2 ms
    in a new fork.
    """
    _signal.signal(_signal.SIGCHLD, (lambda *_: None) if heard else _signal.SIG_DFL)


def wake_on_child_end():
    """Returns a descriptor that becomes readable when a child ends. It needs the handler of `hear_of_children`."""
    woken, waker = os.pipe()
    os.set_blocking(woken, False)
    os.set_blocking(waker, False)
    _signal.set_wakeup_fd(waker, warn_on_full_buffer=False)
    return woken


def be_as_a_script():
    """Makes the settings that are equal for all scripts: the environment is empty, and text is UTF-8."""
    os.environ.clear()
    sys.stdin.reconfigure(encoding="utf-8", errors="strict")
    sys.stdout.reconfigure(encoding="utf-8", errors="strict")
    sys.stderr.reconfigure(encoding="utf-8", errors="backslashreplace", line_buffering=True)


def take_over_stdio():
    """Moves the channel to the runner away from descriptors 0 and 1, which the script's pipes need."""
    moved = os.dup(0), os.dup(1)
    null = os.open(os.devnull, os.O_RDWR)
    os.dup2(null, 0)
    os.dup2(null, 1)
    os.close(null)
    return moved
