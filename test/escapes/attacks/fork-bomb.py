"""
Attack: fork without end.
Defence: `PidsLimit`. The supervisor needs no process more to see the script fail, and the container's end takes all of them.
Limits: {"pids": 32}
Expect: ResourceLimitError pids
"""

import os

while True:
    os.fork()
