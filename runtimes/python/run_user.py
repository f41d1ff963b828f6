"""The users of a container that serves several runs (ADR 76).

Such a container starts as root with two capabilities. The supervisor keeps one, CAP_SETUID, and gives each run a user that no earlier
run had. The supervisor's pipes belong to root, so no run can open them, and no run can signal, trace or read the supervisor.
A container that serves one run starts as that run's user, and everything here does nothing.
"""

import _ctypes
import os
import struct

FIRST, LAST = 65533, 65034  # the runner gives a container at most 500 runs
REHEARSAL = LAST - 1
RUN_PROCESS = LAST - 2
PR_CAPBSET_READ, PR_CAPBSET_DROP = 23, 24
CAP_SETUID = 7
CAPABILITY_VERSION_3 = 0x20080522
STDERR = 2
WRITE_ONLY_FOR_OTHERS = 0o622


class RunUser:
    """The user of one run. `with user:` runs code with the rights of the run. With uid None, the supervisor and the run are the same user."""

    def __init__(self, uid=None):
        self.uid = uid

    @property
    def is_apart(self):
        return self.uid is not None

    def __enter__(self):
        """Only the effective user changes, so the run cannot signal this process: its real and saved user are no user of a run."""
        if self.is_apart:
            os.seteuid(self.uid)

    def __exit__(self, *_):
        if self.is_apart:
            os.seteuid(0)

    def become(self):
        """Changes the user for good. The kernel removes all capabilities of a process whose three users all leave root."""
        if self.is_apart:
            os.setresuid(self.uid, self.uid, self.uid)


def users():
    """Yields a user for each run. It ends after the last number, because no user may be used twice."""
    if os.geteuid() != 0:
        while True:
            yield RunUser()
    for uid in range(FIRST, LAST - 1, -1):
        yield RunUser(uid)


def rehearsal_user():
    """Returns a user that no run has."""
    return RunUser() if os.geteuid() != 0 else RunUser(REHEARSAL)


def leave_supervisor():
    """
    Gives the run process a real user of its own. It may signal all processes of its real and its effective user. With the real user
    root, `kill(-1)` for a run would reach the supervisor too.
    """
    if os.geteuid() == 0:
        os.setresuid(RUN_PROCESS, 0, 0)


def keep_runs_apart():
    """Drops all capabilities except CAP_SETUID. Lets scripts write to the path of the shared stderr, but not read it."""
    if os.getuid() != 0:
        return False
    libc = _ctypes.dlopen(None, 0)
    prctl, capset = _ctypes.dlsym(libc, "prctl"), _ctypes.dlsym(libc, "capset")
    capability = 0
    while _ctypes.call_function(prctl, (PR_CAPBSET_READ, capability, 0, 0, 0)) >= 0:
        if _ctypes.call_function(prctl, (PR_CAPBSET_DROP, capability, 0, 0, 0)) != 0:
            raise SystemExit(f"capability {capability} could not be dropped")
        capability += 1
    header = struct.pack("Ii", CAPABILITY_VERSION_3, 0)
    kept = struct.pack("6I", 1 << CAP_SETUID, 1 << CAP_SETUID, 0, 0, 0, 0)
    if _ctypes.call_function(capset, (header, kept)) != 0:
        raise SystemExit("the capabilities could not be reduced to CAP_SETUID")
    try:
        os.fchmod(STDERR, WRITE_ONLY_FOR_OTHERS)
    except OSError:  # in gVisor, scripts can use the descriptor, but not its path
        pass
    return True
