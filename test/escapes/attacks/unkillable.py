"""
Attack: refuse to end: all signals ignored, a new session, a child that starts itself anew.
Defence: SIGKILL of the container cannot be ignored, and a process namespace leaves nobody behind.
Limits: {"timeoutMs": 500}
Expect: TimeoutError
"""

import os
import signal

for number in set(signal.Signals) - {signal.SIGKILL, signal.SIGSTOP}:
    signal.signal(number, signal.SIG_IGN)
while True:
    child = os.fork()
    if child:
        os.waitpid(child, 0)
    else:
        os.setsid()
        signal.pause()
