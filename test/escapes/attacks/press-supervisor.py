"""
Attack: harm the supervisors without killing them: lower their limits and their priority, bind them to one CPU, and make
them the first victims when memory runs out.
Defence: the seccomp profile lets a process change only its own values; the files in /proc belong to root.
Expect: []
"""

import os
import resource

from attempts import report


def supervisors():
    return [int(name) for name in os.listdir("/proc") if name.isdigit() and int(name) not in (1, os.getpid())]


def on_any(attempt):
    def try_each():
        done = 0
        for pid in supervisors():
            try:
                attempt(pid)
                done += 1
            except OSError:
                pass
        return done > 0

    return try_each


def victim(pid):
    with open(f"/proc/{pid}/oom_score_adj", "w") as score:
        score.write("1000")


assert len(supervisors()) >= 2
report(
    limits=on_any(lambda pid: resource.prlimit(pid, resource.RLIMIT_NOFILE, (3, 3))),
    cpus=on_any(lambda pid: os.sched_setaffinity(pid, {0})),
    scheduler=on_any(lambda pid: os.sched_setscheduler(pid, os.SCHED_IDLE, os.sched_param(0))),
    priority=on_any(lambda pid: os.setpriority(os.PRIO_PROCESS, pid, 19)),
    priority_of_user=lambda: os.setpriority(os.PRIO_USER, os.getuid(), 19),
    priority_of_group=lambda: os.setpriority(os.PRIO_PGRP, os.getpgid(os.getppid()), 19),
    victim=on_any(victim),
)
