"""
Attack: write a result of one's own into the channel to the runner, through the files of the container's init.
Defence: an answer counts only with the nonce, which the script's process no longer knows.
Expect: SecurityError
"""

import json
import sys


def find_nonce():
    frame = sys._getframe()
    while frame:
        header = frame.f_locals.get("header")
        if isinstance(header, dict):
            return header["nonce"]
        frame = frame.f_back


answer = {"exitCode": 0, "nonce": find_nonce(), "stdoutBytes": 2}
with open("/proc/1/fd/1", "w") as channel:
    channel.write(json.dumps(answer) + "\n{}")
