"""The supervisor of one Python script inside its sandbox.

It starts with nothing of anyone's inside, warms up, and waits. All that a run needs then arrives on its stdin:

    {"nonce", "entry", "files": [{"path", "base64"}], "env", "inputBytes", "outputBytes", "deadlineMs"}\n
    <inputBytes bytes of JSON: the script's stdin>
    … and the pipe stays open: its end is the lifeline. When it closes, whoever asked is gone, and everything here dies.

On its stdout it answers `ready\n` once warm, and after the run one frame: a line of JSON (see `report`) with the `nonce`, and
`stdoutBytes` bytes of what the script printed. The script's stderr is the container's own, so that log lines stream at once; when the script has
ended, an empty line and `nonce` on a line of its own mark the end of the log.

The script runs in a fork of this warm interpreter, as `__main__`, in a session of its own. It has the rights of this process and
can at worst lie about itself: the container serves this one run and dies with it.
"""

import sys

STARTUP_MODULES = frozenset(sys.modules)  # what any `python3 script.py` has loaded, too

import base64  # noqa: E402
import builtins  # noqa: E402
import ctypes  # noqa: E402
import errno  # noqa: E402
import json  # noqa: E402
import os  # noqa: E402
import selectors  # noqa: E402
import signal  # noqa: E402
import time  # noqa: E402
import types  # noqa: E402

SCRIPT_ROOT = "/script"
CHUNK = 65536
REPORT_FD = 3
MAX_MESSAGE = 2000
PR_SET_DUMPABLE = 4


def main():
    allow_tracing(False)
    lifeline, answers = take_over_stdio()
    os.write(answers, b"ready\n")
    with os.fdopen(lifeline, "rb", closefd=False) as requests:
        header = read_header(requests)
        if header is None:
            return  # nobody ever asked
        script_input = requests.read(header["inputBytes"])
    try:
        run = Run(header, script_input, lifeline)
    except OSError as fault:
        answer(answers, header, {"fault": str(fault), "code": errno.errorcode.get(fault.errno)}, b"")
        return
    run.watch()
    answer(answers, header, run.report(), run.stdout)


def allow_tracing(allowed):
    """Opens or closes /proc/<pid>/{mem,fd,…} and ptrace of this process to others of the same user, the script first of all."""
    ctypes.CDLL(None).prctl(PR_SET_DUMPABLE, int(allowed), 0, 0, 0)


def read_header(requests):
    """The request's first line; the nonce is in nothing but the returned object then, from which the child takes it."""
    line = requests.readline()
    return json.loads(line) if line else None


def take_over_stdio():
    """Moves the channel to the runner away from 0 and 1, which are then free for the script's pipes."""
    moved = os.dup(0), os.dup(1)
    null = os.open(os.devnull, os.O_RDWR)
    os.dup2(null, 0)
    os.dup2(null, 1)
    os.close(null)
    return moved


def answer(answers, header, report, stdout):
    """Writes the frame, then the end mark of the log. The script may have left our stderr non-blocking."""
    write_all(answers, json.dumps({**report, "nonce": header["nonce"], "stdoutBytes": len(stdout)}).encode() + b"\n" + stdout)
    os.set_blocking(2, True)
    write_all(2, f"\n{header['nonce']}\n".encode())


def write_all(fd, data):
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(fd, rest) :]


def lay_out(files):
    """Writes the script's folder, then takes the right to write away from files and folders."""
    folders = {SCRIPT_ROOT}
    for file in files:
        path = os.path.join(SCRIPT_ROOT, file["path"])
        folder = os.path.dirname(path)
        os.makedirs(folder, exist_ok=True)
        while folder not in folders:
            folders.add(folder)
            folder = os.path.dirname(folder)
        fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o444)
        write_all(fd, base64.b64decode(file["base64"]))
        os.close(fd)
    for folder in folders:
        os.chmod(folder, 0o555)


