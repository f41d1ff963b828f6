"""
Attack: become the user of the supervisor or of another run, and use its rights: user, groups, capabilities, files.
Defence: the process of a script has no capability in any set and may gain none; its real, effective and saved user are
its own.
Runs: 3
Expect: []
"""

import ctypes
import os
import threading

from attempts import is_first_run, report

libc = ctypes.CDLL(None, use_errno=True)
PR_CAPBSET_READ, PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, PR_SET_KEEPCAPS, PR_SET_SECUREBITS = 23, 47, 2, 8, 28
CAPSET = bytes.fromhex("22052008" "00000000"), b"\xff" * 24


def status(name):
    with open("/proc/thread-self/status") as lines:
        return next(line.split()[1:] for line in lines if line.startswith(f"{name}:"))


def in_thread(check):
    found = []
    thread = threading.Thread(target=lambda: found.append(check()))
    thread.start()
    thread.join()
    return found[0]


def has_capabilities():
    return any(int(status(name)[0], 16) for name in ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"))


is_first_run()
own = os.getuid()
report(
    is_root=lambda: 0 in (*os.getresuid(), *os.getresgid(), *os.getgroups()),
    has_several_users=lambda: len(set(status("Uid"))) != 1,
    capabilities=has_capabilities,
    capabilities_of_thread=lambda: in_thread(has_capabilities),
    may_gain=lambda: status("NoNewPrivs") != ["1"],
    no_filter=lambda: status("Seccomp") != ["2"],
    bounding=lambda: any(libc.prctl(PR_CAPBSET_READ, number, 0, 0, 0) == 1 for number in range(41)),
    ambient=lambda: any(libc.prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, number, 0, 0) == 0 for number in range(41)),
    set_capabilities=lambda: libc.capset(*CAPSET) == 0,
    secure_bits=lambda: libc.prctl(PR_SET_SECUREBITS, 0, 0, 0, 0) == 0,
    root=lambda: os.setuid(0),
    effective_root=lambda: os.seteuid(0),
    saved_root=lambda: os.setresuid(-1, -1, 0),
    next_run=lambda: os.setuid(own - 1),
    earlier_run=lambda: os.setuid(own + 1),
    nobody=lambda: os.setuid(65534),
    root_group=lambda: os.setgid(0),
    groups=lambda: os.setgroups([0]),
    give_away=lambda: os.chown(os.environ["ERRAND_OUT"], own - 1, -1),
    change_root=lambda: os.chroot("/tmp"),
    device=lambda: os.mknod("/tmp/disk", 0o60666, os.makedev(8, 0)),
)
