"""A hook of an Azure custom agent that goes to the list of another event: its own lines, and the comments right above it."""

from __future__ import annotations

import copy
import re
from typing import TYPE_CHECKING

from hooktui.formats import yaml_source
from hooktui.formats.azure import azure_edit

if TYPE_CHECKING:
    from hooktui.formats.node import Node

    Path = tuple[str | int, ...]
    Splice = tuple[int, int, str]

_BOM = "\ufeff"
_LINE_END = re.compile(r"\r\n?|\n|\Z")
_COMMENT = re.compile(r"[ \t]*#")
_REFUSED = "it cannot be moved without changing more: edit the source"


def moved(text: str, path: Path, event: str, *, keep_matcher: bool) -> str:
    """The text with a hook at the end of another event's list, which is made if need be. Raises ValueError."""
    if not keep_matcher and azure_edit.node(text, path).entry("matcher"):
        text = azure_edit.remove_entry(text, (*path, "matcher"))
    body, hooks = text.removeprefix(_BOM), azure_edit.node(text, path[:-2])
    key, entries = next(pair for pair in hooks.entries if pair[0].value == path[-2])
    entry = entries.items[int(path[-1])]
    start, end = _lines(body, entry)
    alone = len(entries.items) == 1
    if hooks.style or entries.style or (alone and body[key.end : start].strip() != ":"):
        raise ValueError(_REFUSED)
    away = _line_start(body, key.start) if alone else start
    splices = [(away, end, ""), *_arrival(body, hooks, event, body[start:end], _column(body, entry))]
    for begin, stop, new in sorted(splices, reverse=True):
        body = body[:begin] + new + body[stop:]
    _require(body, text, path, event)
    return text[: len(text) - len(text.removeprefix(_BOM))] + body


def _arrival(body: str, hooks: Node, event: str, own: str, column: int) -> list[Splice]:
    """Where a hook's own lines come, below the last of the event or below an event that is new."""
    newline = "\r\n" if "\r\n" in body else "\n"
    there = hooks.entry(event)
    last = hooks.entries[-1][1] if there is None else there[1]
    at = _line_end(body, last.end)
    if there is None:
        own = f"{' ' * (hooks.entries[0][0].start - _line_start(body, hooks.entries[0][0].start))}{event}:{newline}{own}"
    elif there[1].items and not there[1].style:
        own = _shifted(own, _column(body, there[1].items[-1]) - column)
    else:
        raise ValueError(_REFUSED)
    complete = own if own.endswith(("\n", "\r")) else own + newline
    return [(at, at, complete if body[:at].endswith(("\n", "\r")) else newline + complete)]


def _lines(body: str, entry: Node) -> tuple[int, int]:
    """The lines of a hook, with the comments right above it."""
    start = _line_start(body, entry.start)
    if body[start : entry.start].strip() != "-":
        raise ValueError(_REFUSED)
    while start and _COMMENT.match(body, above := _line_start(body, start - 1)):
        start = above
    return start, _line_end(body, entry.end)


def _shifted(lines: str, columns: int) -> str:
    """The lines further to the right, or to the left."""
    if columns >= 0:
        return re.sub(r"^(?=[^\r\n])", " " * columns, lines, flags=re.MULTILINE)
    return re.sub(rf"^ {{{-columns}}}", "", lines, flags=re.MULTILINE)


def _column(body: str, entry: Node) -> int:
    """The column of a hook's dash."""
    start = _line_start(body, entry.start)
    return body[start : entry.start].index("-")


def _line_start(body: str, offset: int) -> int:
    return max(body.rfind("\n", 0, offset), body.rfind("\r", 0, offset)) + 1


def _line_end(body: str, offset: int) -> int:
    found = _LINE_END.search(body, offset)
    assert found is not None  # a text has an end
    return found.end()


def _require(body: str, before: str, path: Path, event: str) -> None:
    """Raises ValueError unless just the hook has another place."""
    wanted = [copy.deepcopy(root.value) for root in yaml_source.compose(before.removeprefix(_BOM)).roots]
    lists = wanted[int(path[0])]
    for step in path[1:-2]:
        lists = lists[step]
    entry = lists[path[-2]].pop(path[-1])
    lists.setdefault(event, []).append(entry)
    if not lists[path[-2]]:
        del lists[path[-2]]
    now = yaml_source.compose(body)
    if now.faults or [root.value for root in now.roots] != wanted:
        raise ValueError(_REFUSED)
