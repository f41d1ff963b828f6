"""
Attack: create namespaces, mount file systems, change the root folder and become root: the first steps of most escapes.
Defence: no capabilities, no new privileges, and the engine's seccomp profile.
Expect: []
"""

import ctypes
import os
import subprocess

from attempts import report

libc = ctypes.CDLL(None, use_errno=True)
NEW_USER, NEW_NAMESPACE, NEW_NETWORK = 0x10000000, 0x00020000, 0x40000000


def became_root(*command):
    return lambda: subprocess.run(command, capture_output=True, input=b"", timeout=5).stdout.startswith(b"uid=0")


report(
    user_namespace=lambda: libc.unshare(NEW_USER) == 0,
    mount_namespace=lambda: libc.unshare(NEW_NAMESPACE) == 0,
    network_namespace=lambda: libc.unshare(NEW_NETWORK) == 0,
    join=lambda: libc.setns(os.open("/proc/1/ns/mnt", os.O_RDONLY), 0) == 0,
    mount=lambda: libc.mount(b"proc", b"/tmp", b"proc", 0, None) == 0,
    remount=lambda: libc.mount(None, b"/", None, 0x20, None) == 0,
    unmount=lambda: libc.umount2(b"/sys/fs/cgroup", 2) == 0,
    change_root=lambda: os.chroot("/tmp"),
    root_user=lambda: os.setuid(0),
    root_group=lambda: os.setgid(0),
    own=lambda: os.chown("/tmp", 0, 0),
    module=lambda: libc.syscall(175, b"", 0, b"") == 0,
    program=lambda: libc.syscall(321, 0, None, 0) >= 0,
    su=became_root("su", "-c", "id"),
)
