"""
Attack: none. What every script may do, so that the other attacks are known to be told apart from it.
Defence: none is meant: what a script may do must show as done, or an empty list elsewhere would prove nothing.
Expect: ["write_tmp", "start_process", "read_own"]
"""

import os
import subprocess

from attempts import report

report(
    write_tmp=lambda: open("/tmp/x", "w").write("x"),
    start_process=lambda: subprocess.run(["/bin/true"], check=True),
    read_own=lambda: open("/proc/self/environ").read(),
    refused=lambda: os.mkdir("/x"),
    false=lambda: False,
)
