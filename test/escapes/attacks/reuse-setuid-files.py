"""
Attack: leave programs with the setuid and setgid bits in /tmp, so that a later run can become the user of this run.
Defence: no program starts from /tmp, these bits have no effect there, no process gains privileges, and /tmp is emptied.
Runs: 3
Expect: []
"""

import os
import shutil
import subprocess

from attempts import is_first_run, report

PLACES = ["/tmp/shell", "/tmp/out/shell", "/tmp/deep/down/shell"]


def becomes_other(path):
    return subprocess.run([path, "-p", "-c", "id -u"], capture_output=True).stdout.decode().strip() not in ("", str(os.getuid()))


if is_first_run():
    for place in PLACES:
        os.makedirs(os.path.dirname(place), exist_ok=True)
        shutil.copy("/bin/sh", place)
        os.chmod(place, 0o6755)
    report(**{place: lambda place=place: becomes_other(place) for place in PLACES})
else:
    report(left=lambda: any(map(os.path.exists, PLACES)), **{place: lambda place=place: becomes_other(place) for place in PLACES})
