"""Removes everything of a run before the next run of the same tool.

It removes processes, files, and the flags of the shared open file. The seccomp profile refuses everything else that could outlast a
run: shared memory, queues, semaphores, keys, attributes of files, limits and priorities of other processes. A container that cannot be
proven clean is not used again.
"""

import fcntl
import os
import signal
import time

WRITABLE = {"/tmp": 0o1777, "/script": 0o755}
PATIENCE = 1.0
STDERR = 2
INIT = 1


def behind(user):
    """Returns true if nothing is left."""
    if not end_everyone(user):
        return False
    fcntl.fcntl(STDERR, fcntl.F_SETFL, 0)
    fcntl.fcntl(STDERR, fcntl.F_SETOWN, 0)
    try:
        empty_folders(user)
    except (OSError, RecursionError):
        return False
    return True


def empty_folders(user):
    """Makes all writable folders as they are in a new container."""
    for folder, mode in WRITABLE.items():
        os.chmod(folder, mode)
    with user:
        empty("/tmp")
    empty("/script")
    for folder in WRITABLE:
        os.utime(folder, (0, 0))


def end_everyone(user):
    """
    Kills all processes of the run. Returns true when /proc shows only the container's init, the supervisor and this process.
    """
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        # One call, so that no fork can escape. Where the supervisor has the same user, the call would reach it, too.
        for pid in [-1] if user.is_apart else others():
            kill(pid, user)
        if not others():
            return True
        time.sleep(0.0005)  # until init and the supervisor have reaped the others
    return False


def kill(pid, user):
    try:
        with user:
            os.kill(pid, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        pass  # no process of the run is left


def others():
    ours = (INIT, os.getppid(), os.getpid())
    return [int(name) for name in os.listdir("/proc") if name.isdigit() and int(name) not in ours]


def empty(folder):
    """No other process is left, so no path can change its meaning. A tree that is too deep is not proven clean."""
    for entry in os.scandir(folder):
        if entry.is_dir(follow_symlinks=False):
            os.chmod(entry.path, 0o700)
            empty(entry.path)
            os.rmdir(entry.path)
        else:
            os.unlink(entry.path)
