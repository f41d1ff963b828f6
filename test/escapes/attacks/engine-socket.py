"""
Attack: talk to the container engine, which would be root on the host.
Defence: no file of the host is mounted into the sandbox; abstract sockets belong to a separate network namespace.
Expect: []
"""

import socket

from attempts import report


def connect(path):
    return lambda: socket.socket(socket.AF_UNIX).connect(path)


report(
    docker=connect("/var/run/docker.sock"),
    docker_run=connect("/run/docker.sock"),
    containerd=connect("/run/containerd/containerd.sock"),
    crio=connect("/run/crio/crio.sock"),
    abstract=connect("\0containerd"),
)
