"""
Attack: keep every CPU of the host busy with as many processes as there may be.
Defence: all share one CPU by the control group, and the CPU time of all together is counted.
Limits: {"timeoutMs": 1500}
Expect: TimeoutError
"""

import os

for _ in range(8):
    if os.fork() == 0:
        break
while True:
    pass
