"""
Attack: use up the file system with empty files, which no size limit counts.
Defence: `nr_inodes` of /tmp.
Expect: ResourceLimitError tmpMb
"""

import itertools

for number in itertools.count():
    open(f"/tmp/{number}", "w").close()
