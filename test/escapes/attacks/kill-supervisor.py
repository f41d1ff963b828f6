"""
Attack: kill every process that can be killed, including the supervisor.
Defence: none is needed: the container ends, and the run fails with a ScriptError.
Expect: ScriptError
"""

import os
import signal

os.kill(-1, signal.SIGKILL)
os.kill(os.getppid(), signal.SIGKILL)
signal.pause()
