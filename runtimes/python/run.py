"""One run: the forked script, its pipes, and the loop that feeds, reads and outlives it."""

import os
import resource  # noqa: F401  os.wait4 needs it: loaded here, once, not every run process loads it
import selectors
import signal
import time

from counters import Counters
from descriptors import write_all
from lay_out import lay_out
from report import report_of
from script import become_script

CHUNK = 65536
LOOK_EVERY = 0.1
# A script that accepts its process limit stays below this number of refusals.
MAX_REFUSED_FORKS = 1000


class Run:
    def __init__(self, header, script_input, lifeline, answers, user, startup_modules):
        lay_out(header["files"], header["env"].get("ERRAND_IN"))
        self.user = user
        with user:
            os.mkdir(header["env"]["ERRAND_OUT"])
        self.rest = memoryview(script_input)
        self.cap = header["outputBytes"]
        self.deadline = time.monotonic() + header["deadlineMs"] / 1000
        self.cpu_limit = header["cpuMs"]
        self.lifeline = lifeline
        self.stdout = bytearray()
        self.timed_out = self.overflow = self.cpu_exceeded = self.forks_exceeded = False
        self.status = self.usage = None
        self.counters = Counters()
        self.look_at = 0.0
        self.woken = wake_on_child_end()
        write_all(2, f"\n{header['begin']}\n".encode())
        self.start(header, startup_modules)
        self.tunnels = open_tunnels(lifeline, answers) if header.get("tunnels") else None

    def start(self, header, startup_modules):
        with self.user:  # a script may open its pipes by their paths (/dev/stdin)
            child_in, self.stdin_pipe = os.pipe()
            self.stdout_pipe, child_out = os.pipe()
            self.report_pipe, child_report = os.pipe()
        child_gate, self.gate = os.pipe()
        self.pid = os.fork()
        if self.pid == 0:
            os.close(self.gate)
            become_script(header, self.user, child_gate, (child_in, child_out, child_report), startup_modules)
        for fd in (child_in, child_out, child_report, child_gate):
            os.close(fd)
        for fd in (self.stdin_pipe, self.stdout_pipe, self.report_pipe):
            os.set_blocking(fd, False)

    def watch(self):
        """Starts the script and returns when it has ended. It does not wait for remaining children."""
        os.close(self.gate)
        selector = selectors.DefaultSelector()
        if self.tunnels:
            self.tunnels.register(selector)
        else:
            selector.register(self.lifeline, selectors.EVENT_READ, self.cut)
        selector.register(self.woken, selectors.EVENT_READ, self.reap)
        selector.register(self.stdout_pipe, selectors.EVENT_READ, self.read)
        selector.register(self.stdin_pipe, selectors.EVENT_WRITE, self.feed)
        while self.status is None:
            self.enforce_limits()
            for key, _ in selector.select(LOOK_EVERY):
                if not key.data():
                    selector.unregister(key.fd)
                    if key.fd == self.stdin_pipe:  # not before: the script's copy would keep it registered
                        os.close(self.stdin_pipe)
        while not self.overflow and self.read():  # reads the rest of the pipe
            pass
        if self.tunnels:
            self.tunnels.finish()

    def enforce_limits(self):
        """The CPU time and refused processes of the script's children count for the script."""
        now = time.monotonic()
        self.timed_out = self.timed_out or now > self.deadline
        if now >= self.look_at:
            self.look_at = now + LOOK_EVERY
            self.cpu_exceeded = self.cpu_exceeded or self.counters.cpu_ms() > self.cpu_limit
            self.forks_exceeded = self.forks_exceeded or (self.counters.refused_forks() or 0) > MAX_REFUSED_FORKS
        if self.timed_out or self.cpu_exceeded or self.forks_exceeded:
            self.kill()

    def cut(self):
        """The stdin lifeline closed. The supervisor exits with this process, and the kernel ends everything else in the container."""
        os._exit(1)

    def reap(self):
        os.read(self.woken, CHUNK)
        pid, status, usage = os.wait4(self.pid, os.WNOHANG)
        if pid:
            self.status, self.usage = status, usage
        return True

    def read(self):
        """Reads from the pipe. Returns false if there is nothing to read (for now, if the script still runs)."""
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
        """Writes input to the script. Returns false when all is written, or the script reads no more."""
        try:
            self.rest = self.rest[os.write(self.stdin_pipe, self.rest[:CHUNK]) :]
        except BrokenPipeError:  # a script need not read its input
            return False
        return bool(self.rest)

    def kill(self):
        if self.status is not None:
            return
        for end in (os.killpg, os.kill):  # the child may not have its own group yet
            try:
                with self.user:
                    end(self.pid, signal.SIGKILL)
            except (ProcessLookupError, PermissionError):  # PermissionError: it has not become the user yet, and waits at the gate
                pass

    def report(self):
        return {
            "timedOut": self.timed_out,
            "cpuExceeded": self.cpu_exceeded,
            "forksExceeded": self.forks_exceeded,
            "overflow": self.overflow,
            **self.counters.since_the_start(),
            **report_of(self.status, self.usage, self.report_pipe),
        }


def open_tunnels(lifeline, answers):
    from tunnels import Tunnels  # imported late, because few runs have a network

    return Tunnels(lifeline, answers)


def wake_on_child_end():
    """Returns a descriptor that becomes readable when a child ends. It needs the signal handler of prepare.py."""
    woken, waker = os.pipe()
    os.set_blocking(woken, False)
    os.set_blocking(waker, False)
    signal.set_wakeup_fd(waker, warn_on_full_buffer=False)
    return woken
