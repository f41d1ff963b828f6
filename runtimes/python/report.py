"""Reports how the process of a script ended."""

import json
import os
import signal

MAX_TOLD = 65536
MOST_KB = 2**40
# An exception is JSON, which has no such byte.
NOTICE = b"\0"


def end_notice(code, peak_kb):
    """The last bytes of a script in its report: it exits with `code` now. `peak_kb` is the most memory that it used, in KiB."""
    return b"%c%d %d%c" % (NOTICE, code, peak_kb, NOTICE)


def read_notice(told):
    """
    Returns the status as from wait4 and the most memory, or None if `told` has no notice. A script can write one and go on. It gains
    nothing: from then on it is a remaining process, like a child that outlives a script.
    """
    *_, notice, end = [b"", b"", *told.split(NOTICE)]
    try:
        code, peak_kb = map(int, notice.split())
    except ValueError:
        return None
    if end or not 0 <= peak_kb <= MOST_KB:
        return None
    return (code & 0xFF) << 8, peak_kb


def report_of(status, peak_kb, told):
    """`status` is as from wait4. `peak_kb` is the most memory that it used, in KiB. `told` has the exception that the script can have reported."""
    code = os.waitstatus_to_exitcode(status)
    return {
        "exitCode": code if code >= 0 else None,
        "signal": signal_name(-code) if code < 0 else None,
        "peakMemoryKb": peak_kb,
        "exception": read_exception(told),
    }


def read_exception(told):
    try:
        return json.loads(told.partition(NOTICE)[0])
    except (ValueError, RecursionError):  # the script reported none, or wrote other bytes
        return None


def signal_name(number):
    try:
        return signal.Signals(number).name
    except ValueError:  # a real-time signal
        return f"SIG{number}"
