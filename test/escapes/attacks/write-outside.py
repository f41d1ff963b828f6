"""
Attack: write outside of /tmp: into the system, the supervisor, the folder of the script, shared memory.
Defence: `ReadonlyRootfs`, user 65534, no /dev/shm (`IpcMode: none`), files of the script with mode 0444 in folders with
mode 0555.
Expect: []
"""

from attempts import report


def write(path):
    return lambda: open(path, "a").write("x")


report(
    root=write("/x"),
    etc=write("/etc/passwd"),
    bin=write("/usr/local/bin/x"),
    var=write("/var/tmp/x"),
    run=write("/run/x"),
    home=write("/root/x"),
    supervisor=write("/opt/errand/supervisor.py"),
    beside=write("/script/x.py"),
    itself=write(__file__),
    shared_memory=write("/dev/shm/x"),
    device=write("/dev/x"),
)
