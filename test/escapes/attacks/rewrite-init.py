"""
Attack: read or rewrite the memory of the container's init. It belongs to the same user, is no supervisor of ours that could make
itself undumpable, and is the one process that a tool's containers keep from run to run: what is planted there sees the next.
Defence: its memory is masked, in whichever folder; the system calls that would reach it are refused.
Expect: []
"""

import ctypes
import os

from attempts import report

libc = ctypes.CDLL(None)
PTRACE_ATTACH, PTRACE_SEIZE = 16, 0x4206


def first_address(pid):
    with open(f"/proc/{pid}/maps") as maps:
        return int(maps.readline().split("-")[0], 16)


def rewrite(path):
    """Puts back what it read, if it could read anything."""

    def attempt():
        memory = os.open(path, os.O_RDWR)
        address = first_address(1)
        found = os.pread(memory, 4, address)
        return bool(found) and os.pwrite(memory, found, address) > 0

    return attempt


own = os.open("/proc/self/mem", os.O_RDONLY)
assert os.pread(own, 4, first_address("self")) == b"\x7fELF"
report(
    memory=rewrite("/proc/1/mem"),
    memory_of_its_thread=rewrite("/proc/1/task/1/mem"),
    memory_beside_our_own=rewrite("/proc/self/../1/mem"),
    memory_through_its_root=rewrite("/proc/1/root/proc/1/mem"),
    attach=lambda: libc.ptrace(PTRACE_ATTACH, 1, 0, 0) == 0,
    seize=lambda: libc.ptrace(PTRACE_SEIZE, 1, 0, 0) == 0,
)
