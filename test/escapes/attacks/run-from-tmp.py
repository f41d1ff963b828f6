"""
Attack: bring a program along, or make one, and run it; give it a set-user-id bit.
Defence: /tmp and /script are mounted noexec and nosuid. (An interpreter can always be fed; a binary of one's own cannot be run.)
Expect: []
"""

import ctypes
import os
import shutil
import subprocess

from attempts import report


def run_copy():
    shutil.copy("/bin/true", "/tmp/true")
    os.chmod("/tmp/true", 0o4755)
    subprocess.run(["/tmp/true"], check=True)


def load_copy():
    shutil.copy(next(path for path in libraries() if "libc.so" in path), "/tmp/own.so")
    ctypes.CDLL("/tmp/own.so")


def libraries():
    with open("/proc/self/maps") as maps:
        return [line.split()[-1] for line in maps if "/" in line]


report(run_copy=run_copy, load_copy=load_copy)
