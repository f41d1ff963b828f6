"""Ends the process of a script like the interpreter, but does not tear down the modules that were loaded before the script.

To tear these down would take longer than most scripts run. This code waits for threads and runs `atexit` functions. It then drops the
script's own modules and cycles, so that `__del__` runs and files are flushed. Only the interpreter can stop a daemon thread, so it
ends the process if one is alive.
"""

import _io
import atexit
import gc
import itertools
import os
import resource
import sys

from report import end_notice

FLUSH_FAILED = 120


def finish(wish, folder, newest, report):
    """
    Ends the process like `sys.exit(wish)`. `folder` holds the script's own files. `newest` is the last module that was imported before
    the script. `report` is the pipe to the run process, from `know_pipe`.
    """
    code = exit_code(wish)
    if threading := sys.modules.get("threading"):  # without this module, the script has no threads
        threading._shutdown()
        if threading.active_count() > 1:
            sys.exit(code)
    atexit._run_exitfuncs()
    let_go(folder, newest)
    leave(code if flush() else FLUSH_FAILED, report)


def know_pipe(fd):
    """Returns a descriptor with its file and its process. A script may put another file there, and its forks are not the script."""
    return fd, identity(fd)


def identity(fd):
    found = os.fstat(fd)
    return os.getpid(), found.st_dev, found.st_ino


def leave(code, report):
    """Exits. It notifies the run process before, which then need not wait until the kernel has removed the process."""
    fd, known = report
    try:
        if identity(fd) == known:
            uses = [resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
            os.set_blocking(fd, False)
            os.write(fd, end_notice(code, max(uses)))
            os.sched_yield()  # the run process responds before the kernel removes this one
    except OSError:  # the script closed it or filled it
        pass
    os._exit(code)


def exit_code(wish):
    """The system keeps eight bits of an exit code. Codes such as 256 would become 0, and a failure would become a success."""
    if wish is None:
        return 0
    if isinstance(wish, int):
        return wish & 0xFF or int(wish != 0)
    print(wish, file=sys.stderr)
    return 1


def let_go(folder, newest):
    """Drops the modules and collects garbage. Finalizers run while everything that they use still exists."""
    younger = itertools.takewhile(lambda name: name != newest, reversed(sys.modules))
    for name in ["__main__", *younger]:
        if (getattr(sys.modules.get(name), "__file__", None) or "").startswith(folder):
            del sys.modules[name]
    flush_files()
    gc.collect()


def flush_files():
    """Flushes all files. Otherwise the collector may close the innermost layer of a file first, and lose buffered data."""
    for thing in gc.get_objects():
        if issubclass(type(thing), _io._IOBase):
            try:
                thing.flush()
            except (OSError, ValueError):  # closed, or full
                pass


def flush():
    """Flushes stdout and stderr. The log reports a failure. A stream that the script closed is ignored."""
    flushed = True
    for stream in (sys.stdout, sys.stderr):
        try:
            if stream is not None and not stream.closed:
                stream.flush()
        except Exception as error:
            flushed = False
            os.write(2, f"{type(error).__name__}: {error}\n".encode())
    return flushed
