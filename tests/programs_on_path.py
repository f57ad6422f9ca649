"""The PATH of tests: whether agent programs are installed changes what hooktui says of hooks."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Collection, Iterable
from pathlib import Path

import pytest

# The programs of a developer's machine; no agent program is among them.
USUAL = (
    *("awk", "basename", "bash", "cat", "chmod", "cp", "cut", "date", "diff", "dirname", "env", "find", "git", "grep"),
    *("head", "id", "jq", "ls", "mkdir", "mktemp", "mv", "node", "npm", "npx", "python3", "realpath", "rm", "sed", "sh"),
    *("sleep", "sort", "tail", "tee", "touch", "tr", "uname", "uniq", "wc", "which", "xargs"),
)


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


def install(monkeypatch: pytest.MonkeyPatch, directory: Path, programs: Iterable[str] = USUAL) -> None:
    """Make a directory with these programs the PATH. One that this machine lacks does nothing there."""
    directory.mkdir()
    for name in programs:
        installed = sys.executable if name == "python3" else shutil.which(name) or "/bin/true"
        (directory / name).symlink_to(os.path.realpath(installed) if name == "python3" else installed)
    monkeypatch.setenv("PATH", str(directory))
