"""
Attack: fork without end, and take no refusal for an answer, so that the script itself never fails.
Defence: who is refused a process a thousand times is ended; the control group counts.
Limits: {"pids": 32}
Expect: ResourceLimitError pids
"""

import os

while True:
    try:
        os.fork()
    except OSError:
        pass
