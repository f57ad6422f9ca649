"""A copy of a project for the examples of hooks: the working tree as it is, without what git ignores.

It is made once and renewed after each example, which takes a look at each file: what differs from how it was made is copied
again. Hard links are no copies, since a hook could write through them.
"""

from __future__ import annotations

import errno
import os
import stat
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from hooktui import hosts
from hooktui.config import git
from hooktui.core import paths
from hooktui.core import project as projects
from hooktui.hook_tests import git_files
from hooktui.hook_tests.example import TestError
from hooktui.hook_tests.file_copier import FileCopier

if TYPE_CHECKING:
    from collections.abc import Iterator

_GIT: Final = ".git"
_Stamp = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class _Entry:
    """A file, directory or link of the copy: where it comes from, how that was, and how the copy was made.

    `content` is that of a file that has no source.
    """

    source: str
    before: _Stamp
    copied: _Stamp
    content: bytes | None = None


@dataclass(slots=True)
class _Renewal:
    """The directories to finish again, the bytes of what an example wrote, and whether something is to be put back."""

    changed: set[str] = field(default_factory=set)
    grown: int = 0
    is_incomplete: bool = False


class ProjectCopy:
    """A copy of a project at `root`. Making or renewing it raises TestError if the project cannot be copied."""

    def __init__(self, project: str, place: str, objects: str) -> None:
        """`place` is an empty directory, `objects` a copy of the objects of the project's repository (git_files)."""
        self.root = os.path.join(place, os.path.basename(project) or "project")
        self._project = project
        self._entries: dict[str, _Entry] = {}
        self._stamps: dict[str, dict[str, _Stamp]] = {}  # how files were made, and () for directories, by directory and name
        self._objects = objects
        self._copier = FileCopier()

    @property
    def size(self) -> int:
        """The bytes of all files as they were copied."""
        return sum(entry.copied[2] for entry in self._entries.values() if entry.copied)

    def make(self, directory: str) -> None:
        """Copy the project, for agents that are started in a directory of it."""
        if self._project in (os.sep, paths.canonical(paths.home())):
            raise TestError(f"{paths.short(self._project)} is too large to copy: run these examples with `in_place: true`")
        try:
            self._copy_tree("", self._project, git.ignored(self._project))
            self._copy_local_settings(directory)
            self._copy_repository()
        except OSError as error:
            raise TestError(f"the project cannot be copied: {_message(error)}") from error

    def renew(self) -> int:
        """Undo what an example has changed; return by how many bytes it had grown."""
        try:
            if os.path.islink(self.root) or not os.path.isdir(self.root):
                remove(self.root)
                os.mkdir(self.root, 0o700)
            state = _Renewal()
            self._keep_intact("", os.lstat(self.root), state)
            for name in self._entries if state.is_incomplete else ():
                if not os.path.lexists(self._path(name)):
                    self._put_back(name)
                    state.changed |= {name, os.path.dirname(name)}
            for name in sorted(state.changed, reverse=True):  # a directory after what is in it, which changes its time
                if stat.S_ISDIR(self._entries[name].before[-1]):
                    self._finish_directory(name)
        except OSError as error:
            raise TestError(f"the copy of the project cannot be renewed: {_message(error)}") from error
        return state.grown

    # Making it

    def _copy_tree(self, name: str, source: str, left_out: frozenset[str]) -> None:
        """Copy a directory without some paths below the root, and without a `.git` at the root."""
        self._begin_directory(name, source)
        with os.scandir(source) as entries:
            found = sorted(entries, key=lambda entry: entry.name)
        for entry in found:
            inside = os.path.join(name, entry.name)
            if inside in left_out or inside == _GIT:
                continue
            if entry.is_dir(follow_symlinks=False):
                if not git_files.is_linked_worktree(entry.path):
                    self._copy_tree(inside, entry.path, left_out)
            else:
                self._copy_file(inside, entry.path)
        self._finish_directory(name)

    def _copy_local_settings(self, directory: str) -> None:
        """Copy the local settings that hosts read hooks from, which git often ignores; of a linked worktree also those of the
        main checkout, where hosts read these."""
        main = projects.main_checkout(self._project)
        for files in (files for spec in hosts.specs() for files in spec.files if files.scope == "local"):
            for base in projects.between(self._project, directory):
                self._copy_below(os.path.relpath(os.path.join(base, files.path), self._project), base, files.path)
            if main and files.below == "main":
                self._copy_below(files.path, main, files.path)

    def _copy_below(self, name: str, base: str, path: str) -> None:
        """Copy a file of a base directory unless it is missing or copied already, with the directories above it."""
        source = os.path.join(base, path)
        if name in self._entries or not os.path.isfile(source):
            return
        missing: list[tuple[str, str]] = []
        above, directory = os.path.dirname(name), os.path.dirname(source)
        while above and above not in self._entries:
            missing.append((above, directory))
            above, directory = os.path.dirname(above), os.path.dirname(directory)
        for inside, origin in reversed(missing):
            self._begin_directory(inside, origin)
        self._copy_file(name, source)
        for inside in (*(inside for inside, _ in missing), above):
            self._finish_directory(inside)

    def _copy_repository(self) -> None:
        own = git_files.repository(self._project)
        if not own:
            return
        self._begin_directory(_GIT, own)
        for name, source in git_files.sources(own):
            inside = os.path.join(_GIT, name)
            if os.path.isdir(source) and not os.path.islink(source):
                self._copy_tree(inside, source, frozenset())
            else:
                self._copy_file(inside, source)
        for name in ("objects", os.path.join("objects", "info"), os.path.join("objects", "pack")):
            self._begin_directory(os.path.join(_GIT, name), own)
        self._write(os.path.join(_GIT, git_files.ALTERNATES), os.fsencode(self._objects) + b"\n")
        git_files.detach(self._path(_GIT))
        self._adopt(os.path.join(_GIT, "config"))
        for name in reversed([name for name in self._entries if name.split(os.sep)[0] == _GIT]):
            if stat.S_ISDIR(self._entries[name].before[-1]):
                self._finish_directory(name)
        self._finish_directory("")

    def _adopt(self, name: str) -> None:
        """Take a file of the copy as it is now for what it should be."""
        path = self._path(name)
        if name in self._entries and _stamp(path) != self._entries[name].copied:
            with open(path, "rb") as file:
                self._keep(name, _Entry("", _stamp(path), _stamp(path), file.read()))

    def _begin_directory(self, name: str, source: str) -> None:
        path = self._path(name)
        if not os.path.isdir(path):
            os.mkdir(path, 0o700)
        self._keep(name, _Entry(source, _stamp(source), ()))

    def _finish_directory(self, name: str) -> None:
        entry, path = self._entries[name], self._path(name)
        mode = stat.S_IMODE(entry.before[-1])
        if stat.S_IMODE(os.lstat(path).st_mode) != mode:
            os.chmod(path, mode)
        if os.lstat(path).st_mtime_ns != entry.before[0]:
            os.utime(path, ns=(entry.before[0], entry.before[0]))

    def _copy_file(self, name: str, source: str) -> None:
        before = _stamp(source)
        path, mode = self._path(name), before[-1]
        if stat.S_ISLNK(mode):
            os.symlink(os.readlink(source), path)
        elif stat.S_ISREG(mode):
            self._copier.copy(source, path)
            os.chmod(path, stat.S_IMODE(mode))
        elif stat.S_ISFIFO(mode):
            os.mkfifo(path, stat.S_IMODE(mode))
        else:
            return  # a socket or a device has no content
        os.utime(path, ns=(before[0], before[0]), follow_symlinks=False)
        self._keep(name, _Entry(source, before, _stamp(path)))

    def _keep(self, name: str, entry: _Entry) -> None:
        """Remember how a path of the copy was made."""
        self._entries[name] = entry
        if name:
            self._stamps.setdefault(os.path.dirname(name), {})[os.path.basename(name)] = entry.copied

    def _write(self, name: str, content: bytes) -> None:
        path = self._path(name)
        with open(path, "wb") as file:
            file.write(content)
        self._keep(name, _Entry("", _stamp(path), _stamp(path), content))

    # Renewing it

    def _keep_intact(self, name: str, status: os.stat_result, state: _Renewal) -> None:
        """Remove from a directory what is not of the copy, and what is not as it was made."""
        path, before, stamps = self._path(name), self._entries[name].before, self._stamps.get(name, {})
        if (status.st_mtime_ns, status.st_mode) != (before[0], before[-1]):
            state.changed.add(name)
        _open_up(path, status)
        intact = 0
        with os.scandir(path) as entries:
            found = list(entries)
        for entry in found:
            made, own = stamps.get(entry.name), entry.stat(follow_symlinks=False)
            if made == _stamp_of(own):
                intact += 1
            elif made == () and stat.S_ISDIR(own.st_mode):
                intact += 1
                self._keep_intact(os.path.join(name, entry.name), own, state)
            else:
                state.changed.add(name)
                state.grown += remove(entry.path) - (made[2] if made else 0)
        state.is_incomplete |= intact < len(stamps)

    def _put_back(self, name: str) -> None:
        entry, path = self._entries[name], self._path(name)
        if entry.content is not None:
            self._write(name, entry.content)
            os.chmod(path, stat.S_IMODE(entry.before[-1]))
            os.utime(path, ns=(entry.before[0], entry.before[0]))
            self._keep(name, _Entry("", entry.before, _stamp(path), entry.content))
        elif stat.S_ISDIR(entry.before[-1]):
            os.mkdir(path, 0o700)
        elif _stamp(entry.source) != entry.before:
            raise TestError(f"{paths.near(entry.source, self._project)} has changed since the tests began: run them again")
        else:
            self._copy_file(name, entry.source)

    def _path(self, name: str) -> str:
        return os.path.join(self.root, name) if name else self.root


