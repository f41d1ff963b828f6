"""The run process: reads the requests, runs the scripts (run.py), and responds. In a container that serves one run, it has the rights of
the script, which can only falsify its own response. In a container that serves several runs, it has the rights of the supervisor.
"""

import errno
import json
import os
import select

import leave_nothing
from descriptors import read_exactly, write_all
from handover import ask_for_script, receive_script
from outgoing import collect
from rehearse import rehearse
from run import Run
from run_user import leave_supervisor, users

SECRETS = 64
NO_TOKEN = b"0" * 32
LINGER = 2.0
# Without a request in this time, in seconds, the container waits in a pool.
CALM = 0.01


def serve_runs(lifeline, answers, channel):
    """Serves runs until the container must not serve another one. Never returns: it exits with 0, or with 1 if the runner is gone."""
    leave_supervisor()
    streams = lifeline, answers, channel
    if not has_come(lifeline, CALM):
        rehearse(answers, channel)
    ask_for_script(channel)
    for user in users():
        token, run = serve(streams, user)
        if token == NO_TOKEN:
            select.select([lifeline], [], [], LINGER)  # an immediate exit could cut the response off
            break
        # An honest runner sends nothing before the run process is ready.
        run.end_script()
        if not leave_nothing.behind(user) or has_come(lifeline, 0):
            break
        ask_for_script(channel)
        os.write(answers, b"ready " + token + b"\n")
    os._exit(0)


def has_come(lifeline, seconds):
    """Whether bytes of the runner wait, or come within this time."""
    return bool(select.select([lifeline], [], [], seconds)[0])


def serve(streams, user):
    """Serves one run. Returns the token of its request with the run, or NO_TOKEN if the container must not serve another one."""
    lifeline, answers, channel = streams
    header = json.loads(read_exactly(lifeline, int(read_exactly(lifeline, 8), 16)))
    script_input = read_exactly(lifeline, header["inputBytes"])
    secrets = read_exactly(lifeline, SECRETS)
    nonce, token = secrets[:32], secrets[32:]
    script = receive_script(channel)
    try:
        run = Run(header, script_input, script, streams, user)
    except OSError as error:
        answer(answers, nonce, {"fault": str(error), "code": errno.errorcode.get(error.errno)})
        return NO_TOKEN, None
    run.watch()
    archive, outgoing = b"", {}
    # Runs with the script's rights when no other process is left, so that no path can change its meaning.
    if "artifactBytes" in header and (not user.is_apart or ends(run, user)):
        with user:
            archive, outgoing = collect(header["env"]["ERRAND_OUT"], header["artifactBytes"])
    answer(answers, nonce, {**run.report(), **outgoing}, run.stdout, archive)
    if run.tunnels and token != NO_TOKEN:
        run.tunnels.await_end()
    script.close()
    return token, run


def ends(run, user):
    """Ends all processes of the run. Returns whether none is left."""
    run.end_script()
    return leave_nothing.end_everyone(user)


def answer(answers, nonce, report, stdout=b"", archive=b""):
    """
    Writes the end mark of the log, then the frame. The engine carries the mark while the frame is made. The script may have made the
    shared stderr non-blocking.
    """
    os.set_blocking(2, True)
    write_all(2, b"\n" + nonce + b"\n")
    lengths = {"stdoutBytes": len(stdout), "archiveBytes": len(archive)}
    head = json.dumps({**report, "nonce": nonce.decode(), **lengths}).encode()
    write_all(answers, head + b"\n" + stdout + archive)
