"""
Attack: put symbolic links where somebody with more rights might write or read later, and follow those that lead out.
Defence: nobody writes into or reads from a sandbox by path; what /proc links to is closed or one's own.
Expect: []
"""

import os
import shutil

from attempts import report


def replace_out():
    shutil.rmtree("/tmp/out")
    os.symlink("/etc", "/tmp/out")
    return open("/tmp/out/passwd", "a").write("x")


report(
    replace_out=replace_out,
    replace_script=lambda: os.symlink("/etc/passwd", "/script/link"),
    out_of_root=lambda: os.path.exists("/proc/self/root/../../../var/lib/docker"),
    out_through_init=lambda: os.path.exists("/proc/1/root/../../../var/lib/docker"),
    supervisor_root=lambda: os.stat(f"/proc/{os.getppid()}/root/"),
)
