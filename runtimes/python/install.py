"""Installs the dependencies of a script in a container whose files are then kept as an image. It runs like a script, with the files of
the script's folder beside it. stdin has {"manifest", "indexUrl", "onlyBinary", "authorities"}. stdout gets the installed packages.
With `onlyBinary`, no package runs its own code.
"""

import json
import os
import shutil
import subprocess
import sys
import tomllib

SITE = "/opt/errand/site"
SCRATCH = f"{SITE}/.scratch"  # /tmp is in memory
LOCK = f"{SITE}/requirements.lock"
AUTHORITIES = "/tmp/authorities.crt"
PIP = "/opt/pip/pip"


def main():
    wish = json.load(sys.stdin)
    os.makedirs(SCRATCH)
    os.environ["TMPDIR"] = SCRATCH
    if wish.get("authorities"):
        trust(wish["authorities"])
    requirements = requirements_of(wish["manifest"])
    code = run([*installer(), *options(wish), "--target", SITE, "-r", requirements])
    shutil.rmtree(SCRATCH)
    if code != 0:
        sys.exit(code)
    print(json.dumps(write_lock()))


def trust(authorities):
    with open(AUTHORITIES, "w") as bundle:
        bundle.write(authorities)
    os.environ["SSL_CERT_FILE"] = os.environ["PIP_CERT"] = AUTHORITIES


def requirements_of(manifest):
    """Returns the requirements file. For a pyproject.toml, it writes one, with the locked versions if uv and a uv.lock exist."""
    if not manifest.endswith("pyproject.toml"):
        return manifest
    listed = "/tmp/requirements.txt"
    folder = os.path.dirname(os.path.abspath(manifest))
    if shutil.which("uv") and os.path.exists(f"{folder}/uv.lock"):
        locked = ["uv", "export", "--frozen", "--no-emit-project", "--directory", folder, "-o", listed]
        if code := run(locked):
            sys.exit(code)
        return listed
    with open(manifest, "rb") as source:
        dependencies = tomllib.load(source).get("project", {}).get("dependencies", [])
    with open(listed, "w") as out:
        out.writelines(f"{dependency}\n" for dependency in dependencies)
    return listed


def installer():
    if shutil.which("uv"):
        return ["uv", "pip", "install", "--no-cache"]
    common = ["--no-cache-dir", "--no-input", "--progress-bar", "off", "--retries", "2", "--root-user-action", "ignore"]
    return [sys.executable, PIP, "install", "--disable-pip-version-check", *common]


def options(wish):
    index = ["--index-url", wish["indexUrl"]]
    return [*index, "--only-binary", ":all:"] if wish["onlyBinary"] else index


def run(command):
    """Runs a command. Its output is the log."""
    return subprocess.run(command, stdin=subprocess.DEVNULL, stdout=2).returncode


def write_lock():
    """Writes the installed versions as a requirements.txt. A copy of this file pins a script to them."""
    from importlib.metadata import distributions

    found = {d.metadata["Name"]: d.version for d in distributions(path=[SITE])}
    lines = sorted(f"{name}=={version}" for name, version in found.items())
    with open(LOCK, "w") as lock:
        lock.writelines(f"{line}\n" for line in lines)
    return lines


if __name__ == "__main__":
    main()
