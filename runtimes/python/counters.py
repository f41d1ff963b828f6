"""The counters of the container's control group, version 2 or 1. A counter is 0 if the runtime does not show it.

The supervisor opens the files once, and every run process inherits them.
"""

import os


class Counters:
    """Counts from the start of one run. The container may have served other runs."""

    def __init__(self):
        self.start = [read(counter) for counter in (CPU, OOM_KILLS, REFUSED_FORKS)]

    def cpu_ms(self):
        return read(CPU) - self.start[0]

    def refused_forks(self):
        """The number of refused processes and threads in the container; None if the runtime does not count them."""
        return read(REFUSED_FORKS) - self.start[2] if REFUSED_FORKS else None

    def since_the_start(self):
        return {"oomKills": read(OOM_KILLS) - self.start[1], "refusedForks": self.refused_forks()}


def read(counter):
    """Reads the number behind the key, or the whole file."""
    if counter is None:
        return 0
    file, key, unit = counter
    for line in os.pread(file, 4096, 0).split(b"\n"):
        name, _, value = line.rpartition(b" ")
        if name == key and value:
            return int(value) / unit
    return 0


def open_counter(*places):
    """Opens the first file that exists."""
    return next(filter(None, map(open_place, places)), None)


def open_place(place):
    path, key, unit = place
    try:
        return os.open(f"/sys/fs/cgroup/{path}", os.O_RDONLY), key, unit
    except OSError:
        return None


CPU = open_counter(("cpu.stat", b"usage_usec", 1e3), ("cpuacct/cpuacct.usage", b"", 1e6))
OOM_KILLS = open_counter(("memory.events", b"oom_kill", 1), ("memory/memory.oom_control", b"oom_kill", 1))
REFUSED_FORKS = open_counter(("pids.events", b"max", 1), ("pids/pids.events", b"max", 1))
