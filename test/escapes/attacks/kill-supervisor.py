"""
Attack: kill everything that can be killed, the supervisor among it.
Defence: none is needed: the container ends, and the run fails as the script's own fault.
Expect: ScriptError
"""

import os
import signal

os.kill(-1, signal.SIGKILL)
os.kill(os.getppid(), signal.SIGKILL)
signal.pause()
