"""
Attack: log without end, in one line.
Defence: the runner keeps 64 KiB, drops the rest as it arrives, closes the stream at a limit, and then kills.
Expect: ResourceLimitError log
"""

import sys

while True:
    sys.stderr.write("x" * 65536)
