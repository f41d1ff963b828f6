"""The supervisor of a Python sandbox: the first process of the container after its init, and the only one that stays.

It starts without data of any run, imports the usual modules, and forks a run process (attendant.py). The run process waits for one
request on stdin, serves this run and exits. The supervisor itself reads no request, so every process that it forks is clean. One
container can therefore serve many runs of one tool, and no run has a byte of an earlier one in its memory. If a container serves
several runs, each run has its own user (run_user.py).

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

import gc  # noqa: E402
import os  # noqa: E402
import select  # noqa: E402

import attendant  # noqa: E402
import leave_nothing  # noqa: E402
from prepare import be_as_a_script, forbid_tracing, hear_of_children, import_usual_modules, take_over_stdio  # noqa: E402
from run_user import keep_runs_apart, users  # noqa: E402

NO_TOKEN = b"0" * 32


def main():
    forbid_tracing()
    is_apart = keep_runs_apart()
    hear_of_children()
    be_as_a_script()
    lifeline, answers = take_over_stdio()
    os.write(answers, b"ready apart\n" if is_apart else b"ready\n")
    import_usual_modules(lifeline)
    gc.collect()
    gc.freeze()  # no collection touches these objects, because that would copy their pages
    for user in users():
        token = attend(lifeline, answers, user)
        if token == NO_TOKEN or not leave_nothing.behind(user):
            return
        if select.select([lifeline], [], [], 0)[0]:  # an honest runner sends nothing before the supervisor is ready
            return
        os.write(answers, b"ready " + token + b"\n")


def attend(lifeline, answers, user):
    """Forks the run process of the next run and waits for its end. Returns the token of the request."""
    token_pipe, tell = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(token_pipe)
        attendant.attend(lifeline, answers, tell, user, STARTUP_MODULES)
    os.close(tell)
    _, status = os.waitpid(pid, 0)
    code = os.waitstatus_to_exitcode(status)
    if code != 0:
        os._exit(code if code > 0 else 128 - code)
    token = os.read(token_pipe, len(NO_TOKEN))
    os.close(token_pipe)
    return token


if __name__ == "__main__":
    main()
