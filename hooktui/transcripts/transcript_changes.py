"""Which transcripts are new or have changed, in the order in which they are read."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

from hooktui.transcripts.reading import moment

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from hooktui.transcripts.transcript_files import FilePosition
    from hooktui.transcripts.transcript_spec import TranscriptSpec

_HEAD = 16_384  # bytes that tell how a file begins
_ID, _TIME, _OWNER = b'"uuid":"', b'"timestamp":"', b'"requestSessionId":"'


class FileHead(NamedTuple):
    """How a transcript begins: the id of its first record, its first time, and whether it names another session as owner."""

    first: str
    at: float
    is_copy: bool


def changed_files(
    agents: Iterable[TranscriptSpec], known: Mapping[str, FilePosition], since: float
) -> list[tuple[TranscriptSpec, FilePosition]]:
    """The transcripts that are new or have changed, and were written after a time.

    The last written comes first, but a fork after the session that it copies.
    """
    changed = []
    for agent in agents:
        new = (file for file in agent.found(agent) if file.changed >= since * 1e9)
        files = [file for file in new if continue_file(agent, file, known.get(file.path))]
        changed += [(agent, family) for family in _families(files)]
    changed.sort(key=lambda pair: -max(file.changed for file in pair[1]))
    return [(agent, file) for agent, family in changed for file in family]


def continue_file(agent: TranscriptSpec, file: FilePosition, known: FilePosition | None) -> bool:
    """Give a file the position from which it is read; whether it is new or has changed."""
    if known is None:
        return True
    file.known = known.mark
    # Another inode or a smaller size: another file than the one that was read.
    if agent.is_continued and known.inode == file.inode and known.position <= file.size:
        file.position, file.session, file.first = known.position, known.session, known.first
    return (known.size, known.changed) != (file.size, file.changed)


def _families(files: list[FilePosition]) -> list[list[FilePosition]]:
    """The files of each conversation, parents before their forks."""
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
        if len(family) > 1:
            family.sort(key=lambda file: _rank(file.path, heads.get(file.path, unread)))
    return list(families.values())


def _rank(path: str, begin: FileHead) -> tuple[bool, float, bool]:
    """The place of a file in its conversation; of two that tell nothing else, the one with subagents is the parent."""
    return begin.is_copy, begin.at, not os.path.isdir(path.removesuffix(".jsonl"))


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
