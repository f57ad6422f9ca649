"""What a change of hook files is made of: steps that check before they act, happen whole or not at all, and have an inverse."""

from __future__ import annotations

import codecs
import contextlib
import difflib
import errno
import os
import shutil
import stat
import tempfile
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hooktui.core import atomic_write, paths
from hooktui.formats.files import Unreadable, read_bytes
from hooktui.security import documents

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

_DRAFT = atomic_write.DRAFT_PREFIX  # formats ignore directories whose names begin with a dot (formats.md §2)
_TREE_LIMIT = 16 << 20  # bytes of a hook's directory that are copied


class CannotChange(Exception):
    """The change cannot be made safely; the message says why, in a sentence. Nothing was written."""


@dataclass(frozen=True, slots=True)
class Write:
    """A file's bytes replaced; None is no file. `made` are the directories that come and go with it, the outermost first."""

    path: str
    before: bytes | None
    after: bytes | None
    mode: int | None = None
    made: tuple[str, ...] = ()

    def check(self) -> None:
        """Raises saving.ChangedError when the file is not as it was, PermissionError where nothing can be written."""
        if content(self.path) != self.before:
            raise documents.ChangedError(f"{paths.short(self.path)} was changed by somebody else")
        _require_writable(self.path)

    def do(self) -> None:
        """Write the bytes through a temporary file, or take the file away. Raises OSError."""
        if self.after is not None:
            os.makedirs(os.path.dirname(self.path), exist_ok=True)
            atomic_write.write(os.path.realpath(self.path), self.after, self.mode)
            return
        os.unlink(self.path)
        _leave(self.made)

    def inverse(self) -> Write:
        """What takes the step back."""
        return Write(self.path, self.after, self.before, self.mode, self.made)


@dataclass(frozen=True, slots=True)
class Mode:
    """A file's permissions replaced."""

    path: str
    before: int
    after: int

    def check(self) -> None:
        """Raises saving.ChangedError when the permissions are not as they were, OSError when the file is gone."""
        if stat.S_IMODE(os.stat(self.path).st_mode) != self.before:
            raise documents.ChangedError(f"the permissions of {paths.short(self.path)} were changed by somebody else")

    def do(self) -> None:
        """Set them. Raises OSError."""
        os.chmod(self.path, self.after)

    def inverse(self) -> Mode:
        """What takes the step back."""
        return Mode(self.path, self.after, self.before)


@dataclass(frozen=True, slots=True)
class Move:
    """A file or directory that gets another path."""

    source: str
    target: str

    @property
    def path(self) -> str:
        """What has to stand there before."""
        return self.source

    def check(self) -> None:
        """Raises CannotChange when there is nothing to move, or something else at its target."""
        if not os.path.lexists(self.source):
            raise CannotChange(f"{paths.short(self.source)} is not there any more.")
        # On a disk that is blind to case, one file stands under both names.
        if os.path.lexists(self.target) and not os.path.samefile(self.source, self.target):
            raise CannotChange(f"There is something else at {paths.short(self.target)} now.")

    def do(self) -> None:
        """Rename it, or copy it to another disk before it goes. Raises OSError."""
        os.makedirs(os.path.dirname(self.target), exist_ok=True)
        try:
            os.rename(self.source, self.target)
        except OSError as error:
            if error.errno != errno.EXDEV:
                raise
            self._to_another_disk()

    def _to_another_disk(self) -> None:
        """Copied out of sight before it gets its name, renamed out of sight before it goes: never half in either place."""
        draft = _beside(self.target)
        if os.path.isdir(self.source) and not os.path.islink(self.source):
            shutil.copytree(self.source, draft, symlinks=True)
        else:
            shutil.copy2(self.source, draft, follow_symlinks=False)
        os.rename(draft, self.target)
        gone = _beside(self.source)
        os.rename(self.source, gone)
        _remove(gone)

    def inverse(self) -> Move:
        """What takes the step back."""
        return Move(self.target, self.source)


@dataclass(frozen=True, slots=True)
class TreeFile:
    """One file below a directory: its bytes, or where it leads when it is a link."""

    name: str
    content: bytes
    mode: int = 0o644
    link: str | None = None


