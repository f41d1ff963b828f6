"""
Attack: stop, continue, kill or signal the supervisor, its helper and the container's init: one by one, by thread, by
group, all at once and through descriptors. While the supervisor is stopped, another process could respond in its place.
Defence: the user of a run may signal only its own processes.
Runs: 2
Expect: []
"""

import ctypes
import os
import signal

from attempts import is_first_run, other_processes, report

SYS_PIDFD_OPEN, SYS_PIDFD_SEND_SIGNAL, SYS_TGKILL, SYS_TKILL, SYS_SIGQUEUE = 434, 424, 234, 200, 129
libc = ctypes.CDLL(None, use_errno=True)
info = ctypes.create_string_buffer(128)


def on_any(attempt):
    def try_each():
        done = False
        for pid in [1, *other_processes()]:
            try:
                done = attempt(pid) is not False or done
            except OSError:
                pass
        return done

    return try_each


def by_group(pid):
    return os.getpgid(pid) > 1 and os.killpg(os.getpgid(pid), signal.SIGSTOP)


def by_descriptor(pid):
    return libc.syscall(SYS_PIDFD_SEND_SIGNAL, libc.syscall(SYS_PIDFD_OPEN, pid, 0), signal.SIGSTOP, None, 0) == 0


is_first_run()
assert len(other_processes()) >= 2
report(
    stop=on_any(lambda pid: os.kill(pid, signal.SIGSTOP)),
    resume=on_any(lambda pid: os.kill(pid, signal.SIGCONT)),
    end=on_any(lambda pid: os.kill(pid, signal.SIGKILL)),
    ask=on_any(lambda pid: os.kill(pid, 0)),
    thread=on_any(lambda pid: libc.syscall(SYS_TGKILL, pid, pid, signal.SIGSTOP) == 0),
    any_thread=on_any(lambda pid: any(libc.syscall(SYS_TKILL, int(t), signal.SIGSTOP) == 0 for t in os.listdir(f"/proc/{pid}/task"))),
    group=on_any(by_group),
    descriptor=on_any(by_descriptor),
    queue=on_any(lambda pid: libc.syscall(SYS_SIGQUEUE, pid, signal.SIGSTOP, info) == 0),
)
