"""
Attack: leave files and folders where the next run may find them: closed folders, links, deep trees, names that are not
UTF-8, in /tmp and in the folder of the script. Change the folders themselves.
Defence: /tmp and /script belong to the supervisor. Both are emptied; a container whose folders cannot be emptied is not
reused.
Runs: 4
Expect: []
"""

import os
import stat

from attempts import is_first_run, report


def litter():
    os.makedirs("/tmp/closed/inside")
    open("/tmp/closed/inside/left", "w").write("left")
    os.symlink("/etc", "/tmp/link")
    os.symlink("/proc/self/fd", "/tmp/out/fds")
    os.link("/tmp/closed/inside/left", "/tmp/hard")
    os.mkfifo("/tmp/fifo")
    open(b"/tmp/\xff\xfe\n", "w").close()
    folder = "/tmp/deep"
    for _ in range(60):
        os.mkdir(folder)
        folder += "/d"
    os.chmod("/tmp/closed/inside", 0)
    os.chmod("/tmp/closed", 0)


first = is_first_run()
if first:
    litter()
report(
    left_in_tmp=lambda: not first and os.listdir("/tmp") != ["out"],
    left_in_out=lambda: not first and os.listdir("/tmp/out") != [],
    left_in_script=lambda: sorted(os.listdir("/script")) != [".in", "attempts.py", "reuse-files.py"],
    new_in_script=lambda: open("/script/left.py", "x"),
    changed_script=lambda: open("/script/attempts.py", "a"),
    opened_script=lambda: os.chmod("/script", 0o777),
    opened_file=lambda: os.chmod("/script/attempts.py", 0o666),
    removed_file=lambda: os.unlink("/script/attempts.py"),
    closed_tmp=lambda: os.chmod("/tmp", 0o700),
    took_tmp=lambda: os.chown("/tmp", os.getuid(), -1),
    moved_tmp=lambda: os.rename("/tmp", "/moved"),
    mode_of_tmp=lambda: stat.S_IMODE(os.stat("/tmp").st_mode) != 0o1777,
)
