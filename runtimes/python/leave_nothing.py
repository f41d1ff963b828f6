"""Between two runs of one tool: nothing of the first may be there for the second.

Processes, files, and the flags of the one open file that both share. Everything else that could outlast a run (shared memory,
queues, semaphores, keys, attributes of files, limits and priorities of other processes) is refused by the seccomp profile.
What cannot be proven clean is not used again.
"""

import fcntl
import os
import signal
import time

WRITABLE = {"/tmp": 0o1777, "/script": 0o755}
PATIENCE = 1.0
STDERR = 2


def behind():
    """True when nothing is left."""
    if not end_everyone():
        return False
    fcntl.fcntl(STDERR, fcntl.F_SETFL, 0)
    try:
        for folder, mode in WRITABLE.items():
            empty(folder, mode)
            os.utime(folder, (0, 0))
    except (OSError, RecursionError):
        return False
    return True


def end_everyone():
    """Kills all but the container's init and this process, in one call that no fork can outrun, until nobody is found."""
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        try:
            os.kill(-1, signal.SIGKILL)
        except ProcessLookupError:
            return True
        time.sleep(0.0005)  # until init has reaped them
    return False


def empty(folder, mode):
    """Nobody else is left, so no path changes its meaning on the way. A tree too deep for this is not proven clean."""
    os.chmod(folder, mode)
    for entry in os.scandir(folder):
        if entry.is_dir(follow_symlinks=False):
            empty(entry.path, 0o700)
            os.rmdir(entry.path)
        else:
            os.unlink(entry.path)
