"""Reports how the process of a script ended."""

import json
import os
import signal

MAX_TOLD = 65536


def report_of(status, usage, told):
    """`status` and `usage` come from wait4. `told` is the pipe on which the script can have reported an exception."""
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
    except (BlockingIOError, ValueError, RecursionError):  # the script reported none, or wrote other bytes
        return None


def signal_name(number):
    try:
        return signal.Signals(number).name
    except ValueError:  # a real-time signal
        return f"SIG{number}"
