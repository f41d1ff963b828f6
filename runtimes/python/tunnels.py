"""The way out of a sandbox that has no network: a listener on loopback whose connections travel, as frames, on the streams that the
runner holds. The runner decides what becomes of each. The frames are described in `apps/script-runner/src/egress/tunnel-frames.ts`.
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
    """All connections of one run. Nothing here waits: the script's time and output are watched by the same loop."""

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
        """Frames from the runner. Their end is the end of everything."""
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
        """Takes what the runner said before it knew that the script has ended, up to its last word: the next run begins behind it."""
        while True:
            while (frame := self.next_frame()) is not None:
                if "over" in frame:
                    if self.inbox:  # nobody who asks speaks before we are ready
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
        except OSError:  # whoever knocked has gone again
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
        """False when all is out."""
        try:
            del self.outbox[: os.write(self.answers, self.outbox)]
        except BlockingIOError:
            pass
        return bool(self.outbox)

    def finish(self):
        """Ends all connections; what is held goes out first, so that the answer begins with a line of its own."""
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
        """Moves what can be moved, whichever way. A frame may have closed it since the loop saw it ready."""
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
        """Asks to be called when more can be moved; give() is tried first, so one that is blocked there still reads."""
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
