"""The text of a host's hook file as a tree, and changes to spans of it."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from hooktui.core import paths
from hooktui.formats import files, text_edit
from hooktui.formats.json_hooks import file_syntax, json_file
from hooktui.formats.text_edit import BOM

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from hooktui.formats.node import Node
    from hooktui.formats.text_edit import Splice


class RefusedError(Exception):
    """A file cannot be changed safely; the message names it and says why. Nothing was changed."""


@contextmanager
def refusing(path: str, problem: str) -> Iterator[None]:
    """Raise a ValueError about a file as RefusedError, such as "~/x.json cannot be edited: …"."""
    try:
        yield
    except ValueError as error:
        raise RefusedError(f"{paths.short(path)} {problem}: {error}") from error


def read(path: str) -> str | None:
    """A file's text with its byte order mark; None if there is no file. Raises files.UnreadableFileError."""
    if not files.exists(path):
        return None
    data, size = files.read_bytes(path, json_file.LIMIT)
    if size > len(data):
        raise files.UnreadableFileError("too-large", f"{size:,} bytes exceed the size limit of a hook file")
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        raise files.UnreadableFileError("unreadable-file", f"not UTF-8: byte {error.start} cannot be read as text") from error


def body(text: str) -> str:
    """The text without its byte order mark, to which the spans of nodes refer."""
    return text.removeprefix(BOM)


def root(text: str, path: str) -> Node:
    """The object in the text of a file. Raises ValueError, with the line, if the text cannot be read."""
    syntax = file_syntax.of(path)
    read = syntax.read(body(text))
    if read.fault is not None:
        line = body(text).count("\n", 0, read.fault.span[0]) + 1
        raise ValueError(f"line {line}: {read.fault.message}")
    assert read.root is not None
    if not isinstance(read.root.value, dict):
        raise ValueError(f"it must contain a {syntax.name} object")
    return read.root


def is_bare(text: str, path: str) -> bool:
    """Whether the text of a file has no comments that would be lost."""
    return not file_syntax.of(path).read(body(text)).extras


def dangling_commas(text: str, path: str) -> int:
    """How many lists and objects end with a comma, for which a strict host ignores the file."""
    return sum(end - start == 1 for start, end in file_syntax.of(path).read(body(text)).extras)


def spliced(text: str, splices: Iterable[Splice]) -> str:
    """Replace spans of a text's body."""
    inside = body(text)
    return text[: len(text) - len(inside)] + text_edit.spliced(inside, splices)
