"""Which transcripts are new or have changed, in the order in which they are read."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hooktui.transcripts.reading import moment

if TYPE_CHECKING:
    from collections.abc import Mapping

    from hooktui.transcripts.transcript_files import FilePosition
    from hooktui.transcripts.transcript_spec import TranscriptSpec

_HEAD = 16_384  # bytes that tell how a file begins
_ID, _TIME, _OWNER = b'"uuid":"', b'"timestamp":"', b'"requestSessionId":"'


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
