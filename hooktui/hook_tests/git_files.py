"""What a copy of a project has for `.git`: git answers there as in the project, and cannot change the project's repository.

All copies of a run share one copy of the objects, as git's `alternates`: git writes nothing there, but it renews the times of
objects that it would write again, and the project's must stay. A linked worktree's copy has a repository of its own, with that
worktree's branch and index.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Sequence
from functools import partial
from typing import Final

from hooktui.config import git

# Not copied: the objects, what belongs to other worktrees, and processes that watch the project.
_LEFT_OUT: Final = (
    *("objects", "worktrees", "lfs", "gc.pid", "fsmonitor--daemon", "fsmonitor--daemon.ipc"),
    *("commondir", "gitdir", "locked"),  # of a linked worktree
)
_UNFINISHED: Final = ("tmp_*", ".tmp-*")
_MOST: Final = 4096  # bytes of git's files with one path


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


def prepared(project: str, place: str) -> str:
    """Make what copies of a project have for `.git`, with the objects beside it, in `place`; "" without git. Raises OSError."""
    own = repository(project)
    if not own:
        return ""
    common, made, objects = common_directory(own), os.path.join(place, "git"), os.path.join(place, "objects")
    for source in dict.fromkeys((common, own)):  # a linked worktree's own files replace the shared ones
        shutil.copytree(source, made, symlinks=True, ignore=partial(_left_out, source), dirs_exist_ok=True)
    shutil.copytree(os.path.join(common, "objects"), objects, ignore=shutil.ignore_patterns(*_UNFINISHED))
    for directory in ("info", "pack"):
        os.makedirs(os.path.join(made, "objects", directory))
    with open(os.path.join(made, "objects", "info", "alternates"), "wb") as file:
        file.write(os.fsencode(objects) + b"\n")
    _detach(made)
    return made


def _left_out(root: str, directory: str, names: Sequence[str]) -> list[str]:
    return [name for name in names if name in _LEFT_OUT or name.endswith(".lock")] if directory == root else []


def _detach(copied: str) -> None:
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
