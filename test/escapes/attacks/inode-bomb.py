"""
Attack: use up the file system with empty files, which a size limit does not count.
Defence: `nr_inodes` of /tmp.
Expect: ResourceLimitError tmpMb
"""

import itertools

for number in itertools.count():
    open(f"/tmp/{number}", "w").close()
