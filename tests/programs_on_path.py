"""The PATH of tests: whether agent programs are installed changes what hooktui says of hooks."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Collection, Iterable
from functools import cache
from pathlib import Path

# The programs of a developer's machine; no agent program is among them.
USUAL = (
    *("awk", "basename", "bash", "cat", "chmod", "cp", "cut", "date", "diff", "dirname", "env", "find", "git", "grep"),
    *("head", "id", "jq", "ls", "mkdir", "mktemp", "mv", "node", "npm", "npx", "python3", "realpath", "rm", "sed", "sh"),
    *("sleep", "sort", "tail", "tee", "touch", "tr", "uname", "uniq", "wc", "which", "xargs"),
)


def add_bare_python(directory: str) -> None:
    """Add a `python3` without the packages of this machine, whose start-up files can cost more than Python's own start."""
    python = os.path.realpath(sys.executable)
    with open(os.path.join(directory, "pyvenv.cfg"), "w", encoding="utf-8") as file:
        file.write(f"home = {os.path.dirname(python)}\ninclude-system-site-packages = false\n")
    os.symlink(python, os.path.join(directory, "python3"))


def hide(path: str, programs: Collection[str], directory: str) -> str:
    """A PATH without these programs: links in `directory` replace each of its directories that has one of them."""
    kept = []
    for number, place in enumerate(path.split(os.pathsep)):
        if not any(os.access(os.path.join(place, name), os.X_OK) for name in programs):
            kept.append(place)
            continue
        kept.append(os.path.join(directory, str(number)))
        os.makedirs(kept[-1])
        for name in set(os.listdir(place)).difference(programs):
            os.symlink(os.path.join(place, name), os.path.join(kept[-1], name))
    return os.pathsep.join(kept)


def link(directory: Path, programs: Iterable[str] = USUAL) -> str:
    """Make a directory that has these programs, to be a PATH; its path. One that this machine lacks does nothing there."""
    directory.mkdir()
    for name in programs:
        if name == "python3":
            add_bare_python(str(directory))
        else:
            (directory / name).symlink_to(_installed(name, os.environ["PATH"]))
    return str(directory)


@cache
def _installed(name: str, path: str) -> str:
    return shutil.which(name, path=path) or "/bin/true"
