"""
Attack: stop the supervisor, so that it sees neither its deadline nor the end of its stdin lifeline.
Defence: the runner measures the time outside of the container and kills the container through the Docker engine.
Limits: {"timeoutMs": 500}
Expect: TimeoutError
"""

import os
import signal

os.kill(os.getppid(), signal.SIGSTOP)
signal.pause()
