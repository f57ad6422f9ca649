"""The steps of a change of hook files: each checks before it acts, acts completely or not at all, and has an inverse."""

from __future__ import annotations

import codecs
import contextlib
import difflib
import errno
import os
import shutil
import stat
import tempfile
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from hooktui.core import atomic_write, paths
from hooktui.formats import documents
from hooktui.formats.files import UnreadableFileError, read_bytes

_DRAFT = atomic_write.DRAFT_PREFIX  # formats ignore directories whose names begin with a dot (formats.md §2)
_TREE_LIMIT = 16 << 20  # bytes of a directory to copy


class ChangeRefusedError(Exception):
    """The change cannot be made safely; the message says why, in a sentence. Nothing is written."""


class Write(NamedTuple):
    """Replace a file's bytes; None is no file. `made`: directories created or removed with it, the outermost first."""

    path: str
    before: bytes | None
    after: bytes | None
    mode: int | None = None
    made: tuple[str, ...] = ()

    def check(self) -> None:
        """Raise ChangedError if the file has changed, PermissionError if it cannot be written."""
        if content(self.path) != self.before:
            raise documents.ChangedError(f"{paths.short(self.path)} was changed by another program")
        _require_writable(self.path)

    def do(self) -> None:
        """Write the bytes through a temporary file, or delete the file. Raises OSError."""
        atomic_write.replace(self.path, self.after, self.mode, self.made)

    def inverse(self) -> Write:
        return Write(self.path, self.after, self.before, self.mode, self.made)


class Mode(NamedTuple):
    """Replace a file's permissions."""

    path: str
    before: int
    after: int

    def check(self) -> None:
        """Raise ChangedError if the permissions have changed, OSError if the file is gone."""
        if stat.S_IMODE(os.stat(self.path).st_mode) != self.before:
            raise documents.ChangedError(f"the permissions of {paths.short(self.path)} were changed by another program")

    def do(self) -> None:
        """Set the permissions. Raises OSError."""
        os.chmod(self.path, self.after)

    def inverse(self) -> Mode:
        return Mode(self.path, self.after, self.before)


class Move(NamedTuple):
    """Move a file or directory to another path."""

    source: str
    target: str

    @property
    def path(self) -> str:
        """The path that must exist before."""
        return self.source

    def check(self) -> None:
        """Raise ChangeRefusedError if the source is missing or the target exists."""
        if not os.path.lexists(self.source):
            raise ChangeRefusedError(f"{paths.short(self.source)} no longer exists.")
        # A case-insensitive disk has the file under both names.
        if os.path.lexists(self.target) and not os.path.samefile(self.source, self.target):
            raise ChangeRefusedError(f"{paths.short(self.target)} already exists.")

    def do(self) -> None:
        """Rename it, or copy it to another disk and delete it. Raises OSError."""
        paths.make_directories(os.path.dirname(self.target), paths.SHARED)
        try:
            os.rename(self.source, self.target)
        except OSError as error:
            if error.errno != errno.EXDEV:
                raise
            self._to_another_disk()

    def _to_another_disk(self) -> None:
        """Copy to a hidden name first and rename, then rename the source and delete it: neither place is ever half done."""
        draft = _hidden_name(self.target)
        if os.path.isdir(self.source) and not os.path.islink(self.source):
            shutil.copytree(self.source, draft, symlinks=True)
        else:
            shutil.copy2(self.source, draft, follow_symlinks=False)
        os.rename(draft, self.target)
        gone = _hidden_name(self.source)
        os.rename(self.source, gone)
        _remove(gone)

    def inverse(self) -> Move:
        return Move(self.target, self.source)


class TreeFile(NamedTuple):
    """A file below a directory: its bytes, or the target of a link."""

    name: str
    content: bytes
    mode: int = 0o644
    link: str | None = None


