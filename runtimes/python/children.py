"""The children of the supervisor: the run process, the script, and processes that a script gave to its parent (CLONE_PARENT)."""

import os
import resource  # noqa: F401  os.wait4 needs it
import select

from prepare import hear_of_children, wake_on_child_end

ROOM = 4096


class Children:
    """Reaps all children. When the run process has ended, this process ends with the same code."""

    def __init__(self, run_process, channel):
        self.run_process, self.channel = run_process, channel
        hear_of_children()
        self.woken = wake_on_child_end()
        self.events = select.poll()
        self.events.register(self.woken, select.POLLIN)

    def await_end(self, script):
        """Returns the status of the script from wait4, and the most memory that it used, in KiB."""
        while True:
            for pid, status, usage in self.reap():
                if pid == script:
                    return status, usage.ru_maxrss
            self.sleep()

    def await_request(self):
        """Waits until the run process asks for a script. Returns its purpose."""
        self.events.register(self.channel, select.POLLIN)
        while self.channel.fileno() not in self.sleep():
            for _ in self.reap():
                pass
        self.events.unregister(self.channel)
        purpose = self.channel.recv(1)
        if not purpose:
            self.end_like(os.waitpid(self.run_process, 0)[1])
        return purpose

    def sleep(self):
        """Waits for an event. Returns the descriptors that have one."""
        ready = [fd for fd, _ in self.events.poll()]
        if self.woken in ready:
            os.read(self.woken, ROOM)
        return ready

    def reap(self):
        while True:
            pid, status, usage = os.wait4(-1, os.WNOHANG)
            if pid == 0:
                return
            if pid == self.run_process:
                self.end_like(status)
            yield pid, status, usage

    def end_like(self, status):
        """Everything in the container ends with this process."""
        code = os.waitstatus_to_exitcode(status)
        os._exit(code if code >= 0 else 128 - code)