@dataclass(frozen=True, slots=True)
class FileTree:
    """A directory with files made, or with `gone` taken away again. `made` as in `Write`."""

    path: str
    files: tuple[TreeFile, ...]
    gone: bool = False
    made: tuple[str, ...] = ()

    def check(self) -> None:
        """Raises CannotChange when something else stands there, PermissionError where nothing can be made."""
        if not self.gone and os.path.lexists(self.path):
            raise CannotChange(f"There is a {paths.short(self.path)} already.")
        _require_writable(self.path)
        if self.gone and not self.stands():
            raise CannotChange(f"{paths.short(self.path)} was changed since: delete it if you no longer want it.")

    def stands(self) -> bool:
        """Whether the directory holds just these files."""
        try:
            return {one.name: one for one in read_tree(self.path)} == {one.name: one for one in self.files}
        except (OSError, CannotChange):
            return False

    def do(self) -> None:
        """Make it out of sight and rename it to its name, or the other way round. Raises OSError."""
        if self.gone:
            aside = _beside(self.path)
            os.rename(self.path, aside)
            _remove(aside)
            _leave(self.made)
            return
        os.makedirs(os.path.dirname(self.path), exist_ok=True)
        draft = _beside(self.path)
        try:
            for one in self.files:
                _make(os.path.join(draft, one.name), one)
            os.rename(draft, self.path)
        except OSError:
            shutil.rmtree(draft, ignore_errors=True)
            raise

    def inverse(self) -> FileTree:
        """What takes the step back."""
        return FileTree(self.path, self.files, not self.gone, self.made)


Step = Write | Mode | Move | FileTree


def do_all(steps: Iterable[Step], do: Callable[[Step], None] = lambda step: step.do()) -> None:
    """Check every step, then do one after the other; what a step moves is checked where it comes to stand.

    Raises what a step raises, of which CannotChange, saving.ChangedError and OSError are meant; then nothing is changed.
    """
    steps = tuple(steps)
    moved = {step.target for step in steps if isinstance(step, Move)}
    for step in steps:
        if step.path not in moved:
            step.check()
    done: list[Step] = []
    try:
        for step in steps:
            if step.path in moved:
                step.check()
            do(step)
            done.append(step)
    except (OSError, CannotChange, documents.ChangedError):
        for step in reversed(done):
            with contextlib.suppress(OSError):  # what cannot be taken back either is told by the first error
                do(step.inverse())
        raise


def write(path: str, text: str | None, *, mode: int | None = None) -> Write:
    """The step that gives a file a text (its byte order mark included); None takes it away, for its inverse to bring it back.

    Raises OSError.
    """
    before = content(path)
    if text is None and before is not None:
        mode = stat.S_IMODE(os.stat(path).st_mode)
    made = paths.missing_directories(os.path.dirname(path)) if before is None else ()
    return Write(path, before, None if text is None else text.encode(), mode, made)


def tree(path: str, files: tuple[TreeFile, ...]) -> FileTree:
    """The step that makes a directory with files."""
    return FileTree(path, files, made=paths.missing_directories(os.path.dirname(path)))


def content(path: str) -> bytes | None:
    """The bytes of a file, None when there is none. Raises CannotChange for what is no file that can be read whole."""
    if not os.path.lexists(path):
        return None
    try:
        data, size = read_bytes(path, documents.SIZE_LIMIT)
    except Unreadable as error:
        raise CannotChange(f"{paths.short(path)}: {error}.") from error
    if size > len(data):
        raise CannotChange(f"{paths.short(path)} is too large to change here: {size:,} bytes.")
    return data


def text(path: str) -> str | None:
    """The text of a file with its byte order mark and line ends, None when there is none. Raises CannotChange."""
    data = content(path)
    try:
        return None if data is None else data.decode()
    except UnicodeDecodeError as error:
        raise CannotChange(f"{paths.short(path)} is not UTF-8: byte {error.start} cannot be read as text.") from error


