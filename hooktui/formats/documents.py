"""Read a person's files for editing and write them back: only the bytes that change, never over another program's change."""

from __future__ import annotations

import hashlib
import os
import re
import stat
from itertools import takewhile
from typing import Final, NamedTuple

from hooktui.core import atomic_write, paths
from hooktui.core.model import Hook
from hooktui.runner import trust

SIZE_LIMIT: Final = 1 << 20  # bytes; nobody edits a larger hook in a terminal
FILE_LIMIT: Final = 12  # files of one hook
_BOM: Final = b"\xef\xbb\xbf"
# str.splitlines, and so Textual's editor, also ends a line at these: they would come back as line feeds.
_OTHER_LINE_ENDS: Final = re.compile("[\r\v\f\x1c-\x1e\x85\u2028\u2029]")


class ChangedError(Exception):
    """Another program has changed or removed the file since it was read."""


class TextFile(NamedTuple):
    """A text file as it was read.

    `text` has line feeds only, `raw` is the file's own text, `stamp` hashes its bytes, `mode` holds its permission bits.
    `problem` says why the file cannot be edited; the text is empty then. `locked` says why it may only be read.
    """

    path: str
    name: str
    text: str = ""
    raw: str = ""
    bom: bool = False
    stamp: str = ""
    mode: int = 0o644
    problem: str = ""
    locked: str = ""


def read(path: str, name: str = "") -> TextFile:
    """Read a file for editing; never raises. `name` is the file's name for a person."""
    name = name or os.path.basename(path)
    try:
        return text_file(path, name, _read_bytes(path))._replace(mode=atomic_write.mode_of(path))
    except OSError as error:
        return TextFile(path, name, problem=error.strerror or str(error))


def text_file(path: str, name: str, held: bytes) -> TextFile:
    """The document of a file with this content."""
    empty = TextFile(path, name)
    try:
        raw = held.removeprefix(_BOM).decode()
    except UnicodeDecodeError as error:
        return empty._replace(problem=f"not UTF-8: byte {error.start} cannot be read as text")
    text = line_feeds(raw)
    if odd := _OTHER_LINE_ENDS.search(text):
        return empty._replace(problem=f"contains the line separator U+{ord(odd[0]):04X}, which editing here would change")
    return empty._replace(text=text, raw=raw, bom=held.startswith(_BOM), stamp=stamp_of(held))


def read_hook(hook: Hook) -> tuple[TextFile, ...]:
    """Read the files of a hook, its own file first and at most FILE_LIMIT.

    Removes the drafts of killed saves: in a hook's directory they would count as a change of the hook.
    """
    root, covered = os.path.dirname(hook.file), trust.covered(hook)
    for directory in {root, *(os.path.dirname(path) for _, path in covered)} if not hook.read_only else ():
        atomic_write.remove_stale_drafts(directory)
    others = [(name, path) for name, path in covered if path != hook.file and not is_gone(path)]
    own = read(hook.file, os.path.relpath(hook.file, hook.root or root))
    files = (own, *(read(path, name) for name, path in others[: FILE_LIMIT - 1]))
    return tuple(file._replace(locked=hook.read_only) for file in files) if hook.read_only else files


def is_gone(path: str) -> bool:
    """Whether a path does not exist."""
    return not os.path.lexists(path)


def save(document: TextFile, text: str, *, overwrite: bool = False) -> TextFile:
    """Save the edited text (line feeds only) and return the document as it is now.

    The file keeps its mode, its byte order mark and the line endings of unchanged lines; a link stays a link. Raises
    ChangedError when the file has changed since it was read, unless `overwrite`, which also recreates a removed file;
    OSError when it cannot be written.
    """
    target = os.path.realpath(document.path)
    raw = with_endings(document, text)
    held = content(document, text)
    if overwrite:
        paths.make_directories(os.path.dirname(target), paths.SHARED)  # may have been removed together with the file
    else:
        _check_unchanged(document)
    atomic_write.write(target, held, None if os.path.exists(target) else document.mode)
    return document._replace(text=text, raw=raw, stamp=stamp_of(held))


def content(document: TextFile, text: str) -> bytes:
    """The file's bytes with the edited text (line feeds only)."""
    return encoded(document, with_endings(document, text))


def encoded(document: TextFile, raw: str) -> bytes:
    """The file's bytes with a text that has the file's line endings."""
    return (_BOM if document.bom else b"") + raw.encode()


def stamp_of(content: bytes) -> str:
    """The `stamp` of a document with this content."""
    return hashlib.sha256(content).hexdigest()


def line_feeds(raw: str) -> str:
    """The text with line feeds as its only line endings."""
    return raw.replace("\r\n", "\n")


def with_endings(document: TextFile, text: str) -> str:
    """The edited text with the file's line endings: unchanged lines at the start and the end keep theirs."""
    raw = document.raw
    if "\r\n" not in raw:
        return text
    before, after = _lines(raw), _lines(text)
    head = _common(before, after)
    tail = _common(before[head:][::-1], after[head:][::-1])
    middle = spelled(document, "".join(after[head : len(after) - tail]))
    return "".join([*before[:head], middle, *before[len(before) - tail :]])


def spelled(document: TextFile, text: str) -> str:
    """A part of a text with the line ending of most of the file's lines."""
    is_crlf = document.raw.count("\r\n") * 2 > document.raw.count("\n")
    return line_feeds(text).replace("\n", "\r\n") if is_crlf else text


def _read_bytes(path: str) -> bytes:
    """The content of a regular file. Raises OSError for anything else, without ever waiting for a pipe."""
    fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    with open(fd, "rb") as file:
        status = os.fstat(fd)
        if not stat.S_ISREG(status.st_mode):
            raise OSError(0, "not a regular file", path)
        if status.st_size > SIZE_LIMIT:
            raise OSError(0, f"too large to edit here: {status.st_size:,} bytes", path)
        return file.read()


def _check_unchanged(document: TextFile) -> None:
    try:
        unchanged = stamp_of(_read_bytes(document.path)) == document.stamp
    except FileNotFoundError as error:
        raise ChangedError(f"{document.name} was removed") from error
    if not unchanged:
        raise ChangedError(f"{document.name} was changed on disk")


def _lines(text: str) -> list[str]:
    """Lines with their line feeds; unlike str.splitlines, only a line feed ends a line."""
    return re.findall(r"[^\n]*\n|[^\n]+", text)


def _common(lines: list[str], others: list[str]) -> int:
    """How many lines two lists share at the start, line endings apart."""
    return sum(1 for _ in takewhile(lambda pair: line_feeds(pair[0]) == pair[1], zip(lines, others, strict=False)))
