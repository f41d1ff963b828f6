"""
Attack: reach the internet, the host, other containers, the metadata service of the cloud, or a name server.
Defence: `NetworkMode: none`; loopback is the only interface.
Expect: []
"""

import socket

from attempts import report


def connect(host, port):
    return lambda: socket.create_connection((host, port), timeout=2).close()


def routes():
    with open("/proc/net/route") as table:
        return table.readlines()[1:]


report(
    internet=connect("1.1.1.1", 443),
    metadata=connect("169.254.169.254", 80),
    bridge=connect("172.17.0.1", 22),
    internet_v6=connect("2606:4700:4700::1111", 443),
    names=lambda: socket.getaddrinfo("example.com", 80),
    datagram=lambda: socket.socket(type=socket.SOCK_DGRAM).sendto(b"x", ("8.8.8.8", 53)),
    raw=lambda: socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP),
    packet=lambda: socket.socket(socket.AF_PACKET, socket.SOCK_RAW),
    interface=lambda: len(routes()) > 0,
)
