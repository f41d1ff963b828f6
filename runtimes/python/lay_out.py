"""Lays out the folder of a script."""

import base64
import os

from descriptors import write_all

SCRIPT_ROOT = "/script"


def lay_out(files, in_folder):
    """Writes the script's folder, then makes its files and folders read-only."""
    folders = {SCRIPT_ROOT}
    if in_folder:
        os.makedirs(in_folder)
        folders.add(in_folder)
    for file in files:
        path = f"{SCRIPT_ROOT}/{file['path']}"
        folder = path.rpartition("/")[0]
        if folder not in folders:
            os.makedirs(folder, exist_ok=True)
        while folder not in folders:
            folders.add(folder)
            folder = folder.rpartition("/")[0]
        fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o444)
        write_all(fd, base64.b64decode(file["base64"]))
        os.close(fd)
    for folder in folders:
        os.chmod(folder, 0o555)
