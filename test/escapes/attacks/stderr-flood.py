"""
Attack: log without end, in one line.
Defence: the runner keeps 64 KiB, drops the rest as it comes, and at a cap closes the stream, then kills.
Expect: ResourceLimitError log
"""

import sys

while True:
    sys.stderr.write("x" * 65536)
