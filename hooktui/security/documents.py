"""A person's files, read for editing and written back: only the bytes that must change, never over another's change."""

from __future__ import annotations

import hashlib
import os
import re
import stat
import tempfile
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import takewhile
from typing import TYPE_CHECKING, Final

from hooktui.core import paths
from hooktui.security import trust

if TYPE_CHECKING:
    from hooktui.core.model import Hook

SIZE_LIMIT: Final = 1 << 20  # bytes; more is no hook that one edits in a terminal
FILE_LIMIT: Final = 12  # files of one hook
_DRAFT: Final = ".hooktui-"  # begins the name of a file that is being written; then comes who writes it
_MODE: Final = 0o644  # of a file that is new
_BOM: Final = b"\xef\xbb\xbf"
# What else str.splitlines, and so Textual's editor, takes for the end of a line: it would come back as a line feed.
_OTHER_LINE_ENDS: Final = re.compile("[\r\v\f\x1c-\x1e\x85\u2028\u2029]")


class ChangedError(Exception):
    """The file is not the one that was read: somebody else has changed or removed it."""


@dataclass(frozen=True, slots=True)
class Document:
    """A text file as it was read. `text` has line feeds only, `raw` is what the file holds, `stamp` hashes its bytes.

    `mode` is the file's. `problem` says in words why the file cannot be edited; the text is empty then.
    """

    path: str
    name: str
    text: str = ""
    raw: str = ""
    bom: bool = False
    stamp: str = ""
    mode: int = _MODE
    problem: str = ""


def read(path: str, name: str = "") -> Document:
    """A file ready to edit; never raises for what it is or holds. `name` is what a person calls it."""
    name = name or os.path.basename(path)
    try:
        return replace(document(path, name, _bytes(path)), mode=_mode(path))
    except OSError as error:
        return Document(path, name, problem=error.strerror or str(error))


def document(path: str, name: str, held: bytes) -> Document:
    """A file that holds these bytes, ready to edit."""
    empty = Document(path, name)
    try:
        raw = held.removeprefix(_BOM).decode()
    except UnicodeDecodeError as error:
        return replace(empty, problem=f"not UTF-8: byte {error.start} cannot be read as text")
    text = line_feeds(raw)
    if odd := _OTHER_LINE_ENDS.search(text):
        return replace(empty, problem=f"holds the line separator U+{ord(odd[0]):04X}, which editing here would change")
    return replace(empty, text=text, raw=raw, bom=held.startswith(_BOM), stamp=stamp_of(held))


def read_hook(hook: Hook) -> tuple[Document, ...]:
    """The files of a hook, its own file first, then what it brings along, at most FILE_LIMIT.

    What a save that was killed has left beside them goes: in a hook's directory it would count as a change of the hook.
    """
    root, covered = os.path.dirname(hook.file), trust.covered(hook)
    for directory in {root, *(os.path.dirname(path) for _, path in covered)}:
        _clear_drafts(directory)
    beside = [(name, path) for name, path in covered if path != hook.file and not is_gone(path)]
    own = read(hook.file, os.path.relpath(hook.file, hook.root or root))
    return (own, *(read(path, name) for name, path in beside[: FILE_LIMIT - 1]))


def is_gone(path: str) -> bool:
    """Whether there is nothing at a path."""
    return not os.path.lexists(path)


def save(document: Document, text: str, *, overwrite: bool = False) -> Document:
    """Write the edited text (line feeds only) in place of the document and return it as it is now.

    The file keeps its mode, its byte order mark and the line endings of lines that did not change; a link stays a link.
    Raises ChangedError when the file is no longer what was read, unless `overwrite`; then one that has gone comes back.
    OSError when it cannot be written.
    """
    target = os.path.realpath(document.path)
    raw = with_endings(document, text)
    held = content(document, text)
    if overwrite:
        os.makedirs(os.path.dirname(target), exist_ok=True)  # it may have gone together with the file
    else:
        _check_unchanged(document)
    put(target, held, None if os.path.exists(target) else document.mode)
    return replace(document, text=text, raw=raw, stamp=stamp_of(held))


def content(document: Document, text: str) -> bytes:
    """What the file would hold if the edited text (line feeds only) were saved."""
    return encoded(document, with_endings(document, text))


def encoded(document: Document, raw: str) -> bytes:
    """The bytes of a text that has the file's line endings."""
    return (_BOM if document.bom else b"") + raw.encode()


