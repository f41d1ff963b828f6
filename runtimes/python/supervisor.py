"""The supervisor of a Python sandbox: the first process of the container after its init, and the only one that stays.

It starts with nothing of anyone's inside, imports the usual modules, and forks an *attendant* (attendant.py), which waits for one
request on stdin, sees that one run through and ends. The supervisor itself reads no request, so whatever it forks is as
pristine as on the first day: that is what lets one container serve many runs of one tool without a byte of the first being in
the memory of the second. Where a container may serve several runs, each has a user of its own (run_user.py).

The protocol, the same for every language:

    stdin    8 hex digits: the length of the header; the header, JSON:
             {"language", "entry", "files": [{"path", "base64"}], "env", "begin", "inputBytes", "outputBytes", "deadlineMs", "cpuMs",
              "tunnels", "artifactBytes"}
             inputBytes bytes: the script's stdin; 32 hex digits: the nonce; 32 hex digits: the token, all 0 for none
    stdout   ready\\n once requests are taken, or ready apart\\n where each run has a user of its own; the frames of tunnels (tunnels.py), where the run may have any; after the run one line
             of JSON with the nonce, `stdoutBytes` and `archiveBytes`, that many bytes of what the script printed, and a tar archive
             of that many bytes of what it left in $ERRAND_OUT; where a token was given: ready <token>\\n when nothing of the run is left
    stderr   \\n<begin>\\n, the script's own lines, \\n<nonce>\\n

The pipe at stdin stays open: its end is the lifeline. When it closes, whoever asked is gone, and everything here dies. Where no
token is given, the container serves that one run.
"""

import sys

STARTUP_MODULES = frozenset(sys.modules)  # what any `python3 script.py` has loaded, too

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
    gc.freeze()  # what is here stays: no collection shall touch, and so copy, its pages
    for user in users():
        token = attend(lifeline, answers, user)
        if token == NO_TOKEN or not leave_nothing.behind(user):
            return
        if select.select([lifeline], [], [], 0)[0]:  # nobody who asks speaks before we are ready
            return
        os.write(answers, b"ready " + token + b"\n")


def attend(lifeline, answers, user):
    """Forks the attendant of the next run and outlives it. Returns the token that the request held."""
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
