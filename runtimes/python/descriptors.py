"""Complete reads and writes of descriptors."""

import os


def read_exactly(fd, length):
    """Reads exactly `length` bytes. Exits the process if the runner is gone."""
    chunks = []
    while length > 0:
        chunk = os.read(fd, min(length, 1 << 20))
        if not chunk:
            os._exit(1)
        chunks.append(chunk)
        length -= len(chunk)
    return b"".join(chunks)


def write_all(fd, data):
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(fd, rest) :]
