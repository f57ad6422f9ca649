"""Transcripts on disk: which are new or have grown, and their lines from where the last import ended."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hooktui.transcripts.reading import moment

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from typing import BinaryIO

    from hooktui.transcripts.transcript_spec import TranscriptSpec

_LONGEST_LINE = 16 << 20  # bytes; a longer line is skipped unread
_PORTION = 8 << 20  # bytes that are read before their events are stored
_HEAD = 16_384  # bytes that tell how a file begins
_ID, _TIME, _OWNER = b'"uuid":"', b'"timestamp":"', b'"requestSessionId":"'


@dataclass(slots=True, kw_only=True)
class FilePosition:
    """How far a transcript was read: a row of the table `transcript`. `state` is what its reader needs to go on, as JSON."""

    path: str
    host: str
    inode: int
    size: int
    changed: int
    session: str = ""
    position: int = 0
    first: str = ""
    state: str = ""


def files_of(name: str, paths: Iterable[str]) -> Iterator[FilePosition]:
    """Files of an agent as they are now, unread; those that are gone or have names that cannot be stored are left out."""
    for path in paths:
        try:
            path.encode()
            status = os.stat(path)
        except (OSError, UnicodeEncodeError):
            continue
        yield FilePosition(path=path, host=name, inode=status.st_ino, size=status.st_size, changed=status.st_mtime_ns)


@dataclass(frozen=True, slots=True)
class FileHead:
    """How a transcript begins: the id of its first record, its first time, and whether it names another session as owner."""

    first: str
    at: float
    is_copy: bool


def changed_files(agent: TranscriptSpec, known: Mapping[str, FilePosition], since: float) -> list[FilePosition]:
    """The transcripts that are new or have changed, and were written after a time; those of one conversation in order.

    The last written comes first, but a fork after the session that it copies.
    """
    files = []
    for file in agent.found(agent):
        before = known.get(file.path)
        if file.changed < since * 1e9 or (before and (before.size, before.changed) == (file.size, file.changed)):
            continue
        # Another inode or a smaller size: another file than the one that was read.
        if before and agent.is_continued and before.inode == file.inode and before.position <= file.size:
            file.position, file.session, file.first, file.state = before.position, before.session, before.first, before.state
        files.append(file)
    files.sort(key=lambda file: -file.changed)
    return _parents_first(files)


def _parents_first(files: list[FilePosition]) -> list[FilePosition]:
    heads = {}
    for file in files:
        if not file.position and os.path.isfile(file.path):
            heads[file.path] = head(file.path)
            file.first = heads[file.path].first
    families: dict[str, list[FilePosition]] = {}
    for file in files:
        families.setdefault(file.first or file.path, []).append(file)
    unread = FileHead("", 0.0, is_copy=False)
    for family in families.values():
        family.sort(key=lambda file: ((begin := heads.get(file.path, unread)).is_copy, begin.at))
    return [file for family in families.values() for file in family]


def head(path: str) -> FileHead:
    """Read how a transcript begins."""
    try:
        with open(path, "rb") as file:
            begin = file.read(_HEAD)
    except OSError:
        begin = b""
    owner, own = _after(begin, _OWNER), os.path.basename(path).removesuffix(".jsonl")
    return FileHead(_after(begin, _ID), moment(_after(begin, _TIME)), is_copy=bool(owner) and owner != own)


def _after(text: bytes, sign: bytes) -> str:
    """The text between a sign and the next quote, "" without it."""
    return text.partition(sign)[2].partition(b'"')[0][:100].decode("utf-8", "replace")


@dataclass(slots=True)
class Portion:
    """Complete lines of a file, and where they end. `too_long` counts lines that were skipped unread, `cut` a last one."""

    lines: list[bytes]
    end: int
    too_long: int = 0
    cut: int = 0


def portions(file: FilePosition) -> Iterator[Portion]:
    """The lines of a file from its position on, in portions that fit into memory. Raises OSError."""
    with open(file.path, "rb") as stream:
        stream.seek(file.position)
        portion, size = Portion([], file.position), 0
        while line := stream.readline(_LONGEST_LINE):
            if not line.endswith(b"\n"):
                end = _skip_line(stream) if len(line) == _LONGEST_LINE else None
                if end is None:
                    portion.cut = 1  # it may still be written
                    break
                portion.too_long, portion.end = portion.too_long + 1, end
                continue
            portion.lines.append(line)
            portion.end += len(line)
            size += len(line)
            if size >= _PORTION:
                yield portion
                portion, size = Portion([], portion.end), 0
        if portion.lines or portion.too_long or portion.cut:
            yield portion


def _skip_line(stream: BinaryIO) -> int | None:
    """Skip the rest of a line; where the next begins, None if the line has no end."""
    while piece := stream.readline(_LONGEST_LINE):
        if piece.endswith(b"\n"):
            return stream.tell()
    return None
