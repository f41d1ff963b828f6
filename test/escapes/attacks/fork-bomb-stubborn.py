"""
Attack: fork without end and ignore refusals, so that the script itself never fails.
Defence: the supervisor ends a script after 1,000 refused processes; the control group counts them.
Limits: {"pids": 32}
Expect: ResourceLimitError pids
"""

import os

while True:
    try:
        os.fork()
    except OSError:
        pass
