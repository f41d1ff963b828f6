"""
Attack: leave a daemon behind that holds stdout and stderr open and goes on logging.
Defence: the result waits for the script only; the daemon dies with the container.
Limits: {"timeoutMs": 20000}
Expect: []
"""

import os
import signal
import sys
import time

print("[]", flush=True)
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        while True:
            print("still here", file=sys.stderr, flush=True)
            time.sleep(0.01)
