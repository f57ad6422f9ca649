"""The syntax of a hook file, told by its name: TOML (`*.toml`) or JSON. Hooks have the same shape in both."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from hooktui.formats import json_source
from hooktui.formats.json_hooks import json_edit

if TYPE_CHECKING:
    from collections.abc import Callable

    from hooktui.core.model import EntryPath
    from hooktui.formats.node import Node, ParsedSource


class FileSyntax(NamedTuple):
    """How files of a syntax are read and changed. Paths lead from the root, `-` is the end of a list.

    `put` and `remove` change one value and no other byte, and raise ValueError if that is impossible.
    """

    name: str
    read: Callable[[str], ParsedSource]
    offset_inside: Callable[[str, Node, int], int]
    put: Callable[[str, EntryPath, object], str]
    remove: Callable[[str, EntryPath], str]


JSON = FileSyntax("JSON", json_source.read, json_source.offset_inside, json_edit.put, json_edit.remove)


def of(path: str) -> FileSyntax:
    """The syntax of the file with a name."""
    return _toml() if path.endswith(".toml") else JSON


@cache
def _toml() -> FileSyntax:
    """The syntax of TOML, whose modules projects without such files never need."""
    from hooktui.formats import toml_edit, toml_source

    return FileSyntax("TOML", toml_source.read, toml_source.offset_inside, toml_edit.put, toml_edit.remove)
