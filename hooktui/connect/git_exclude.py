"""Keep a connection's file out of git: one line in the repository's own `info/exclude`, which all its worktrees share."""

from __future__ import annotations

import os

from hooktui.config import git


def file_for(path: str) -> tuple[str, str] | None:
    """The exclude file that can hide a path, and the line that does; None if git does not see the path, or tracks it."""
    return None if git.is_ignored(path) or git.is_tracked(path) else place_of(path)


def place_of(path: str) -> tuple[str, str] | None:
    """The exclude file of a path's repository, and the line for the path; None without git or a repository."""
    printed = git.output(path, "rev-parse", "--show-toplevel", "--git-common-dir")
    if printed is None:
        return None
    top, common = printed.splitlines()
    inside = os.path.relpath(os.path.realpath(path), os.path.realpath(top))
    exclude = os.path.join(git.nearest_directory(path), common, "info", "exclude")
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
