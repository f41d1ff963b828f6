"""Turns the forked process into the script."""

import _signal
import builtins
import errno
import fcntl
import gc
import json
import os
import select
import sys
import types

from finish import finish, flush_files, know_pipe
from lay_out import SCRIPT_ROOT
from prepare import forbid_tracing, hear_of_children

REPORT_FD = 3
ORDER_FD = 4
CHUNK = 65536
# Without an order in this time, in seconds, the container waits and the process can rehearse. In a quick sequence of runs on a busy machine,
# an order takes longer than 0.01 s, and a rehearsal would take CPU time from the runs.
CALM = 0.05
MAX_MESSAGE = 2000
OUR_MODULES = frozenset(name.removesuffix(".py") for name in os.listdir(os.path.dirname(os.path.abspath(__file__))))


def become_script(user, descriptors, startup_modules):
    """Waits for the order, then runs the script. Never returns."""
    _signal.set_wakeup_fd(-1)
    hear_of_children(False)
    take_descriptors(descriptors)
    os.setsid()
    user.become()
    forbid_tracing(False)  # this process has no secrets
    prefer_as_victim()
    for name in OUR_MODULES:
        sys.modules.pop(name, None)
    order = await_order()
    os.environ.update(order["env"])  # prepare.py has emptied it
    entry = os.path.join(SCRIPT_ROOT, order["entry"])
    os.chdir(os.path.dirname(entry))
    forget_modules(os.getcwd(), startup_modules)
    newest = next(reversed(sys.modules))
    report = know_pipe(REPORT_FD)
    finish(execute(entry), SCRIPT_ROOT, newest, report)


def take_descriptors(descriptors):
    """Moves stdin, stdout, report and order to the descriptors of a script, and closes all others. stderr stays."""
    stdin, stdout, report, order = (fcntl.fcntl(fd, fcntl.F_DUPFD, ORDER_FD + 1) for fd in descriptors)
    for target, fd in ((0, stdin), (1, stdout), (REPORT_FD, report), (ORDER_FD, order)):
        os.dup2(fd, target, inheritable=target < REPORT_FD)
    os.closerange(ORDER_FD + 1, os.sysconf("SC_OPEN_MAX"))


def await_order():
    """Reads the order, JSON: {"entry", "env"}. It ends the process if none comes."""
    if not select.select([ORDER_FD], [], [], CALM)[0]:
        rehearse()
    text = b"".join(iter(lambda: os.read(ORDER_FD, CHUNK), b""))
    os.close(ORDER_FD)
    if not text:
        os._exit(1)
    return json.loads(text)


def rehearse():
    """Performs the steps of a script once. A fork shares its pages until it writes to them, and each first write takes time."""
    os.environ["ERRAND_OUT"] = json.loads('"/tmp"')
    os.environ.clear()
    os.listdir(SCRIPT_ROOT)
    module = types.ModuleType("__main__")
    with open(__file__, "rb") as source:  # longer than most scripts
        compile(source.read(), __file__, "exec", dont_inherit=True)
    exec(compile("import os, sys\nprint(end='')", __file__, "exec", dont_inherit=True), module.__dict__)
    del module
    flush_files()
    gc.collect()


def prefer_as_victim():
    """Makes the kernel kill the script when memory runs out, and not the supervisor, which reports it."""
    score = os.open("/proc/self/oom_score_adj", os.O_WRONLY)
    os.write(score, b"1000")
    os.close(score)


def forget_modules(folder, startup_modules):
    """
    A script's own `json.py` takes precedence over an imported one. A walk through all modules copies their pages, so it happens only if
    a name matches.
    """
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
