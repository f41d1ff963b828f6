"""
Attack: leave a watch on the folders of scripts and on /proc, from a daemon that records the activity of later runs.
Defence: a watch ends with its process, and no process of an earlier run remains.
Runs: 4
Expect: []
"""

import ctypes
import os

from attempts import is_first_run, leave_daemon, report

libc = ctypes.CDLL(None, use_errno=True)
ALL_EVENTS = 0xFFF


def watch(begin):
    fd = libc.inotify_init()
    for folder in (b"/tmp", b"/script", b"/opt/errand", b"/"):
        libc.inotify_add_watch(fd, folder, ALL_EVENTS)
    begin()
    while True:
        events = os.read(fd, 4096)
        os.write(2, b"seen " + events[16:] + b"\n")
        with open("/tmp/seen", "ab") as seen:
            seen.write(events)


if is_first_run():
    leave_daemon(watch)
    report()
else:
    report(seen=lambda: os.path.exists("/tmp/seen"))
