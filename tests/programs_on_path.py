"""A PATH of its own for tests that ask which programs are installed."""

from __future__ import annotations

import os
import shutil
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    import pytest

# The programs of a developer's machine; no agent program is among them.
USUAL = (
    *("awk", "basename", "bash", "cat", "chmod", "cp", "cut", "date", "diff", "dirname", "env", "find", "git", "grep"),
    *("head", "id", "jq", "ls", "mkdir", "mktemp", "mv", "node", "npm", "npx", "python3", "realpath", "rm", "sed", "sh"),
    *("sleep", "sort", "tail", "tee", "touch", "tr", "uname", "uniq", "wc", "which", "xargs"),
)


def install(monkeypatch: pytest.MonkeyPatch, directory: Path, programs: Iterable[str] = USUAL) -> None:
    """Make a directory with these programs the PATH. One that this machine lacks does nothing there."""
    directory.mkdir()
    for name in programs:
        installed = sys.executable if name == "python3" else shutil.which(name) or "/bin/true"
        (directory / name).symlink_to(os.path.realpath(installed) if name == "python3" else installed)
    monkeypatch.setenv("PATH", str(directory))