def put(target: str, content: bytes, mode: int | None = None) -> None:
    """Write bytes at a path at once or not at all; `mode` None keeps the file's own. Raises OSError, with the path."""
    if os.path.exists(target) and not os.access(target, os.W_OK):  # a draft could be put in its place all the same
        os.close(os.open(target, os.O_WRONLY))  # says why
    fd, draft = tempfile.mkstemp(prefix=f"{_DRAFT}{os.getpid()}-", dir=os.path.dirname(target))
    try:
        with open(fd, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(fd)
            _take_after(fd, target, mode)
        os.replace(draft, target)
    except OSError as error:
        os.unlink(draft)
        error.filename = error.filename or target
        raise


def _take_after(fd: int, target: str, mode: int | None) -> None:
    """Give a new file the owner, as far as one may, and the mode of the one that it takes the place of."""
    with suppress(FileNotFoundError):
        old, new = os.stat(target), os.fstat(fd)
        if (old.st_uid, old.st_gid) != (new.st_uid, new.st_gid):
            with suppress(PermissionError):
                os.fchown(fd, old.st_uid, old.st_gid)
    os.fchmod(fd, _mode(target) if mode is None else mode)


def _clear_drafts(directory: str) -> None:
    """Remove what processes that are no more were writing there."""
    with suppress(OSError):
        for name in os.listdir(directory):
            writer = name.removeprefix(_DRAFT).partition("-")[0]
            if name.startswith(_DRAFT) and writer.isdigit() and not _lives(int(writer)):
                os.unlink(os.path.join(directory, name))


def _lives(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def refusal(error: Exception) -> str:
    """Why files were left as they were, for a person: a system's error without its number, and without the name of a draft."""
    if not isinstance(error, OSError):
        return str(error)
    if not isinstance(error.filename, str):
        return f"{error.strerror or error}."
    directory, name = os.path.split(error.filename)
    return f"{paths.short(directory if name.startswith(_DRAFT) else error.filename)}: {error.strerror}."


def _bytes(path: str) -> bytes:
    """The content of a regular file. Raises OSError for anything else, without ever waiting for a pipe."""
    fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    with open(fd, "rb") as file:
        status = os.fstat(fd)
        if not stat.S_ISREG(status.st_mode):
            raise OSError(0, "not a regular file", path)
        if status.st_size > SIZE_LIMIT:
            raise OSError(0, f"too large to edit here: {status.st_size:,} bytes", path)
        return file.read()


def stamp_of(content: bytes) -> str:
    """The `stamp` of a document that holds these bytes."""
    return hashlib.sha256(content).hexdigest()


def _check_unchanged(document: Document) -> None:
    try:
        unchanged = stamp_of(_bytes(document.path)) == document.stamp
    except FileNotFoundError as error:
        raise ChangedError(f"{document.name} was removed") from error
    if not unchanged:
        raise ChangedError(f"{document.name} was changed by somebody else")


def _mode(path: str) -> int:
    try:
        return stat.S_IMODE(os.stat(path).st_mode)
    except FileNotFoundError:
        return _MODE


def line_feeds(raw: str) -> str:
    """The text as it is edited: lines end with a line feed alone."""
    return raw.replace("\r\n", "\n")


def with_endings(document: Document, text: str) -> str:
    """The edited text with the file's line endings: unchanged lines at both ends keep theirs."""
    raw = document.raw
    if "\r\n" not in raw:
        return text
    before, after = _lines(raw), _lines(text)
    head = _common(before, after)
    tail = _common(before[head:][::-1], after[head:][::-1])
    middle = spelled(document, "".join(after[head : len(after) - tail]))
    return "".join([*before[:head], middle, *before[len(before) - tail :]])


def spelled(document: Document, text: str) -> str:
    """A part of a text with the line endings that most lines of the file have."""
    usual = document.raw.count("\r\n") * 2 > document.raw.count("\n")
    return line_feeds(text).replace("\n", "\r\n") if usual else text


def _lines(text: str) -> list[str]:
    """Lines with their line feeds; unlike str.splitlines, nothing but a line feed ends one."""
    return re.findall(r"[^\n]*\n|[^\n]+", text)


def _common(one: list[str], other: list[str]) -> int:
    """How many lines two lists share at the front, line endings apart."""
    same = takewhile(lambda pair: line_feeds(pair[0]) == pair[1], zip(one, other, strict=False))
    return sum(1 for _ in same)