class Run:
    """One run: the forked child, its pipes, and the loop that feeds, reads and outlives it."""

    def __init__(self, header, script_input, lifeline):
        lay_out(header["files"])
        os.makedirs(header["env"]["ERRAND_OUT"], exist_ok=True)
        self.rest = memoryview(script_input)
        self.cap = header["outputBytes"]
        self.deadline = time.monotonic() + header["deadlineMs"] / 1000
        self.lifeline = lifeline
        self.stdout = bytearray()
        self.timed_out = self.overflow = False
        self.status = self.usage = None
        self.woken = wake_on_child_end()
        self.start(header)

    def start(self, header):
        child_in, self.stdin_pipe = os.pipe()
        self.stdout_pipe, child_out = os.pipe()
        self.report_pipe, child_report = os.pipe()
        self.pid = os.fork()
        if self.pid == 0:
            become_script(header, child_in, child_out, child_report)
        for fd in (child_in, child_out, child_report):
            os.close(fd)
        for fd in (self.stdin_pipe, self.stdout_pipe, self.report_pipe):
            os.set_blocking(fd, False)

    def watch(self):
        """Returns when the script itself has ended. Children that it leaves behind are not waited for."""
        selector = selectors.DefaultSelector()
        selector.register(self.lifeline, selectors.EVENT_READ, self.cut)
        selector.register(self.woken, selectors.EVENT_READ, self.reap)
        selector.register(self.stdout_pipe, selectors.EVENT_READ, self.read)
        selector.register(self.stdin_pipe, selectors.EVENT_WRITE, self.feed)
        while self.status is None:
            left = self.deadline - time.monotonic()
            if left <= 0 and not self.timed_out:
                self.timed_out = True
                self.kill()
            for key, _ in selector.select(max(left, 0) if not self.timed_out else None):
                if not key.data():
                    selector.unregister(key.fd)
        while not self.overflow and self.read():  # what was still in the pipe
            pass

    def cut(self):
        """The lifeline closed: init ends with us, and the kernel ends everything else in the container."""
        os._exit(1)

    def reap(self):
        os.read(self.woken, CHUNK)
        pid, status, usage = os.wait4(self.pid, os.WNOHANG)
        if pid:
            self.status, self.usage = status, usage
        return True

    def read(self):
        """Takes what is in the pipe. False when nothing more will be taken (for now, if the script still runs)."""
        try:
            chunk = os.read(self.stdout_pipe, CHUNK)
        except BlockingIOError:
            return False
        self.stdout += chunk
        if len(self.stdout) > self.cap:
            self.overflow = True
            del self.stdout[self.cap :]
            self.kill()
            return False
        return bool(chunk)

    def feed(self):
        try:
            self.rest = self.rest[os.write(self.stdin_pipe, self.rest[:CHUNK]) :]
        except BrokenPipeError:  # a script need not read its input
            self.rest = self.rest[:0]
        if self.rest:
            return True
        os.close(self.stdin_pipe)
        return False

    def kill(self):
        if self.status is not None:
            return
        for end in (os.killpg, os.kill):  # the child may not have its own group yet
            try:
                end(self.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass

    def report(self):
        code = os.waitstatus_to_exitcode(self.status)
        return {
            "exitCode": code if code >= 0 else None,
            "signal": signal_name(-code) if code < 0 else None,
            "timedOut": self.timed_out,
            "overflow": self.overflow,
            "oomKills": counter("memory.events", "memory/memory.oom_control", key="oom_kill"),
            "refusedForks": counter("pids.events", "pids/pids.events", key="max"),
            "peakMemoryKb": self.usage.ru_maxrss,
            "exception": self.read_exception(),
        }

    def read_exception(self):
        try:
            return json.loads(os.read(self.report_pipe, CHUNK))
        except (BlockingIOError, ValueError):
            return None


def wake_on_child_end():
    """A descriptor that becomes readable when a child ends."""
    woken, waker = os.pipe()
    os.set_blocking(woken, False)
    os.set_blocking(waker, False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.set_wakeup_fd(waker, warn_on_full_buffer=False)
    return woken


def signal_name(number):
    try:
        return signal.Signals(number).name
    except ValueError:  # a real-time signal
        return f"SIG{number}"


def counter(*paths, key):
    """A counter of this container's control group, version 2 or 1; 0 where the runtime shows none."""
    for path in paths:
        try:
            with open(f"/sys/fs/cgroup/{path}") as lines:
                for line in lines:
                    name, _, value = line.partition(" ")
                    if name == key:
                        return int(value)
        except OSError:
            continue
    return 0


# From here on: in the forked child.


def become_script(header, child_in, child_out, child_report):
    """Never returns: ends as `python3 <entry>` would, with the interpreter's own way out."""
    header["nonce"] = None  # who does not know it can forge no answer
    signal.set_wakeup_fd(-1)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    os.setsid()
    allow_tracing(True)
    prefer_as_victim()
    os.dup2(child_in, 0)
    os.dup2(child_out, 1)
    os.dup2(child_report, REPORT_FD, inheritable=False)
    os.closerange(REPORT_FD + 1, os.sysconf("SC_OPEN_MAX"))
    os.environ.clear()
    os.environ.update(header["env"])
    entry = os.path.join(SCRIPT_ROOT, header["entry"])
    os.chdir(os.path.dirname(entry))
    open_standard_streams()
    forget_shadowed(os.getcwd())
    execute(entry)
    sys.exit()


def prefer_as_victim():
    """When memory runs out the kernel shall take the script and leave the supervisor, who tells of it."""
    with open("/proc/self/oom_score_adj", "w") as score:
        score.write("1000")


def open_standard_streams():
    sys.stdin = sys.__stdin__ = open(0, encoding="utf-8", closefd=False)
    sys.stdout = sys.__stdout__ = open(1, "w", encoding="utf-8", closefd=False)
    sys.stderr = sys.__stderr__ = open(2, "w", encoding="utf-8", errors="backslashreplace", buffering=1, closefd=False)


def forget_shadowed(folder):
    """A script's own `json.py` shall win over the one that this supervisor happened to import."""
    own = {name.removesuffix(".py") for name in os.listdir(folder)}
    for name in list(sys.modules):
        if name not in STARTUP_MODULES and name.partition(".")[0] in own:
            del sys.modules[name]


def execute(entry):
    sys.argv = [entry]
    sys.path[0] = os.path.dirname(entry)
    module = types.ModuleType("__main__")
    module.__file__ = entry
    module.__builtins__ = builtins
    sys.modules["__main__"] = module
    try:
        with open(entry, "rb") as source:
            code = compile(source.read(), entry, "exec", dont_inherit=True)
        exec(code, module.__dict__)
    except SystemExit:
        raise
    except BaseException as error:
        tell(error)
        error.__traceback__ = without_supervisor(error.__traceback__)
        sys.excepthook(type(error), error, error.__traceback__)
        sys.exit(1)


def tell(error):
    """Hands the exception itself to the supervisor; what a script printed is never guessed at."""
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


if __name__ == "__main__":
    main()
