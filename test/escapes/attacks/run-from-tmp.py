"""
Attack: bring or create a program and run it; give it a set-user-id bit.
Defence: /tmp and /script are mounted noexec and nosuid. (A script can always feed code to an interpreter; it cannot run
its own binary.)
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
