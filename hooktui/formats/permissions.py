"""Who else can write a hook's files: a hook that others can change does not run (contract.md, insecure-permissions)."""

from __future__ import annotations

import grp
import os
import pwd
import stat
from collections.abc import Iterator
from typing import NamedTuple

from hooktui.config import managed
from hooktui.core.model import Hook, HookDirectory
from hooktui.formats.source_cache import Sources

_OTHERS = stat.S_IWGRP | stat.S_IWOTH


class Exposure(NamedTuple):
    """A file or directory that others than its owner can write.

    `writers` names them, as in `writable by WRITERS`. `is_refused`: they are not only the owner's private group.
    """

    path: str
    writers: str
    is_refused: bool


def exposures(hook: Hook, sources: Sources) -> list[Exposure]:
    """The files of a hook that others can write, those for which it is refused first."""
    shared = [path for path in files(hook) if sources.mode(path) & _OTHERS]
    return sorted(filter(None, map(_exposure, shared)), key=lambda exposure: not exposure.is_refused)


def files(hook: Hook) -> tuple[str, ...]:
    """The files and directories of a hook in which others could change what it runs."""
    return tuple(dict.fromkeys(_files(hook)))


def changeable(hook: Hook) -> str:
    """How others than the administrator can change a managed hook; "" if they cannot."""
    return next(filter(None, map(managed.changeable, files(hook))), "")


def protected(mode: int) -> int:
    """The permission bits of an exposed file without those of others to write."""
    return mode & ~_OTHERS


def _files(hook: Hook) -> Iterator[str]:
    """The hook's file, the scripts that it loads, and the directories of a HOOK.md in which these could be replaced."""
    yield hook.file
    covered = [os.path.join(hook.root, name) for name in hook.covers]
    if isinstance(hook.source, HookDirectory):
        yield from (hook.root, *map(os.path.dirname, covered))
    yield from covered


def _exposure(path: str) -> Exposure | None:
    try:
        status = os.stat(path)
    except OSError:
        return None
    if stat.S_ISDIR(status.st_mode) and status.st_mode & stat.S_ISVTX:  # only its owner replaces a file in it
        return None
    if status.st_mode & stat.S_IWOTH:
        return Exposure(path, "everybody", True)
    if status.st_mode & stat.S_IWGRP:
        return _of_group(path, status.st_uid, status.st_gid)
    return None


def _of_group(path: str, owner: int, group: int) -> Exposure:
    """The exposure to a file's group. A group of the owner's own name that has no other member is private."""
    try:
        entry = grp.getgrgid(group)
    except KeyError:  # as in a container without the user's names
        return Exposure(path, f"group {group}", group != owner)
    try:
        user = pwd.getpwuid(owner).pw_name
    except KeyError:
        return Exposure(path, f"group {entry.gr_name}", True)
    is_private = entry.gr_name == user and not {*entry.gr_mem} - {user}
    return Exposure(path, f"group {entry.gr_name}", not is_private)
