"""Carries the connections of a sandbox without network. A listener on loopback accepts them and sends them as frames on the streams of
the runner, which decides on each. `apps/script-runner/src/egress/tunnel-frames.ts` describes the frames.
"""

import json
import os
import selectors
import socket

ADDRESS = ("127.0.0.1", 3128)
MAX_OPEN = 32
WINDOW = CHUNK = 65536
READ, WRITE = selectors.EVENT_READ, selectors.EVENT_WRITE


class Tunnels:
    """All connections of one run. Nothing here blocks, because the same loop watches the script's time and output."""

    def __init__(self, lifeline, answers):
        self.lifeline, self.answers = lifeline, answers
        self.inbox, self.outbox = bytearray(), bytearray()
        self.open = {}
        self.last = 0
        self.listener = socket.create_server(ADDRESS, backlog=MAX_OPEN)
        self.listener.setblocking(False)
        os.set_blocking(answers, False)

    def register(self, selector):
        self.selector = selector
        selector.register(self.lifeline, READ, self.hear)
        selector.register(self.listener, READ, self.accept)

    def hear(self):
        """Reads frames from the runner. Exits when stdin ends."""
        data = os.read(self.lifeline, CHUNK)
        if not data:
            os._exit(1)
        self.inbox += data
        while (frame := self.next_frame()) is not None:
            tunnel = self.open.get(frame.get("tunnel"))
            if tunnel:
                tunnel.hear(frame)
        return True

    def await_end(self):
        """Reads the late frames of the runner up to its last frame. The next run begins behind it."""
        while True:
            while (frame := self.next_frame()) is not None:
                if "over" in frame:
                    if self.inbox:  # an honest runner sends nothing before the supervisor is ready
                        os._exit(1)
                    return
            data = os.read(self.lifeline, CHUNK)
            if not data:
                os._exit(1)
            self.inbox += data

    def next_frame(self):
        end = self.inbox.find(b"\n") + 1
        if end == 0:
            return None
        frame = json.loads(self.inbox[:end])
        length = frame.get("bytes", 0)
        if len(self.inbox) < end + length:
            return None
        frame["data"] = bytes(self.inbox[end : end + length])
        del self.inbox[: end + length]
        return frame

    def accept(self):
        try:
            connection, _ = self.listener.accept()
        except OSError:  # the connection is already closed
            return True
        if len(self.open) >= MAX_OPEN:
            connection.close()
            return True
        self.last += 1
        self.open[self.last] = Tunnel(self, self.last, connection)
        self.tell(self.last, open=True)
        return True

    def tell(self, tunnel, data=b"", **what):
        if not self.outbox:
            self.selector.register(self.answers, WRITE, self.flush)
        self.outbox += json.dumps({"tunnel": tunnel, **what}).encode() + b"\n" + data

    def flush(self):
        """Writes frames. Returns false when all are written."""
        try:
            del self.outbox[: os.write(self.answers, self.outbox)]
        except BlockingIOError:
            pass
        return bool(self.outbox)

    def finish(self):
        """Ends all connections. Writes the held frames first, so that the response begins on its own line."""
        self.listener.close()
        for tunnel in list(self.open.values()):
            tunnel.socket.close()
        os.set_blocking(self.answers, True)
        while self.outbox:
            self.flush()


class Tunnel:
    """One connection of the script."""

    def __init__(self, all_tunnels, number, connection):
        self.all, self.number, self.socket = all_tunnels, number, connection
        self.for_script = bytearray()
        self.credit = WINDOW
        self.script_ended = self.runner_ended = self.shut = False
        self.interest = 0
        connection.setblocking(False)
        self.watch()

    def hear(self, frame):
        self.for_script += frame["data"]
        self.credit += frame.get("taken", 0)
        if "end" in frame or "close" in frame:
            self.runner_ended = True
        if "close" in frame:
            self.script_ended = True
        self.pump()

    def pump(self):
        """Moves data in both directions. A frame may have closed the connection since the loop saw it ready."""
        if self.number not in self.all.open:
            return True
        try:
            self.give()
            self.take()
        except BlockingIOError:
            pass
        except OSError:  # the script has closed it
            self.close()
            return True
        if self.script_ended and self.shut:
            self.close()
        else:
            self.watch()
        return True

    def give(self):
        while self.for_script:
            sent = self.socket.send(self.for_script)
            del self.for_script[:sent]
            self.all.tell(self.number, taken=sent)
        if self.runner_ended and not self.shut:
            self.shut = True
            self.socket.shutdown(socket.SHUT_WR)

    def take(self):
        while self.credit > 0 and not self.script_ended:
            data = self.socket.recv(min(CHUNK, self.credit))
            self.credit -= len(data)
            self.script_ended = not data
            if data:
                self.all.tell(self.number, data, bytes=len(data))
            else:
                self.all.tell(self.number, end=True)

    def watch(self):
        """Registers for the events that the connection needs next. A blocked write does not stop the reads."""
        wanted = WRITE if self.for_script else 0
        if self.credit > 0 and not self.script_ended:
            wanted |= READ
        if wanted == self.interest:
            return
        if self.interest == 0:
            self.all.selector.register(self.socket, wanted, self.pump)
        elif wanted == 0:
            self.all.selector.unregister(self.socket)
        else:
            self.all.selector.modify(self.socket, wanted, self.pump)
        self.interest = wanted

    def close(self):
        if self.interest:
            self.all.selector.unregister(self.socket)
        self.interest = 0
        self.socket.close()
        del self.all.open[self.number]
        self.all.tell(self.number, close=True)
