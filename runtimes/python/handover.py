"""Hands the pipes of a waiting script from the supervisor, which forks it, to the run process, which watches it.

The channel is a pair of local sockets. For each run the supervisor sends the pid of the script with four descriptors (SCM_RIGHTS), and
later how the script ended. The run process asks for each script with one byte.
"""

import _socket
import os
import struct

PID = struct.Struct("i")
DESCRIPTORS = struct.Struct("4i")
END = struct.Struct("iq")
RIGHTS_ROOM = _socket.CMSG_SPACE(DESCRIPTORS.size)
FOR_RUN, FOR_REHEARSAL = b"n", b"r"


class WaitingScript:
    """A forked process that becomes the script when its order comes. The run process has these ends of its pipes."""

    def __init__(self, pid, stdin, stdout, report, order):
        self.pid, self.stdin, self.stdout, self.report, self.order = pid, stdin, stdout, report, order

    def close(self):
        for fd in (self.stdin, self.stdout, self.report, self.order):
            if fd is not None:
                os.close(fd)


def make_pipes(user):
    """Returns the script's ends (stdin, stdout, report, order) and the other ends. A script may open its pipes by their paths (/dev/stdin)."""
    with user:
        stdin, to_stdin = os.pipe()
        from_stdout, stdout = os.pipe()
        from_report, report = os.pipe()
    order, to_order = os.pipe()
    return (stdin, stdout, report, order), (to_stdin, from_stdout, from_report, to_order)


def send_script(channel, pid, descriptors):
    channel.sendmsg([PID.pack(pid)], [(_socket.SOL_SOCKET, _socket.SCM_RIGHTS, DESCRIPTORS.pack(*descriptors))])


def receive_script(channel):
    data, rights, _, _ = channel.recvmsg(PID.size, RIGHTS_ROOM)
    if not data:
        os._exit(1)
    return WaitingScript(*PID.unpack(data), *DESCRIPTORS.unpack(rights[0][2]))


def send_end(channel, status, peak_kb):
    """`status` comes from wait4, `peak_kb` is the most memory of the script in KiB."""
    channel.send(END.pack(status, peak_kb))


def receive_end(channel):
    data = channel.recv(END.size)
    if not data:
        os._exit(1)
    return END.unpack(data)


def ask_for_script(channel, purpose=FOR_RUN):
    channel.send(purpose)
