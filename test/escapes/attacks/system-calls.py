"""
Attack: reach parts of the kernel that scripts do not need and that often had holes: io_uring, eBPF, userfaultfd,
performance counters, modules, file handles, rare kinds of sockets.
Defence: the seccomp profile is a list of allowed calls, and none of these calls is on the list.
Expect: []
"""

import ctypes
import socket

from attempts import report

libc = ctypes.CDLL(None, use_errno=True)
buffer = ctypes.create_string_buffer(256)


def call(number, *arguments):
    return lambda: libc.syscall(number, *arguments) >= 0


def open_socket(family, kind=socket.SOCK_RAW, protocol=0):
    return lambda: socket.socket(family, kind, protocol)


NETLINK_BEYOND_ROUTE = range(1, 23)


report(
    io_uring=call(425, 4, buffer),
    bpf=call(321, 0, buffer, 128),
    userfaultfd=call(323, 0),
    perf=call(298, buffer, 0, -1, -1, 0),
    load_module=call(175, buffer, 1, b""),
    kexec=call(246, 0, 0, 0, 0),
    file_handle=call(303, -100, b"/", buffer, buffer, 0),
    open_tree=call(428, -100, b"/", 1),
    new_mount=call(430, b"tmpfs", 0),
    kernel_log=call(103, 3, buffer, 255),
    swap=call(167, b"/tmp/swap", 0),
    set_clock=call(227, 0, buffer),
    program_in_memory=call(319, b"x", 0),
    keyring=call(250, 0, -3, 1),
    move_pages=call(279, 0, 0, 0, 0, 0, 0),
    crypto_socket=open_socket(38, socket.SOCK_SEQPACKET),
    packet_socket=open_socket(17),
    vm_socket=open_socket(40, socket.SOCK_STREAM),
    bluetooth_socket=open_socket(31),
    raw_socket=open_socket(socket.AF_INET),
    **{f"netlink_{protocol}": open_socket(socket.AF_NETLINK, protocol=protocol) for protocol in NETLINK_BEYOND_ROUTE},
)
