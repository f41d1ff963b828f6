"""
Attack: open the files in /proc of the container's init, of the supervisor and of its helper: open files, memory,
environment, folders.
Defence: these processes belong to another user; the kernel shows only their names and numbers.
Runs: 2
Expect: []
"""

import os

from attempts import is_first_run, other_processes, report

NAMES = "mem environ auxv maps smaps pagemap stack syscall personality fd/0 fd/1 fd/2 fd/3 fd/4 fd/5 fd/6 fd/7 fdinfo/0".split()
WRITABLE = "mem oom_score_adj oom_adj coredump_filter comm clear_refs autogroup sched fd/0 fd/1 fd/2 fd/3".split()


def read(path):
    with open(path, "rb", 0) as file:
        return len(os.pread(file.fileno(), 1, 0)) > 0 if not path.endswith("fd/0") else True


def open_to_write(path):
    """A masked file opens as /dev/null, which holds no data."""
    return os.major(os.fstat(os.open(path, os.O_WRONLY | os.O_NONBLOCK)).st_rdev) == 0


def write(path, text):
    with open(path, "wb", 0) as file:
        return file.write(text)


def attempts():
    for pid in [1, *other_processes()]:
        yield f"write {pid}/timerslack_ns", lambda pid=pid: write(f"/proc/{pid}/timerslack_ns", b"50000")
        yield f"write {pid}/attr/current", lambda pid=pid: write(f"/proc/{pid}/attr/current", b"x")
        for at in (f"/proc/{pid}", f"/proc/{pid}/task/{pid}"):
            for name in NAMES:
                yield f"read {at}/{name}", lambda path=f"{at}/{name}": read(path)
            for name in WRITABLE:
                yield f"write {at}/{name}", lambda path=f"{at}/{name}": open_to_write(path)
            for name in ("fd", "fdinfo", "map_files", "cwd/.", "root/."):
                yield f"list {at}/{name}", lambda path=f"{at}/{name}": os.listdir(path)


is_first_run()
assert len(other_processes()) >= 2
report(**dict(attempts()))
