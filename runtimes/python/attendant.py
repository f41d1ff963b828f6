"""The run process: reads the request, runs the script (run.py), and responds. In a container that serves one run, it has the rights of
the script, which can only falsify its own response. In a container that serves several runs, it has the rights of the supervisor.
"""

import errno
import json
import os
import select

import leave_nothing
from descriptors import read_exactly, write_all
from outgoing import collect
from run import Run

SECRETS = 64
LINGER = 2.0


def attend(lifeline, answers, tell, user, startup_modules):
    """Serves one run. It never returns: it exits with 0 after it wrote the token, or with 1 if the runner is gone."""
    header = json.loads(read_exactly(lifeline, int(read_exactly(lifeline, 8), 16)))
    script_input = read_exactly(lifeline, header["inputBytes"])
    fault, run = None, None
    try:
        run = Run(header, script_input, lifeline, answers, user, startup_modules)
    except OSError as error:
        fault = {"fault": str(error), "code": errno.errorcode.get(error.errno)}
    # The script's process exists but waits, so it has the secrets neither in its memory nor from the pipe.
    secrets = read_exactly(lifeline, SECRETS)
    nonce, token = secrets[:32], secrets[32:]
    if run is None:
        answer(answers, nonce, fault)
    else:
        run.watch()
        archive, outgoing = b"", {}
        # Runs with the script's rights when no other process is left, so that no path can change its meaning.
        if "artifactBytes" in header and (not user.is_apart or leave_nothing.end_everyone(user)):
            with user:
                archive, outgoing = collect(header["env"]["ERRAND_OUT"], header["artifactBytes"])
        answer(answers, nonce, {**run.report(), **outgoing}, run.stdout, archive)
    if run and run.tunnels and int(token, 16):
        run.tunnels.await_end()
    if not int(token, 16):
        select.select([lifeline], [], [], LINGER)  # an immediate exit could cut the response off
    os.write(tell, token)
    os._exit(0)


def answer(answers, nonce, report, stdout=b"", archive=b""):
    """Writes the frame, then the end mark of the log. The script may have made the shared stderr non-blocking."""
    lengths = {"stdoutBytes": len(stdout), "archiveBytes": len(archive)}
    head = json.dumps({**report, "nonce": nonce.decode(), **lengths}).encode()
    write_all(answers, head + b"\n" + stdout + archive)
    os.set_blocking(2, True)
    write_all(2, b"\n" + nonce + b"\n")
