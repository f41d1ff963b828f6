"""
Attack: print without end.
Defence: the supervisor keeps at most `outputKb`, then kills the script.
Expect: ResourceLimitError outputKb
"""

import sys

while True:
    sys.stdout.write("x" * 65536)
