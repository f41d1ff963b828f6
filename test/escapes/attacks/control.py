"""
Attack: none. The script does what every script may do.
Defence: none. The list must not be empty: it proves that the other attacks print an empty list because of a refusal.
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
