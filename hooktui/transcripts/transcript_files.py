"""Transcripts on disk: files, and their lines from where the last import ended."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, BinaryIO, ClassVar

LONGEST_LINE = 16 << 20  # bytes; a longer line is skipped
_PORTION = 8 << 20  # bytes that are read before their events are stored


@dataclass(slots=True, kw_only=True)
class FilePosition:
    """How far a transcript was read: a row of the table `transcript`. `state` is what its reader needs to go on, as JSON.

    `known` identifies the row in the log, None if there is none. It changes when a portion of the file is stored.
    """

    path: str
    host: str
    inode: int
    size: int
    changed: int
    session: str = ""
    position: int = 0
    first: str = ""
    state: str = ""
    known: tuple[int, ...] | None = None

    COLUMNS: ClassVar = ("path", "host", "session", "inode", "size", "changed", "position", "first", "state")

    @property
    def row(self) -> tuple[Any, ...]:
        return tuple(getattr(self, name) for name in self.COLUMNS)

    @property
    def mark(self) -> tuple[int, ...]:
        """What identifies a state of the file and of its row."""
        return self.inode, self.size, self.changed, self.position


def files_of(name: str, paths: Iterable[str]) -> Iterator[FilePosition]:
    """Files of an agent as they are now, unread; those that are gone or have names that cannot be stored are left out."""
    for path in paths:
        try:
            path.encode()
            status = os.stat(path)
        except (OSError, UnicodeEncodeError):
            continue
        yield FilePosition(path=path, host=name, inode=status.st_ino, size=status.st_size, changed=status.st_mtime_ns)


@dataclass(slots=True)
class Portion:
    """Complete lines of a file, and where they end. `too_long` counts lines that were skipped, `cut` a last one without end."""

    lines: list[bytes]
    end: int
    too_long: int = 0
    cut: int = 0


def portions(file: FilePosition) -> Iterator[Portion]:
    """The lines of a file from its position on, in portions that fit into memory. Raises OSError."""
    with open(file.path, "rb") as stream:
        stream.seek(file.position)
        portion, rest = Portion([], file.position), b""
        while block := stream.read(_PORTION):
            if portion.lines or portion.too_long:
                yield portion
            portion = Portion((rest + block).split(b"\n"), 0)
            rest = portion.lines.pop()  # the beginning of a line
            if portion.lines and len(portion.lines[0]) > LONGEST_LINE:
                del portion.lines[0]
                portion.too_long = 1
            portion.end = stream.tell() - len(rest)
            while len(rest) > LONGEST_LINE and (lines := _after_line(stream)):
                *lines, rest = lines
                portion.lines += lines
                portion.too_long += 1
                portion.end = stream.tell() - len(rest)
        portion.cut = int(bool(rest))  # it may still be written
        if portion.lines or portion.too_long or portion.cut:
            yield portion


def _after_line(stream: BinaryIO) -> list[bytes]:
    """Skip the rest of a line; the lines behind it that were read, none if it has no end."""
    while block := stream.read(_PORTION):
        if b"\n" in block:
            return block.split(b"\n")[1:]
    return []
