"""
Attack: plant code where the next interpreter would load it: preloaded libraries, start-up files, caches, packages, user
settings.
Defence: only /tmp is writable, /tmp is emptied, and the environment of each run is built again.
Runs: 4
Expect: []
"""

import os
import sys

from attempts import is_first_run, report

PLANT = "import os; os.environ['POISONED'] = '1'\n"
OUTSIDE = [
    "/etc/ld.so.preload", "/etc/passwd", "/opt/errand/supervisor.py", "/opt/errand/__pycache__/run.cpython-311.pyc", "/opt/errand/site/x.pth",
    "/usr/lib/python3/dist-packages/x.pth", "/usr/local/lib/python3.11/dist-packages/x.pth", "/script/json.py", "/script/__pycache__/attempts.cpython-311.pyc",
    "/nonexistent/.bashrc", "/var/tmp/x", "/run/x", "/dev/x", "/home/x", "/proc/sys/kernel/core_pattern", "/sys/fs/cgroup/x",
]
INSIDE = ["/tmp/sitecustomize.py", "/tmp/usercustomize.py", "/tmp/.pythonrc", "/tmp/.local/lib/python3.11/site-packages/x.pth", "/tmp/__pycache__/json.cpython-311.pyc"]


def write(path):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w") as file:
        file.write(PLANT)


first = is_first_run()
if first:
    for path in INSIDE:
        write(path)
    os.environ["LD_PRELOAD"] = "/tmp/x.so"
    sys.modules["json"].POISONED = True
report(
    environment=lambda: not first and ("POISONED" in os.environ or "LD_PRELOAD" in os.environ),
    module=lambda: not first and hasattr(sys.modules["json"], "POISONED"),
    left=lambda: not first and any(map(os.path.exists, INSIDE)),
    **{path: lambda path=path: write(path) for path in OUTSIDE},
)