class FileTree(NamedTuple):
    """Create a directory with files, or with `gone` delete it. `made` as in `Write`."""

    path: str
    files: tuple[TreeFile, ...]
    gone: bool = False
    made: tuple[str, ...] = ()

    def check(self) -> None:
        """Raise ChangeRefusedError if something else is there, PermissionError if nothing can be created."""
        if not self.gone and os.path.lexists(self.path):
            raise ChangeRefusedError(f"{paths.short(self.path)} already exists.")
        _require_writable(self.path)
        if self.gone and not self.is_applied():
            raise ChangeRefusedError(
                f"{paths.short(self.path)} has changed since: delete it yourself if you no longer want it."
            )

    def is_applied(self) -> bool:
        try:
            return {file.name: file for file in read_tree(self.path)} == {file.name: file for file in self.files}
        except (OSError, ChangeRefusedError):
            return False

    def do(self) -> None:
        """Create it under a hidden name and rename it, or the other way round. Raises OSError."""
        if self.gone:
            aside = _hidden_name(self.path)
            os.rename(self.path, aside)
            _remove(aside)
            atomic_write.remove_empty(self.made)
            return
        paths.make_directories(os.path.dirname(self.path), paths.SHARED)
        draft = _hidden_name(self.path)
        try:
            for file in self.files:
                _create(os.path.join(draft, file.name), file)
            os.rename(draft, self.path)
        except OSError:
            shutil.rmtree(draft, ignore_errors=True)
            raise

    def inverse(self) -> FileTree:
        return FileTree(self.path, self.files, not self.gone, self.made)


Step = Write | Mode | Move | FileTree


def do_all(steps: Iterable[Step], do: Callable[[Step], None] = lambda step: step.do()) -> None:
    """Check all steps, then apply them in order; a step on a moved file is checked after the move.

    Raises ChangeRefusedError, ChangedError or OSError as a step does; then nothing has changed.
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
    except (OSError, ChangeRefusedError, documents.ChangedError):
        for step in reversed(done):
            with contextlib.suppress(OSError):  # the first error is reported
                do(step.inverse())
        raise


def write(path: str, text: str | None, *, mode: int | None = None) -> Write:
    """Plan the step that writes a text, including its byte order mark, to a file; None deletes the file. Raises OSError."""
    before = content(path)
    if text is None and before is not None:
        mode = stat.S_IMODE(os.stat(path).st_mode)
    made = paths.missing_directories(os.path.dirname(path)) if before is None else ()
    return Write(path, before, None if text is None else text.encode(), mode, made)


def tree(path: str, files: tuple[TreeFile, ...]) -> FileTree:
    """Plan the step that creates a directory with files."""
    return FileTree(path, files, made=paths.missing_directories(os.path.dirname(path)))


def content(path: str) -> bytes | None:
    """Read a file's bytes; None if it is missing. Raises ChangeRefusedError if it cannot be read completely."""
    if not os.path.lexists(path):
        return None
    try:
        data, size = read_bytes(path, documents.SIZE_LIMIT)
    except UnreadableFileError as error:
        raise ChangeRefusedError(f"{paths.short(path)}: {error}.") from error
    if size > len(data):
        raise ChangeRefusedError(f"{paths.short(path)} is too large to change: {size:,} bytes.")
    return data


def text(path: str) -> str | None:
    """Read a file's text with its byte order mark and line endings; None if it is missing. Raises ChangeRefusedError."""
    data = content(path)
    try:
        return None if data is None else data.decode()
    except UnicodeDecodeError as error:
        raise ChangeRefusedError(f"{paths.short(path)} is not UTF-8: byte {error.start} is not text.") from error


def read_tree(directory: str) -> tuple[TreeFile, ...]:
    """Read every file below a directory. Raises ChangeRefusedError if one cannot be copied, OSError if one cannot be read."""
    files = tuple(_below(directory, ""))
    if sum(len(file.content) for file in files) > _TREE_LIMIT:
        raise ChangeRefusedError(f"{paths.short(directory)} is too large to copy.")
    return files


