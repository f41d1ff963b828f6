"""Turns the forked process into the script."""

import _signal
import builtins
import errno
import json
import os
import sys
import types

from finish import finish
from lay_out import SCRIPT_ROOT
from prepare import forbid_tracing, hear_of_children

REPORT_FD = 3
MAX_MESSAGE = 2000
OUR_MODULES = frozenset(name.removesuffix(".py") for name in os.listdir(os.path.dirname(os.path.abspath(__file__))))


def become_script(header, user, gate, streams, startup_modules):
    """Waits until the gate opens, then runs. Never returns."""
    _signal.set_wakeup_fd(-1)
    hear_of_children(False)
    os.setsid()
    user.become()
    forbid_tracing(False)  # this process has no secrets
    prefer_as_victim()
    os.environ.update(header["env"])  # prepare.py has emptied it
    entry = os.path.join(SCRIPT_ROOT, header["entry"])
    os.chdir(os.path.dirname(entry))
    os.read(gate, 1)
    take_streams(streams)
    forget_modules(os.getcwd(), startup_modules)
    newest = next(reversed(sys.modules))
    finish(execute(entry), SCRIPT_ROOT, newest)


def prefer_as_victim():
    """Makes the kernel kill the script when memory runs out, and not the supervisor, which reports it."""
    score = os.open("/proc/self/oom_score_adj", os.O_WRONLY)
    os.write(score, b"1000")
    os.close(score)


def take_streams(streams):
    """Moves the streams to the descriptors of `sys.stdin`, `stdout` and `stderr` (prepare.py)."""
    for target, fd in enumerate((*streams[:2], 2, streams[2])):
        os.dup2(fd, target, inheritable=target < REPORT_FD)
    os.closerange(REPORT_FD + 1, os.sysconf("SC_OPEN_MAX"))


def forget_modules(folder, startup_modules):
    """
    A script's own `json.py` takes precedence over an imported one, and a script cannot import the supervisor's files. A walk through
    all modules copies their pages, so it happens only if a name matches.
    """
    for name in OUR_MODULES:
        sys.modules.pop(name, None)
    own = {name.removesuffix(".py") for name in os.listdir(folder)} - startup_modules
    if any(name in sys.modules for name in own):
        for name in list(sys.modules):
            if name not in startup_modules and name.partition(".")[0] in own:
                del sys.modules[name]


def execute(entry):
    """Runs the script as `__main__`. Returns its exit value, as for `sys.exit`."""
    sys.argv = [entry]
    sys.path[0] = os.path.dirname(entry)
    if "PYTHONPATH" in os.environ:  # the path of its packages, which the supervisor does not have
        import site

        site.addsitedir(os.environ["PYTHONPATH"])
    module = types.ModuleType("__main__")
    module.__file__ = entry
    module.__builtins__ = builtins
    sys.modules["__main__"] = module
    try:
        with open(entry, "rb") as source:
            code = compile(source.read(), entry, "exec", dont_inherit=True)
        exec(code, module.__dict__)
    except SystemExit as wish:
        if wish.code is not None and not isinstance(wish.code, int):
            tell(wish)
        return wish.code
    except BaseException as error:
        tell(error)
        error.__traceback__ = without_supervisor(error.__traceback__)
        sys.excepthook(type(error), error, error.__traceback__)
        return 1


def tell(error):
    """Reports the exception itself to the run process, which never parses the output of a script for it."""
    try:
        message = str(error)
    except Exception:
        message = "<its text could not be made>"
    name = type(error).__qualname__ if type(error).__module__ in ("builtins", "__main__") else None
    told = {
        "type": name or f"{type(error).__module__}.{type(error).__qualname__}",
        "message": message[:MAX_MESSAGE],
        "code": errno.errorcode.get(error.errno) if isinstance(error, OSError) else None,
    }
    try:
        os.write(REPORT_FD, json.dumps(told).encode())
    except OSError:  # the script closed it
        pass


def without_supervisor(trace):
    while trace is not None and trace.tb_frame.f_code.co_filename == __file__:
        trace = trace.tb_next
    return trace
