"""
Attack: write a forged result into the channel to the runner, through the open files of the container's init.
Defence: a response counts only with the nonce. No process that becomes a script has ever held it: neither the variables
of the supervisor nor its memory contain it.
Expect: SecurityError
"""

import json
import re
import sys


def known_words():
    """The words that the request did contain, from the variables of the supervisor."""
    frame = sys._getframe()
    while frame:
        if isinstance(frame.f_locals.get("header"), dict):
            return {frame.f_locals["header"]["begin"].encode()}
        frame = frame.f_back
    return set()


def words_in_memory():
    with open("/proc/self/maps") as maps, open("/proc/self/mem", "rb", 0) as memory:
        for line in maps:
            bounds, rights = line.split()[:2]
            if not rights.startswith("rw"):
                continue
            start, end = (int(bound, 16) for bound in bounds.split("-"))
            try:
                memory.seek(start)
                yield from re.findall(rb"(?<![0-9a-f])[0-9a-f]{32}(?:[0-9a-f]{32})?(?![0-9a-f])", memory.read(end - start))
            except (OSError, ValueError):
                continue


found = [word[:32].decode() for word in words_in_memory() if word not in known_words()]
answer = {"exitCode": 0, "nonce": (found or ["0" * 32])[0], "stdoutBytes": 2}
with open("/proc/1/fd/1", "w") as channel:
    channel.write(json.dumps(answer) + "\n{}")
