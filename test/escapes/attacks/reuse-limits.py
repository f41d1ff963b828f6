"""
Attack: change limits, priority, CPUs and oom_score_adj of the supervisor or of the user, so that later runs fail or
slow down.
Defence: the seccomp profile lets a process change only its own values, and the supervisor belongs to another user.
Runs: 4
Expect: []
"""

import os
import resource

from attempts import is_first_run, other_processes, report


def on_any(attempt):
    def try_each():
        done = False
        for pid in [1, *other_processes()]:
            try:
                attempt(pid)
                done = True
            except OSError:
                pass
        return done

    return try_each


def victim(pid):
    with open(f"/proc/{pid}/oom_score_adj", "w") as score:
        score.write("1000")


first = is_first_run()
report(
    limits=on_any(lambda pid: resource.prlimit(pid, resource.RLIMIT_NOFILE, (3, 3))),
    read_limits=on_any(lambda pid: resource.prlimit(pid, resource.RLIMIT_NOFILE)),
    cpus=on_any(lambda pid: os.sched_setaffinity(pid, {0})),
    scheduler=on_any(lambda pid: os.sched_setscheduler(pid, os.SCHED_IDLE, os.sched_param(0))),
    priority=on_any(lambda pid: os.setpriority(os.PRIO_PROCESS, pid, 19)),
    priority_of_user=lambda: os.setpriority(os.PRIO_USER, os.getuid(), 19),
    priority_of_root=lambda: os.setpriority(os.PRIO_USER, 0, 19),
    priority_of_group=lambda: os.setpriority(os.PRIO_PGRP, os.getpgid(os.getppid()), 19),
    victim=on_any(victim),
    nice_is_left=lambda: os.getpriority(os.PRIO_PROCESS, 0) != 0,
    limit_is_left=lambda: resource.getrlimit(resource.RLIMIT_NOFILE) != (256, 256),
)
if first:  # a process may change its own limits
    os.nice(19)
    resource.setrlimit(resource.RLIMIT_NOFILE, (16, 16))
