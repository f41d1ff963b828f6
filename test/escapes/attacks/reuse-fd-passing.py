"""
Attack: leave sockets that carry open files (SCM_RIGHTS), under abstract names and as files. Some of them travel in
themselves, so that no process needs to hold them. A later run connects and takes the files.
Defence: the network namespace is empty between runs because no process of an earlier run remains; /tmp is emptied.
Runs: 4
Expect: []
"""

import os
import socket

from attempts import is_first_run, leave_daemon, report

PLACES = ["\0left", "/tmp/left.sock"]


def serve(begin):
    listeners = []
    for place in PLACES:
        listener = socket.socket(socket.AF_UNIX)
        listener.bind(place)
        listener.listen()
        listeners.append(listener)
    begin()
    while True:
        for listener in listeners:
            listener.setblocking(False)
            try:
                connection, _ = listener.accept()
                socket.send_fds(connection, [b"left"], [0, 2])
            except OSError:
                pass


def travel():
    """A listener that is queued in itself."""
    listener = socket.socket(socket.AF_UNIX)
    listener.bind("\0travels")
    listener.listen()
    near, far = socket.socketpair()
    socket.send_fds(near, [b"x"], [listener.fileno(), near.fileno(), far.fileno()])


def receive(place):
    with socket.socket(socket.AF_UNIX) as client:
        client.settimeout(0.2)
        client.connect(place)
        data, fds, _, _ = socket.recv_fds(client, 16, 4)
        return len(data) > 0 or len(fds) > 0


if is_first_run():
    leave_daemon(serve)
    travel()
    report()
else:
    report(**{f"receive {place!r}": lambda place=place: receive(place) for place in [*PLACES, "\0travels"]})
