"""What a script leaves in $ERRAND_OUT, as a tar stream: regular files only, counted and bounded. No link is followed, for a script could
make one to anything; what is left out is named.
"""

import io
import os
import stat
import tarfile

MAX_FILES = 256
NAMED = 20


def collect(folder, max_bytes):
    """Gives the archive (empty: nothing was left), and what the report says of it."""
    archive = io.BytesIO()
    tar, count, size, left_out = None, 0, 0, []
    for inside, _, names, at in os.fwalk(folder):  # follows no link
        for name in sorted(names):
            path = os.path.relpath(os.path.join(inside, name), folder)
            data = read(name, at, max_bytes - size)
            if data is None:
                left_out.append(path)
                continue
            count, size = count + 1, size + len(data)
            if count > MAX_FILES or size > max_bytes:
                return b"", {"outgoing": {"exceeded": "files" if count > MAX_FILES else "bytes", "leftOut": []}}
            tar = tar or tarfile.open(fileobj=archive, mode="w", format=tarfile.PAX_FORMAT)
            entry = tarfile.TarInfo(path)
            entry.size = len(data)
            tar.addfile(entry, io.BytesIO(data))
    if tar is None and not left_out:
        return b"", {}
    if tar:
        tar.close()
    return archive.getvalue(), {"outgoing": {"leftOut": left_out[:NAMED]}}


def read(name, at, room):
    """A regular file, or one byte more of it than there is room for; None where it is none."""
    try:
        fd = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=at)
    except OSError:
        return None
    with open(fd, "rb") as file:
        return file.read(room + 1) if stat.S_ISREG(os.fstat(fd).st_mode) else None
