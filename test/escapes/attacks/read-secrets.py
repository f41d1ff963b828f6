"""
Attack: read data that does not belong to the script: passwords, memory and log of the kernel, disks of the host, other
processes.
Defence: user 65534 without capabilities, masked paths of /proc and /sys, no devices; the supervisor cannot be traced.
(The container's init can be traced, but it holds no secrets: see forge-answer.py.)
Expect: []
"""

import os

from attempts import report


def read(path):
    return lambda: len(open(path, "rb").read(1)) > 0


supervisor = os.getppid()
report(
    shadow=read("/etc/shadow"),
    root_home=lambda: os.listdir("/root"),
    kernel_memory=read("/proc/kcore"),
    kernel_log=read("/dev/kmsg"),
    keys=read("/proc/keys"),
    timers=read("/proc/timer_list"),
    firmware=lambda: len(os.listdir("/sys/firmware")) > 0,
    memory=read("/dev/mem"),
    disk=lambda: os.mknod("/tmp/disk", 0o60666, os.makedev(8, 0)),
    supervisor_environment=read(f"/proc/{supervisor}/environ"),
    supervisor_memory=read(f"/proc/{supervisor}/mem"),
    supervisor_files=lambda: os.listdir(f"/proc/{supervisor}/fd"),
)