def read_tree(directory: str) -> tuple[TreeFile, ...]:
    """Every file below a directory. Raises CannotChange for what cannot be copied, OSError for what cannot be read."""
    found = tuple(_below(directory, ""))
    if sum(len(one.content) for one in found) > _TREE_LIMIT:
        raise CannotChange(f"{paths.short(directory)} is too large to copy.")
    return found


def diffs(step: Step) -> Iterator[tuple[str, str]]:
    """What a step changes in files, as (path, unified diff without the names of the files); a move changes no bytes."""
    if isinstance(step, Write):
        yield step.path, _diff(step.before or b"", step.after or b"")
    elif isinstance(step, FileTree):
        for one in step.files:
            sides = (one.content, b"") if step.gone else (b"", one.content)
            yield os.path.join(step.path, one.name), _diff(*sides)


def _diff(before: bytes, after: bytes) -> str:
    old, new = (data.decode("utf-8-sig", errors="replace") for data in (before, after))
    sides = (old, new) if "mixed" in (_ends(old), _ends(new)) else (old.replace("\r\n", "\n"), new.replace("\r\n", "\n"))
    was, now = (side.removesuffix("\n").split("\n") if side else [] for side in sides)
    lines = [*difflib.unified_diff(was, now, lineterm="", n=2)][2:]
    return "\n".join([*_unseen(before, after, _ends(old), _ends(new)), *lines])


def _unseen(before: bytes, after: bytes, *ends: str) -> Iterator[str]:
    """What no line of a difference would show: the way in which all lines end, and what stands before the first."""
    if before and after and ends[0] != ends[1] and "mixed" not in ends:
        yield from (f"-lines end with {ends[0]}", f"+lines end with {ends[1]}")
    if before.startswith(codecs.BOM_UTF8) and after and not after.startswith(codecs.BOM_UTF8):
        yield "-a byte order mark before the first line"


def _ends(text: str) -> str:
    windows = text.count("\r\n")
    return "LF" if not windows else "CRLF" if windows == text.count("\n") else "mixed"


def _below(directory: str, prefix: str) -> Iterator[TreeFile]:
    with os.scandir(directory) as scan:
        found = sorted(scan, key=lambda entry: entry.name)
    for entry in found:
        name = prefix + entry.name
        if entry.is_symlink():
            yield TreeFile(name, b"", 0, os.readlink(entry.path))
        elif entry.is_dir():
            yield from _below(entry.path, name + os.sep)
        elif entry.is_file():
            with open(entry.path, "rb") as file:
                yield TreeFile(name, file.read(_TREE_LIMIT + 1), stat.S_IMODE(entry.stat().st_mode))
        else:
            raise CannotChange(f"{paths.short(entry.path)} is no file that could be copied.")


def _make(path: str, entry: TreeFile) -> None:
    os.makedirs(os.path.dirname(path), exist_ok=True)
    if entry.link is not None:
        os.symlink(entry.link, path)
        return
    with open(path, "xb") as file:
        file.write(entry.content)
        file.flush()
        os.fsync(file.fileno())
        os.fchmod(file.fileno(), entry.mode)


def _leave(made: tuple[str, ...]) -> None:
    """Take away directories that came with a change, the outermost of which stands first."""
    for directory in reversed(made):
        with contextlib.suppress(OSError):  # somebody else's file is in it
            os.rmdir(directory)


def _require_writable(path: str) -> None:
    """Raises PermissionError when a path is read-only, or, while it is missing, the directory that it would be made in."""
    while not os.path.lexists(path):
        path = os.path.dirname(path)
    if not os.access(path, os.W_OK):
        raise PermissionError(errno.EACCES, "it is read-only", path)


def _beside(path: str) -> str:
    """A new name in the same directory that no host looks at."""
    directory = tempfile.mkdtemp(prefix=_DRAFT, dir=os.path.dirname(path))
    os.rmdir(directory)
    return directory


def _remove(path: str) -> None:
    """What stands out of sight is of no use to anybody: what cannot be removed may stay."""
    if os.path.isdir(path) and not os.path.islink(path):
        shutil.rmtree(path, ignore_errors=True)
    else:
        with contextlib.suppress(OSError):
            os.unlink(path)
