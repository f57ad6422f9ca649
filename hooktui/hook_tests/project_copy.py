"""A copy of a project for the examples of hooks: the working tree as it is, without what git ignores.

It is made once and renewed after each example, which takes a look at each file: what differs from how it was made is copied
again. Hard links are no copies, since a hook could write through them.
"""

from __future__ import annotations

import contextlib
import errno
import os
import shutil
import stat
from dataclasses import dataclass, replace
from typing import Final

from hooktui import hosts
from hooktui.config import git
from hooktui.core import paths
from hooktui.core import project as projects
from hooktui.hook_tests import git_files
from hooktui.hook_tests.example import TestError

_GIT: Final = ".git"
_Stamp = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class _Entry:
    """Where a path of the copy comes from, how that was, and how the copy was made: () for a directory."""

    source: str
    before: _Stamp
    copied: _Stamp = ()

    @property
    def is_directory(self) -> bool:
        return stat.S_ISDIR(self.before[-1])


class ProjectCopy:
    """A copy of a project at `root`. Making or renewing it raises TestError if the project cannot be copied."""

    def __init__(self, project: str, place: str, repository: str) -> None:
        """`place` is an empty directory, `repository` what the copy gets for `.git` (git_files), "" for none."""
        self.root = os.path.join(place, os.path.basename(project) or "project")
        self._project = project
        self._repository = repository
        self._entries: dict[str, _Entry] = {}  # by path in the copy, a directory before what is in it

    def make(self, directory: str) -> None:
        """Copy the project, for agents that are started in a directory of it."""
        if self._project in (os.sep, paths.canonical(paths.home())):
            raise TestError(f"{paths.short(self._project)} is too large to copy: run these examples with `in_place: true`")
        try:
            self._add_tree("", self._project, git.ignored(self._project) | {_GIT})
            self._add_local_settings(directory)
            if self._repository:
                self._add_tree(_GIT, self._repository, frozenset())
            self._finish_directories()
        except OSError as error:
            raise TestError(f"the project cannot be copied: {_message(error)}") from error

    def renew(self) -> None:
        """Undo what an example has changed."""
        try:
            if os.path.islink(self.root) or not os.path.isdir(self.root):
                remove(self.root)
            for name in [name for name, entry in self._entries.items() if entry.is_directory]:
                self._remove_changed(name)
            for name, entry in self._entries.items():
                if not os.path.lexists(self._path(name)):
                    self._put_back(name, entry)
            self._finish_directories()
        except OSError as error:
            raise TestError(f"the copy of the project cannot be renewed: {_message(error)}") from error

    def _add_tree(self, name: str, source: str, left_out: frozenset[str]) -> None:
        """Copy a directory, without some paths below the root and checkouts of their own."""
        self._add(name, source)
        with os.scandir(source) as entries:
            found = sorted(entries, key=lambda entry: entry.name)
        for entry in found:
            inside = os.path.join(name, entry.name)
            if inside in left_out:
                continue
            if not entry.is_dir(follow_symlinks=False):
                self._add(inside, entry.path)
            elif not git_files.is_linked_worktree(entry.path):
                self._add_tree(inside, entry.path, left_out)

    def _add_local_settings(self, directory: str) -> None:
        """Copy the local settings that hosts read hooks from, which git often ignores; of a linked worktree also those of the
        main checkout, where hosts read these."""
        main = projects.main_checkout(self._project)
        for files in (files for spec in hosts.specs() for files in spec.files if files.scope == "local"):
            for base in projects.between(self._project, directory):
                self._add_file(os.path.relpath(os.path.join(base, files.path), self._project), base, files.path)
            if main and files.below == "main":
                self._add_file(files.path, main, files.path)

    def _add_file(self, name: str, base: str, path: str) -> None:
        """Copy a file of a base directory unless it is missing or copied already, with the directories above it."""
        if name in self._entries or not os.path.isfile(os.path.join(base, path)):
            return
        above = os.path.dirname(name)
        if above not in self._entries:
            self._add_directories(above, os.path.join(base, os.path.dirname(path)))
        self._add(name, os.path.join(base, path))

    def _add_directories(self, name: str, source: str) -> None:
        if os.path.dirname(name) not in self._entries:
            self._add_directories(os.path.dirname(name), os.path.dirname(source))
        self._add(name, source)

    def _add(self, name: str, source: str) -> None:
        """Copy a file, or make a directory; a socket or a device has no content."""
        entry = _Entry(source, _stamp(source))
        mode = entry.before[-1]
        if entry.is_directory or stat.S_ISREG(mode) or stat.S_ISLNK(mode) or stat.S_ISFIFO(mode):
            self._entries[name] = entry
            self._put(name, entry)

    def _put(self, name: str, entry: _Entry) -> None:
        path, mode = self._path(name), entry.before[-1]
        if entry.is_directory:
            os.mkdir(path, 0o700)
            return
        if stat.S_ISFIFO(mode):
            os.mkfifo(path, stat.S_IMODE(mode))
        else:
            shutil.copyfile(entry.source, path, follow_symlinks=False)
        if stat.S_ISREG(mode):
            os.chmod(path, stat.S_IMODE(mode))
        os.utime(path, ns=(entry.before[0], entry.before[0]), follow_symlinks=False)
        self._entries[name] = replace(entry, copied=_stamp(path))

    def _finish_directories(self) -> None:
        """Give directories their modes and times, each after what is in it, which changes its time."""
        for name, entry in reversed(self._entries.items()):
            if entry.is_directory:
                os.chmod(self._path(name), stat.S_IMODE(entry.before[-1]))
                os.utime(self._path(name), ns=(entry.before[0], entry.before[0]))

    def _remove_changed(self, name: str) -> None:
        """Remove from a directory what is not of the copy, and what is not as it was made."""
        try:
            os.chmod(self._path(name), 0o700)
            found = list(os.scandir(self._path(name)))
        except FileNotFoundError:  # it, or what was in place of a directory above it, is gone
            return
        for entry in found:
            made, status = self._entries.get(os.path.join(name, entry.name)), entry.stat(follow_symlinks=False)
            if not made or (not stat.S_ISDIR(status.st_mode) if made.is_directory else made.copied != _stamp_of(status)):
                remove(entry.path)

    def _put_back(self, name: str, entry: _Entry) -> None:
        if not entry.is_directory and _stamp(entry.source) != entry.before:
            raise TestError(f"{paths.near(entry.source, self._project)} has changed since the tests began: run them again")
        self._put(name, entry)

    def _path(self, name: str) -> str:
        return os.path.join(self.root, name) if name else self.root


def remove(path: str) -> None:
    """Remove a file or a directory with all that is in it, whatever its modes."""
    if os.path.islink(path) or not os.path.isdir(path):
        with contextlib.suppress(FileNotFoundError):
            os.unlink(path)
        return
    waiting = [path]
    while waiting:
        directory = waiting.pop()
        os.chmod(directory, 0o700)
        waiting += [entry.path for entry in os.scandir(directory) if entry.is_dir(follow_symlinks=False)]
    shutil.rmtree(path)


def _stamp(path: str) -> _Stamp:
    return _stamp_of(os.lstat(path))


def _stamp_of(status: os.stat_result) -> _Stamp:
    """Times, inode, size and mode; the ctime changes with every write, and no program can set it."""
    return (status.st_mtime_ns, status.st_ctime_ns, status.st_size, status.st_ino, status.st_mode)


def _message(error: OSError) -> str:
    reason = "no space left on the disk" if error.errno == errno.ENOSPC else error.strerror or str(error)
    return f"{reason}: {error.filename}" if error.filename else reason
