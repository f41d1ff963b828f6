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
    Kills all processes of the run in one call, so that no fork can escape. Returns true when /proc shows only the container's init,
    the supervisor and this process.
    """
    ours = {str(pid) for pid in (INIT, os.getppid(), os.getpid())}
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        try:
            with user:
                os.kill(-1, signal.SIGKILL)
        except (ProcessLookupError, PermissionError):
            pass  # no process of the run is left
        if all(name in ours for name in os.listdir("/proc") if name.isdigit()):
            return True
        time.sleep(0.0005)  # until init and the supervisor have reaped the others
    return False


def empty(folder):
    """No other process is left, so no path can change its meaning. A tree that is too deep is not proven clean."""
    for entry in os.scandir(folder):
        if entry.is_dir(follow_symlinks=False):
            os.chmod(entry.path, 0o700)
            empty(entry.path)
            os.rmdir(entry.path)
        else:
            os.unlink(entry.path)
