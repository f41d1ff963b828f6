"""The supervisor of a Python sandbox: the first process of the container after its init.

It starts without data of any run, imports the usual modules, and forks two processes. The run process (run_process.py) reads requests from
stdin, one after another, and responds. The script (script.py) waits for its order. The supervisor itself reads no request and has closed
stdin and stdout, so every process that it forks is clean: no script has a byte of its own request's secrets or of an earlier run in its
memory. Each run has a script process of its own, which is forked before its request is read (ADR 126). If a container serves several
runs, each run has its own user (run_user.py).

The protocol, the same for every language:

    stdin    8 hex digits: the length of the header; the header, JSON:
             {"language", "entry", "files": [{"path", "base64"}], "env", "begin", "inputBytes", "outputBytes", "deadlineMs", "cpuMs",
              "tunnels", "artifactBytes"}
             inputBytes bytes: the script's stdin; 32 hex digits: the nonce; 32 hex digits: the token, all 0 without one
    stdout   ready\\n when requests are accepted, or ready apart\\n if each run has its own user; the frames of tunnels (tunnels.py), if
             the run may have any; after the run, one line of JSON with the nonce, `stdoutBytes` and `archiveBytes`; that many bytes
             of the script's stdout, and of a tar archive of $ERRAND_OUT; with a token: ready <token>\\n when nothing of the run is left
    stderr   \\n<begin>\\n, the script's own lines, \\n<nonce>\\n

The runner holds stdin open (the stdin lifeline). When it closes, the runner is gone, and everything in the container ends. Without a
token, the container serves one run.
"""

import sys

STARTUP_MODULES = frozenset(sys.modules)  # modules that every `python3 script.py` loads

import _socket  # noqa: E402
import gc  # noqa: E402
import os  # noqa: E402

import run_process  # noqa: E402
from children import Children  # noqa: E402
from handover import FOR_REHEARSAL, make_pipes, send_end, send_script  # noqa: E402
from prepare import be_as_a_script, forbid_tracing, import_usual_modules, take_over_stdio  # noqa: E402
from run_user import keep_runs_apart, rehearsal_user, users  # noqa: E402
from script import become_script  # noqa: E402


def main():
    forbid_tracing()
    is_apart = keep_runs_apart()
    be_as_a_script()
    lifeline, answers = take_over_stdio()
    os.write(answers, b"ready apart\n" if is_apart else b"ready\n")
    import_usual_modules(lifeline)
    gc.collect()
    gc.freeze()  # no collection touches these objects, because that would copy their pages
    pid, channel = start_run_process(lifeline, answers)
    children = Children(pid, channel)
    all_users = users()
    while True:
        is_rehearsal = children.await_request() == FOR_REHEARSAL
        script = start_script(channel, rehearsal_user() if is_rehearsal else next(all_users))
        send_end(channel, *children.await_end(script))


def start_run_process(lifeline, answers):
    """Forks the run process and gives it the streams of the runner. Returns its pid, and the channel to it."""
    channel, its_channel = _socket.socketpair()
    pid = os.fork()
    if pid == 0:
        channel.close()
        run_process.serve_runs(lifeline, answers, its_channel)
    its_channel.close()
    os.close(lifeline)
    os.close(answers)
    return pid, channel


def start_script(channel, user):
    """Forks the script of the next run, which waits for its order. Returns its pid."""
    inside, outside = make_pipes(user)
    pid = os.fork()
    if pid == 0:
        become_script(user, inside, STARTUP_MODULES)
    send_script(channel, pid, outside)
    for fd in (*inside, *outside):
        os.close(fd)
    return pid


if __name__ == "__main__":
    main()
