"""
Attack: put symbolic links where a process with more rights might write or read later, and follow links that lead out of
the sandbox.
Defence: no process accesses the files of a sandbox by path; links of /proc lead to closed folders or to those of the
script.
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
