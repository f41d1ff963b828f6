"""The end of a script's process: what the interpreter would do, without taking down what was there before the script.

To tear down all the modules that were imported beforehand takes longer than most scripts do. So this waits for threads, runs
`atexit` functions, and lets go of what the script itself has made, its modules and then cycles, whereby `__del__` runs and files are
flushed. Where a daemon thread is still alive, which only the interpreter can stop, it is left to that.
"""

import _io
import atexit
import gc
import itertools
import os
import sys

FLUSH_FAILED = 120


def finish(wish, folder, newest):
    """
    Ends the process as `sys.exit(wish)` would. `folder` holds all that the script itself has brought; `newest` is the module that was
    imported last before the script.
    """
    code = exit_code(wish)
    if threading := sys.modules.get("threading"):  # else nobody has threads to wait for
        threading._shutdown()
        if threading.active_count() > 1:
            sys.exit(code)
    atexit._run_exitfuncs()
    let_go(folder, newest)
    os._exit(code if flush() else FLUSH_FAILED)


def exit_code(wish):
    """The system keeps eight bits of a number: of 256 or 2**40 none is left, which shall not turn a failure into a success."""
    if wish is None:
        return 0
    if isinstance(wish, int):
        return wish & 0xFF or int(wish != 0)
    print(wish, file=sys.stderr)
    return 1


def let_go(folder, newest):
    """Drops the modules and lets the collector find what nobody holds: finalizers run while all that they use is there."""
    younger = itertools.takewhile(lambda name: name != newest, reversed(sys.modules))
    for name in ["__main__", *younger]:
        if (getattr(sys.modules.get(name), "__file__", None) or "").startswith(folder):
            del sys.modules[name]
    flush_files()
    gc.collect()


def flush_files():
    """Of a file that goes with its module the collector may close the innermost layer first, and what it still held is lost."""
    for thing in gc.get_objects():
        if issubclass(type(thing), _io._IOBase):
            try:
                thing.flush()
            except (OSError, ValueError):  # closed, or full
                pass


def flush():
    """The log always says why where this fails; what a script did to its streams is its own affair."""
    flushed = True
    for stream in (sys.stdout, sys.stderr):
        try:
            if stream is not None and not stream.closed:
                stream.flush()
        except Exception as error:
            flushed = False
            os.write(2, f"{type(error).__name__}: {error}\n".encode())
    return flushed
