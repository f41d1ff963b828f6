"""How a process ended that was a script."""

import json
import os
import signal

MAX_TOLD = 65536


def report_of(status, usage, told):
    """`status` and `usage` are those of wait4; `told` is the pipe on which it may have told of an exception."""
    code = os.waitstatus_to_exitcode(status)
    return {
        "exitCode": code if code >= 0 else None,
        "signal": signal_name(-code) if code < 0 else None,
        "peakMemoryKb": usage.ru_maxrss,
        "exception": read_exception(told),
    }


def read_exception(told):
    try:
        return json.loads(os.read(told, MAX_TOLD))
    except (BlockingIOError, ValueError, RecursionError):  # it told of none, or somebody else wrote
        return None


def signal_name(number):
    try:
        return signal.Signals(number).name
    except ValueError:  # a real-time signal
        return f"SIG{number}"
