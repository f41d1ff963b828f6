"""Packs the files that a script leaves in $ERRAND_OUT as a tar archive: only regular files, within bounds. It follows no link, because a
script could link to anything. It names the files that it leaves out.
"""

import io
import os
import stat

MAX_FILES = 256
MAX_DEPTH = 32
NAMED = 20
NAME_LENGTH = 200


def collect(folder, max_bytes):
    """Returns the archive, which is empty without files, and its part of the report."""
    try:
        return pack(folder, max_bytes)
    except FileNotFoundError:  # the script has removed the folder itself
        return b"", {}


def pack(folder, max_bytes):
    archive = io.BytesIO()
    tar, count, size, left_out = None, 0, 0, []
    for inside, _, names, at in os.fwalk(folder):  # follows no link
        if inside.count("/") - folder.count("/") > MAX_DEPTH:
            return exceeded("depth")
        for name in sorted(names):
            path = os.path.relpath(os.path.join(inside, name), folder)
            data = read(name, at, max_bytes - size)
            if data is None:
                left_out.append(path[:NAME_LENGTH])
                continue
            count, size = count + 1, size + len(data)
            if count > MAX_FILES or size > max_bytes:
                return exceeded("files" if count > MAX_FILES else "bytes")
            tar = tar or open_tar(archive)
            entry = tar.tarinfo(path)
            entry.size = len(data)
            tar.addfile(entry, io.BytesIO(data))
    if tar is None and not left_out:
        return b"", {}
    if tar:
        tar.close()
    return archive.getvalue(), {"outgoing": {"leftOut": left_out[:NAMED]}}


def open_tar(archive):
    import tarfile  # imported late, because most runs leave no file

    return tarfile.open(fileobj=archive, mode="w", format=tarfile.PAX_FORMAT)


def exceeded(bound):
    return b"", {"outgoing": {"exceeded": bound, "leftOut": []}}


def read(name, at, room):
    """Reads a regular file, at most `room` + 1 bytes. Returns None for anything else."""
    try:
        fd = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=at)
    except OSError:
        return None
    with open(fd, "rb") as file:
        return file.read(room + 1) if stat.S_ISREG(os.fstat(fd).st_mode) else None
