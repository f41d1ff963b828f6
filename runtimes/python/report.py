"""Reports how the process of a script ended."""

import json
import os
import signal

MAX_TOLD = 65536


def report_of(status, peak_kb, told):
    """`status` comes from wait4. `peak_kb` is the most memory that it used, in KiB. `told` is the pipe on which the script can have reported an exception."""
    code = os.waitstatus_to_exitcode(status)
    return {
        "exitCode": code if code >= 0 else None,
        "signal": signal_name(-code) if code < 0 else None,
        "peakMemoryKb": peak_kb,
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
