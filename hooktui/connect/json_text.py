"""A hook file's text as a tree, and pieces of it replaced."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from hooktui.formats import files, json_source
from hooktui.formats.json_hooks import json_hooks

if TYPE_CHECKING:
    from collections.abc import Iterable

    from hooktui.formats.node import Node

    Splice = tuple[int, int, str]

_BOM = "\ufeff"


def read(path: str) -> str | None:
    """A file's text with its byte order mark, None when there is none. Raises files.Unreadable."""
    if not os.path.lexists(path):
        return None
    data, size = files.read_bytes(path, json_hooks.LIMIT)
    if size > len(data):
        raise files.Unreadable("too-large", f"{size:,} bytes are more than a hook file may have")
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        raise files.Unreadable("unreadable-file", f"not UTF-8: byte {error.start} cannot be read as text") from error


def body(text: str) -> str:
    """The text behind a byte order mark: what the places of nodes count in."""
    return text.removeprefix(_BOM)


def root(text: str) -> Node:
    """The object that a text holds. Raises ValueError, with the line, for a text that cannot be read."""
    read = json_source.read(body(text))
    if read.fault is not None:
        line = body(text).count("\n", 0, read.fault.span[0]) + 1
        raise ValueError(f"line {line}: {read.fault.message}")
    assert read.root is not None
    if not isinstance(read.root.value, dict):
        raise ValueError("it holds no object")
    return read.root


def is_bare(text: str) -> bool:
    """Whether there are no comments that somebody would miss."""
    return not json_source.read(body(text)).extras


def spliced(text: str, splices: Iterable[Splice]) -> str:
    """The text with spans of its body replaced."""
    inside = body(text)
    for start, end, new in sorted(splices, reverse=True):
        inside = inside[:start] + new + inside[end:]
    return text[: len(text) - len(body(text))] + inside