def remove(path: str) -> int:
    """Remove a file or a directory with all that is in it, whatever its modes; return the bytes of its files."""
    total, directories, waiting = 0, [], [path]
    while waiting:
        inside = waiting.pop()
        try:
            status = os.lstat(inside)
        except FileNotFoundError:
            continue
        if not stat.S_ISDIR(status.st_mode):
            os.unlink(inside)
            total += status.st_size if stat.S_ISREG(status.st_mode) else 0
            continue
        _open_up(inside, status)
        directories.append(inside)
        waiting += [os.path.join(inside, name) for name in os.listdir(inside)]
    for directory in reversed(directories):
        os.rmdir(directory)
    return total


def size(path: str) -> int:
    """The bytes of all files below a directory that is being written to."""
    return sum(_sizes(path))


def _sizes(path: str) -> Iterator[int]:
    try:
        with os.scandir(path) as entries:
            found = list(entries)
    except OSError:  # removed meanwhile
        return
    for entry in found:
        if entry.is_dir(follow_symlinks=False):
            yield from _sizes(entry.path)
        else:
            try:
                yield entry.stat(follow_symlinks=False).st_size
            except OSError:
                continue


def _open_up(path: str, status: os.stat_result) -> None:
    """Let the owner of a directory change it."""
    if status.st_mode & 0o700 != 0o700:
        os.chmod(path, 0o700)


def _stamp(path: str) -> _Stamp:
    return _stamp_of(os.lstat(path))


def _stamp_of(status: os.stat_result) -> _Stamp:
    """Times, inode, size and mode; the ctime changes with every write, and no program can set it."""
    return (status.st_mtime_ns, status.st_ctime_ns, status.st_size, status.st_ino, status.st_mode)


def _message(error: OSError) -> str:
    reason = "no space left on the disk" if error.errno == errno.ENOSPC else error.strerror or str(error)
    return f"{reason}: {error.filename}" if error.filename else reason
