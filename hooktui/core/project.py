"""The project that a directory belongs to, and the repository whose checkout it is.

Reads git's files instead of starting git: `run` asks this for every event.
"""

from __future__ import annotations

import os

from hooktui.core import paths

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

_LONGEST_LINK = 4096  # bytes of a `.git` file that are read


def root(directory: str) -> str:
    """The root of the project that a canonical directory belongs to.

    That is the root of its repository, else the topmost directory at or above it with a `.agents/hooks`, else the directory
    itself. The home directory, the root directory and directories of other users are projects only for themselves: another
    user's `/tmp/.git` must not become the project of `/tmp/mine`.
    """
    topmost = ""
    for place in _upward(directory):
        if os.path.lexists(os.path.join(place, ".git")):
            return place
        if os.path.isdir(paths.agenthooks_project_root(place)):
            topmost = place
    return topmost or directory


def between(top: str, directory: str) -> tuple[str, ...]:
    """The directories from the root of a project down to one inside it, both included."""
    inside = [place for place in _upward(directory) if place == top or place.startswith(os.path.join(top, ""))]
    return tuple(reversed(inside)) or (top,)


def above(directory: str) -> tuple[str, ...]:
    """The directories above one, the topmost first, as far as they may belong to the same project."""
    return tuple(reversed(_upward(directory)[1:]))


def main_checkout(top: str) -> str:
    """The main checkout of the repository that a linked worktree belongs to, "" for any other directory."""
    common = _common_directory(top)
    return os.path.dirname(common) if os.path.basename(common) == ".git" else ""


def checkout_key(top: str) -> str:
    """The name under which a checkout's approvals are stored: of a linked worktree its directory inside the repository."""
    link = _link(top)
    return link if link and _common_directory(top) else top


def of_same_repository(top: str, keys: Iterable[str]) -> list[str]:
    """Those of some checkout keys that belong to the repository of the checkout at `top`."""
    linked = os.path.join(_common_directory(top) or os.path.join(top, ".git"), "worktrees", "")
    checkouts = (top, main_checkout(top))
    return [key for key in keys if key in checkouts or key.startswith(linked)]


def _upward(directory: str) -> list[str]:
    """A directory and those above it with the same owner or ours, without the home and the root directory above it."""
    home = paths.canonical(paths.home())
    owners = {os.getuid(), _owner(directory)}
    levels = [directory]
    while levels[-1] != home and (above := os.path.dirname(levels[-1])) not in (home, os.sep) and _owner(above) in owners:
        levels.append(above)
    return levels


def _owner(directory: str) -> int | None:
    try:
        return os.stat(directory).st_uid
    except OSError:
        return None


def _common_directory(top: str) -> str:
    """The directory that all worktrees of a repository share; "" unless `top` is a linked worktree of it.

    The repository must name the worktree too: a cloned `.git` file cannot claim another repository's approvals.
    """
    link = _link(top)
    worktree = _first_line(os.path.join(link, "gitdir")) if link else ""
    if not worktree or os.path.realpath(os.path.join(link, worktree)) != os.path.join(top, ".git"):
        return ""
    common = _first_line(os.path.join(link, "commondir"))
    return os.path.realpath(os.path.join(link, common)) if common else ""


def _link(top: str) -> str:
    """The directory that the `.git` file of a linked worktree names, "" without such a file."""
    line = _first_line(os.path.join(top, ".git"))
    return os.path.realpath(os.path.join(top, line[8:])) if line.startswith("gitdir: ") else ""


def _first_line(path: str) -> str:
    """The first line of one of git's files, "" for a file that cannot be read or names no path."""
    try:
        with open(os.open(path, os.O_RDONLY | os.O_NONBLOCK), "rb", buffering=0) as file:  # a FIFO must not block
            line = (file.read(_LONGEST_LINK) or b"").split(b"\n", 1)[0]
    except OSError:
        return ""
    return "" if b"\0" in line else os.fsdecode(line)
