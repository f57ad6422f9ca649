"""What a copy of a project has for `.git`: git answers there as in the project, and cannot change the project's repository.

All copies of a run share one copy of the objects, as git's `alternates`: git writes nothing there, but it renews the times of
objects that it would write again, and the project's must stay. A linked worktree's copy has a repository of its own, with that
worktree's branch and index.
"""

from __future__ import annotations

import contextlib
import os
from typing import TYPE_CHECKING, Final

from hooktui.config import git
from hooktui.hook_tests.file_copier import FileCopier

if TYPE_CHECKING:
    from collections.abc import Iterator

# Not copied: the objects, what belongs to other worktrees, and processes that watch the project.
_LEFT_OUT: Final = ("objects", "worktrees", "lfs", "gc.pid", "fsmonitor--daemon", "fsmonitor--daemon.ipc")
_LINKS: Final = ("commondir", "gitdir", "locked")  # of a linked worktree
_UNFINISHED: Final = ("tmp_", ".tmp-")
_MOST: Final = 4096  # bytes of git's files with one path
ALTERNATES: Final = os.path.join("objects", "info", "alternates")


def repository(project: str) -> str:
    """The directory in which git keeps what belongs to a checkout; "" for a project without one."""
    path = os.path.join(project, ".git")
    if os.path.isdir(path):
        return path
    line = _line(path)
    linked = os.path.join(project, line.removeprefix("gitdir: ")) if line.startswith("gitdir: ") else ""
    return os.path.normpath(linked) if os.path.isdir(linked) else ""


def is_linked_worktree(directory: str) -> bool:
    """Whether a directory is a checkout of its own of some repository: what git does there changes that repository."""
    path = os.path.join(directory, ".git")
    return os.path.isfile(path) and bool(_line(os.path.join(repository(directory), "commondir")))


def common_directory(own: str) -> str:
    """The directory that a checkout's repository shares with its linked worktrees."""
    common = _line(os.path.join(own, "commondir"))
    return os.path.normpath(os.path.join(own, common)) if common else own


def sources(own: str) -> Iterator[tuple[str, str]]:
    """The files and directories of a repository to copy, as names below `.git` and paths; a later one replaces an earlier."""
    common = common_directory(own)
    for directory in dict.fromkeys((common, own)):
        for name in os.listdir(directory):
            if name not in _LEFT_OUT and name not in _LINKS and not name.endswith(".lock"):
                yield name, os.path.join(directory, name)


def copy_objects(project: str, target: str) -> str:
    """Copy the objects of a project's repository, and those that it borrows; return `target`, "" for a project without git.

    Raises OSError.
    """
    own = repository(project)
    if not own:
        return ""
    waiting, seen, copier = [os.path.join(common_directory(own), "objects")], set[str](), FileCopier()
    while waiting:
        directory = waiting.pop()
        if directory not in seen and os.path.isdir(directory):
            seen.add(directory)
            _copy_missing(directory, target, copier)
            waiting += _borrowed(directory)
    return target


def _copy_missing(source: str, target: str, copier: FileCopier) -> None:
    os.makedirs(target, 0o700, exist_ok=True)
    with os.scandir(source) as entries:
        found = list(entries)
    for entry in found:
        path = os.path.join(target, entry.name)
        if entry.is_dir():
            _copy_missing(entry.path, path, copier)
        elif not os.path.lexists(path) and not entry.name.startswith(_UNFINISHED) and entry.name != "alternates":
            with contextlib.suppress(FileNotFoundError):  # git has packed it meanwhile
                copier.copy(entry.path, path)


def _borrowed(objects: str) -> Iterator[str]:
    """The directories with further objects that a repository names."""
    try:
        with open(os.path.join(objects, "info", "alternates"), "rb") as file:
            lines = os.fsdecode(file.read()).splitlines()
    except OSError:
        return
    for line in lines:
        if line and not line.startswith(("#", '"')):
            yield os.path.normpath(os.path.join(objects, line))


def detach(copied: str) -> None:
    """Let a copied repository be that of the directory that it is in, whatever its configuration says."""
    config = os.path.join(copied, "config")
    for name, value in (("core.worktree", None), ("core.bare", "false")):
        if (git.output(config, "config", "--file", config, "--get", name) or value or "").strip() != (value or ""):
            change = ("--unset-all", name) if value is None else (name, value)
            git.output(config, "config", "--file", config, *change)


def _line(path: str) -> str:
    try:
        with open(path, "rb") as file:
            return os.fsdecode(file.read(_MOST).split(b"\n", 1)[0])
    except OSError:
        return ""
