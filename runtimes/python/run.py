"""One run: the order to the waiting script, and the loop that feeds, reads and outlives it."""

import json
import os
import selectors
import signal
import time

from counters import Counters
from descriptors import write_all
from handover import receive_end
from lay_out import lay_out
from report import MAX_TOLD, read_notice, report_of

CHUNK = 65536
LOOK_EVERY = 0.1
# A script that accepts its process limit stays below this number of refusals.
MAX_REFUSED_FORKS = 1000


class Run:
    def __init__(self, header, script_input, script, streams, user):
        """`script` is the process that waits for its order. `streams`: lifeline, answers, and the channel to the supervisor."""
        self.script, self.user = script, user
        self.lifeline, self.answers, self.channel = streams
        lay_out(header["files"], header["env"].get("ERRAND_IN"))
        with user:
            os.mkdir(header["env"]["ERRAND_OUT"])
        self.order = json.dumps({"entry": header["entry"], "env": header["env"]}).encode()
        self.rest = memoryview(script_input)
        self.cap = header["outputBytes"]
        self.deadline = time.monotonic() + header["deadlineMs"] / 1000
        self.cpu_limit = header["cpuMs"]
        self.stdout = bytearray()
        self.told = b""
        self.has_left = False
        self.timed_out = self.overflow = self.cpu_exceeded = self.forks_exceeded = False
        self.status = self.peak_kb = None
        self.counters = Counters()
        self.look_at = 0.0
        for fd in (script.stdin, script.stdout, script.report):
            os.set_blocking(fd, False)
        self.tunnels = open_tunnels(self.lifeline, self.answers) if header.get("tunnels") else None
        write_all(2, f"\n{header['begin']}\n".encode())

    def watch(self):
        """Starts the script and returns when it has ended. It does not wait for remaining children."""
        self.give_order()
        with selectors.DefaultSelector() as selector:
            if self.tunnels:
                self.tunnels.register(selector)
            else:
                selector.register(self.lifeline, selectors.EVENT_READ, self.cut)
            selector.register(self.channel, selectors.EVENT_READ, self.end)
            selector.register(self.script.stdout, selectors.EVENT_READ, self.read)
            selector.register(self.script.report, selectors.EVENT_READ, self.hear)
            selector.register(self.script.stdin, selectors.EVENT_WRITE, self.feed)
            while self.status is None:
                self.enforce_limits()
                for key, _ in selector.select(LOOK_EVERY):
                    if not key.data():
                        selector.unregister(key.fd)
                        if key.fd == self.script.stdin:
                            self.end_stdin()
            while not self.overflow and self.read():  # reads the rest of the pipe
                pass
            self.hear()
            if self.tunnels:
                self.tunnels.finish()

    def give_order(self):
        """The waiting process reads the order to its end, and becomes the script."""
        try:
            write_all(self.script.order, self.order)
        except BrokenPipeError:  # it has been killed, which its status shows
            pass
        os.close(self.script.order)
        self.script.order = None

    def end_stdin(self):
        os.close(self.script.stdin)
        self.script.stdin = None

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

    def end(self):
        """The process of the script is gone. An end that the script has told before stays."""
        end = receive_end(self.channel)
        self.has_left = True
        if self.status is None:
            self.status, self.peak_kb = end
        return True

    def hear(self):
        """Reads what the script reports. After its end notice, the run does not wait until its process is gone."""
        try:
            chunk = os.read(self.script.report, MAX_TOLD - len(self.told))
        except BlockingIOError:
            return True
        self.told += chunk
        notice = read_notice(self.told)
        if notice and self.status is None:
            self.status, self.peak_kb = notice
        return bool(chunk)

    def await_leave(self):
        """Returns when the process of the script is gone."""
        if not self.has_left:
            self.end()

    def end_script(self):
        """Kills the script if it has told its end and goes on. Waits for its end by an event, which costs less than looking at /proc."""
        if not self.has_left:
            self.signal()
            self.await_leave()

    def read(self):
        """Reads from the pipe. Returns false if there is nothing to read (for now, if the script still runs)."""
        try:
            chunk = os.read(self.script.stdout, CHUNK)
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
            self.rest = self.rest[os.write(self.script.stdin, self.rest[:CHUNK]) :]
        except BrokenPipeError:  # a script need not read its input
            return False
        return bool(self.rest)

    def kill(self):
        if self.status is None:
            self.signal()

    def signal(self):
        for end in (os.killpg, os.kill):  # the child may not have its own group yet
            try:
                with self.user:
                    end(self.script.pid, signal.SIGKILL)
            except (ProcessLookupError, PermissionError):  # PermissionError: it has not become the user yet, and waits for its order
                pass

    def report(self):
        return {
            "timedOut": self.timed_out,
            "cpuExceeded": self.cpu_exceeded,
            "forksExceeded": self.forks_exceeded,
            "overflow": self.overflow,
            **self.counters.since_the_start(),
            **report_of(self.status, self.peak_kb, self.told),
        }


def open_tunnels(lifeline, answers):
    from tunnels import Tunnels  # imported late, because few runs have a network

    return Tunnels(lifeline, answers)
