"""
Attack: use up the host's open files and sockets.
Defence: `nofile` of each process, times the bound on processes.
Expect: ResourceLimitError openFiles
"""

import socket

kept = []
while True:
    kept.extend(socket.socketpair())
