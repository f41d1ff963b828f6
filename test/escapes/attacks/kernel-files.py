"""
Attack: change the kernel or the limits of the script through /proc and /sys: core pattern, release agent, sysrq,
control groups.
Defence: /proc/sys, /sys and the control groups are mounted read-only; a process cannot lower its oom_score_adj below
the floor.
Expect: []
"""

import glob
import os

from attempts import report


def write(path, text="1"):
    return lambda: os.write(os.open(path, os.O_WRONLY), text.encode())


def write_any(pattern, text):
    found = glob.glob(pattern, recursive=True)
    return {f"{pattern}_{n}": write(path, text) for n, path in enumerate(found)}


report(
    core_pattern=write("/proc/sys/kernel/core_pattern", "|/bin/true"),
    sysrq=write("/proc/sysrq-trigger", "b"),
    uevent_helper=write("/sys/kernel/uevent_helper", "/bin/true"),
    user_map=write("/proc/self/uid_map", "0 0 1"),
    below_the_supervisor=write("/proc/self/oom_score_adj", "-1000"),
    **write_any("/sys/fs/cgroup/**/release_agent", "/bin/true"),
    **write_any("/sys/fs/cgroup/**/memory.limit_in_bytes", "-1"),
    **write_any("/sys/fs/cgroup/**/memory.max", "max"),
    **write_any("/sys/fs/cgroup/**/pids.max", "max"),
)
