"""
Attack: refuse to end: ignore all signals, start a new session and a child that restarts itself.
Defence: a process cannot ignore SIGKILL of the container, and a process namespace ends all processes with its init.
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
