"""Keep a connection's file out of git: one line in the repository's own `info/exclude`, which all its worktrees share."""

from __future__ import annotations

import os
import subprocess

_GIT = ("git", "-c", "core.fsmonitor=false")  # a repository's own configuration starts no program
_DEADLINE_S = 10.0


def file_for(path: str) -> tuple[str, str] | None:
    """The exclude file that can hide a path, and the line that does; None if git does not see the path, or tracks it."""
    hidden = _git(path, "check-ignore", "-q", path) is not None
    return None if hidden or is_tracked(path) else place_of(path)


def is_tracked(path: str) -> bool:
    """Whether git tracks a file."""
    return _git(path, "ls-files", "--error-unmatch", path) is not None


def place_of(path: str) -> tuple[str, str] | None:
    """The exclude file of a path's repository, and the line for the path; None without git or a repository."""
    printed = _git(path, "rev-parse", "--show-toplevel", "--git-common-dir")
    if printed is None:
        return None
    top, common = printed.splitlines()
    inside = os.path.relpath(os.path.realpath(path), os.path.realpath(top))
    exclude = os.path.join(_directory(path), common, "info", "exclude")
    return None if inside.startswith("..") else (os.path.realpath(exclude), f"/{inside}")


def with_line(text: str | None, line: str) -> str:
    """Append a line."""
    text = text or ""
    return f"{text}{'' if text.endswith(chr(10)) or not text else chr(10)}{line}\n"


def without_line(text: str, line: str) -> str:
    """Remove the last such line."""
    lines = text.splitlines(keepends=True)
    for number in reversed(range(len(lines))):
        if lines[number].rstrip("\r\n") == line:
            return "".join((*lines[:number], *lines[number + 1 :]))
    return text


def _directory(path: str) -> str:
    """The nearest directory above a path that exists."""
    while not os.path.isdir(path := os.path.dirname(path)):
        continue
    return path


def _git(path: str, *arguments: str) -> str | None:
    """What git prints in the repository of a path; None if it fails or is not installed."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    command = (*_GIT, "-C", _directory(path), *arguments)
    try:
        done = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=_DEADLINE_S, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout if done.returncode == 0 else None
