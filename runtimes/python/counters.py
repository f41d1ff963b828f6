"""What the container's control group has counted, version 2 or 1; 0 where the runtime shows none."""

import os

CPU = (("cpu.stat", "usage_usec", 1e3), ("cpuacct/cpuacct.usage", None, 1e6))
OOM_KILLS = (("memory.events", "oom_kill", 1), ("memory/memory.oom_control", "oom_kill", 1))
REFUSED_FORKS = (("pids.events", "max", 1), ("pids/pids.events", "max", 1))


class Counters:
    """Counts from the start of one run: the container may have served others."""

    def __init__(self):
        self.cpu = Counter(CPU)
        self.oom_kills = Counter(OOM_KILLS)
        self.refused_forks = Counter(REFUSED_FORKS)

    def cpu_ms(self):
        return self.cpu.count()

    def since_the_start(self):
        return {"oomKills": self.oom_kills.count(), "refusedForks": self.refused_forks.count()}


class Counter:
    """One number in the first of several files that is there; held open, for it is read over and over."""

    def __init__(self, places):
        self.file, self.key, self.unit = next(filter(None, map(open_counter, places)), (None, None, 1))
        self.start = self.read()

    def count(self):
        return self.read() - self.start

    def read(self):
        if self.file is None:
            return 0
        for line in os.pread(self.file, 4096, 0).decode().splitlines():
            name, _, value = line.rpartition(" ")
            if name == (self.key or ""):
                return int(value) / self.unit
        return 0


def open_counter(place):
    path, key, unit = place
    try:
        return os.open(f"/sys/fs/cgroup/{path}", os.O_RDONLY), key, unit
    except OSError:
        return None
