"""
Attack: read or rewrite the memory of the container's init. Init belongs to the same user and does not make itself
undumpable. Init is also the only process that the containers of a tool keep from run to run: planted code would see the
next run.
Defence: the memory of init is masked, in every folder; the seccomp profile refuses the system calls that would reach
it.
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
    """Writes the bytes back that it read, if it could read."""

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
