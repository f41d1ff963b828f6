"""
Attack: use up the host's open files and sockets.
Defence: `nofile` limits each process, and `PidsLimit` limits the number of processes.
Expect: ResourceLimitError openFiles
"""

import socket

kept = []
while True:
    kept.extend(socket.socketpair())