def diffs(step: Step) -> Iterator[tuple[str, str]]:
    """Yield the path and unified diff, without file names, of each file that a step changes; a move changes none."""
    if isinstance(step, Write):
        yield step.path, _diff(step.before or b"", step.after or b"")
    elif isinstance(step, FileTree):
        for file in step.files:
            sides = (file.content, b"") if step.gone else (b"", file.content)
            yield os.path.join(step.path, file.name), _diff(*sides)


def written_files(steps: Iterable[Step]) -> Iterator[TreeFile]:
    """Yield the files that steps write, each with its absolute path as its name."""
    for step in steps:
        if isinstance(step, Write):
            yield TreeFile(step.path, step.after or b"", step.mode or 0o644)
        elif isinstance(step, FileTree):
            yield from (file._replace(name=os.path.join(step.path, file.name)) for file in step.files)


def _diff(before: bytes, after: bytes) -> str:
    old, new = (data.decode("utf-8-sig", errors="replace") for data in (before, after))
    sides = (old, new) if "mixed" in (_endings(old), _endings(new)) else (old.replace("\r\n", "\n"), new.replace("\r\n", "\n"))
    was, now = (side.removesuffix("\n").split("\n") if side else [] for side in sides)
    lines = [*difflib.unified_diff(was, now, lineterm="", n=2)][2:]
    return "\n".join([*_invisible_changes(before, after, _endings(old), _endings(new)), *lines])


def _invisible_changes(before: bytes, after: bytes, *ends: str) -> Iterator[str]:
    """Yield the changes that no line of a diff shows: all line endings, and the byte order mark."""
    if before and after and ends[0] != ends[1] and "mixed" not in ends:
        yield from (f"-line endings: {ends[0]}", f"+line endings: {ends[1]}")
    if before.startswith(codecs.BOM_UTF8) and after and not after.startswith(codecs.BOM_UTF8):
        yield "-byte order mark"


def _endings(text: str) -> str:
    windows = text.count("\r\n")
    return "LF" if not windows else "CRLF" if windows == text.count("\n") else "mixed"


def _below(directory: str, prefix: str) -> Iterator[TreeFile]:
    with os.scandir(directory) as scan:
        entries = sorted(scan, key=lambda entry: entry.name)
    for entry in entries:
        name = prefix + entry.name
        if entry.is_symlink():
            yield TreeFile(name, b"", 0, os.readlink(entry.path))
        elif entry.is_dir():
            yield from _below(entry.path, name + os.sep)
        elif entry.is_file():
            with open(entry.path, "rb") as file:
                yield TreeFile(name, file.read(_TREE_LIMIT + 1), stat.S_IMODE(entry.stat().st_mode))
        else:
            raise ChangeRefusedError(f"{paths.short(entry.path)} is not a regular file and cannot be copied.")


def _create(path: str, entry: TreeFile) -> None:
    paths.make_directories(os.path.dirname(path), paths.SHARED)
    if entry.link is not None:
        os.symlink(entry.link, path)
        return
    with open(path, "xb") as file:
        file.write(entry.content)
        file.flush()
        os.fsync(file.fileno())
        os.fchmod(file.fileno(), entry.mode)


def _require_writable(path: str) -> None:
    """Raise PermissionError if a path, or the nearest existing directory above it, is read-only."""
    while not os.path.lexists(path):
        path = os.path.dirname(path)
    if not os.access(path, os.W_OK):
        raise PermissionError(errno.EACCES, "it is read-only", path)


def _hidden_name(path: str) -> str:
    """Return an unused name in the same directory that hosts ignore."""
    directory = tempfile.mkdtemp(prefix=_DRAFT, dir=os.path.dirname(path))
    os.rmdir(directory)
    return directory


def _remove(path: str) -> None:
    """Delete a file or directory under a hidden name; on failure it stays."""
    if os.path.isdir(path) and not os.path.islink(path):
        shutil.rmtree(path, ignore_errors=True)
    else:
        with contextlib.suppress(OSError):
            os.unlink(path)
