"""
Attack: keep every CPU of the host busy with as many processes as possible.
Defence: all processes share one CPU in the control group, and the CPU time of all of them is counted.
Limits: {"timeoutMs": 1500}
Expect: TimeoutError
"""

import os

for _ in range(8):
    if os.fork() == 0:
        break
while True:
    pass
