"""
Attack: fork without end.
Defence: `PidsLimit`. The supervisor needs no additional process to see the script fail, and the end of the container
ends all processes.
Limits: {"pids": 32}
Expect: ResourceLimitError pids
"""

import os

while True:
    os.fork()
