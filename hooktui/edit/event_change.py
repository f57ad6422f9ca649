"""Move an entry of a JSON or YAML file to another event's list, leaving its own bytes as they are."""

from __future__ import annotations

import copy
import re
from typing import TYPE_CHECKING

from hooktui import hosts
from hooktui.catalog import matching
from hooktui.core import events, paths
from hooktui.core.model import AzureEntry
from hooktui.edit.change_plan import ChangePlan
from hooktui.edit.file_entries import HOSTS, locate, move_json_entry, read, rename_event, require_editable
from hooktui.edit.file_steps import CannotChange, write
from hooktui.formats import yaml_source
from hooktui.formats.azure import azure_edit

if TYPE_CHECKING:
    from hooktui.core.model import EntryPath, Hook
    from hooktui.formats.node import Node

    Splice = tuple[int, int, str]  # start, end, replacement

_BOM = "\ufeff"
_LINE_END = re.compile(r"\r\n?|\n|\Z")
_COMMENT = re.compile(r"[ \t]*#")
_REFUSED = "it cannot be moved without changing other text: edit the source"


def change_event(hook: Hook, event: str) -> ChangePlan:
    """Plan a hook's move to another event, in its format's spelling. Raises CannotChange.

    The matcher is kept between tool events; on any other event it would match something else, so it is dropped.
    """
    require_editable(hook)
    if event not in hosts.spec(hook.format).events:
        raise CannotChange(f"{HOSTS[hook.format]} has no {event}.")
    located = locate(hook)
    keeps = all((events.canonical(name) or name) in matching.WITH_TOOL for name in (hook.event_as_written, event))
    try:
        if isinstance(hook.source, AzureEntry):
            text = move_azure_entry(located.text, located.path, event, keep_matcher=keeps)
        elif key := hosts.spec(hook.format).entry.event_key:
            text = rename_event(located.text, hook.file, located.path, key, event, keep_matcher=keeps)
        else:
            text = move_json_entry(located.text, hook.file, located.path, event, keep_matcher=keeps)
        step = write(hook.file, text)
    except ValueError as error:
        raise CannotChange(f"{paths.short(hook.file)}: {error}.") from error
    moved = [other for other in read(text, hook) if other.event_as_written == event]
    if isinstance(hook.source, AzureEntry):
        moved = [other for other in moved if other.entry_path[0] == located.path[0]]  # in the same document
    result = next((other for other in moved if other.entry_path == located.path), moved[-1])
    without = "" if keeps or not hook.tool else ", without its matcher"
    return ChangePlan(f"Move {hook.label} to {event}{without}", hook, (step,), result=result)


def move_azure_entry(text: str, path: EntryPath, event: str, *, keep_matcher: bool) -> str:
    """Return the text with a hook at the end of another event's list, created if missing. Raises ValueError."""
    if not keep_matcher and azure_edit.node(text, path).entry("matcher"):
        text = azure_edit.remove_entry(text, (*path, "matcher"))
    body, hooks = text.removeprefix(_BOM), azure_edit.node(text, path[:-2])
    key, entries = next(pair for pair in hooks.entries if pair[0].value == path[-2])
    entry = entries.items[int(path[-1])]
    start, end = _lines(body, entry)
    alone = len(entries.items) == 1
    if hooks.style or entries.style or (alone and body[key.end : start].strip() != ":"):
        raise ValueError(_REFUSED)
    removed = _line_start(body, key.start) if alone else start
    splices = [(removed, end, ""), *_insertion(body, hooks, event, body[start:end], _column(body, entry))]
    for begin, stop, new in sorted(splices, reverse=True):
        body = body[:begin] + new + body[stop:]
    _require_moved(body, text, path, event)
    return text[: len(text) - len(text.removeprefix(_BOM))] + body


def _insertion(body: str, hooks: Node, event: str, own: str, column: int) -> list[Splice]:
    """Insert a hook's lines below the last hook of the event, or below a new event."""
    newline = "\r\n" if "\r\n" in body else "\n"
    existing = hooks.entry(event)
    last = hooks.entries[-1][1] if existing is None else existing[1]
    at = _line_end(body, last.end)
    if existing is None:
        own = f"{' ' * (hooks.entries[0][0].start - _line_start(body, hooks.entries[0][0].start))}{event}:{newline}{own}"
    elif existing[1].items and not existing[1].style:
        own = _indented(own, _column(body, existing[1].items[-1]) - column)
    else:
        raise ValueError(_REFUSED)
    complete = own if own.endswith(("\n", "\r")) else own + newline
    return [(at, at, complete if body[:at].endswith(("\n", "\r")) else newline + complete)]


def _lines(body: str, entry: Node) -> tuple[int, int]:
    """Return start and end of a hook's lines, including the comments right above it."""
    start = _line_start(body, entry.start)
    if body[start : entry.start].strip() != "-":
        raise ValueError(_REFUSED)
    while start and _COMMENT.match(body, above := _line_start(body, start - 1)):
        start = above
    return start, _line_end(body, entry.end)


def _indented(lines: str, columns: int) -> str:
    """Indent the lines, or dedent them by a negative number of columns."""
    if columns >= 0:
        return re.sub(r"^(?=[^\r\n])", " " * columns, lines, flags=re.MULTILINE)
    return re.sub(rf"^ {{{-columns}}}", "", lines, flags=re.MULTILINE)


def _column(body: str, entry: Node) -> int:
    """Return the column of a hook's dash."""
    start = _line_start(body, entry.start)
    return body[start : entry.start].index("-")


def _line_start(body: str, offset: int) -> int:
    return max(body.rfind("\n", 0, offset), body.rfind("\r", 0, offset)) + 1


def _line_end(body: str, offset: int) -> int:
    match = _LINE_END.search(body, offset)
    assert match is not None  # the pattern matches the end of the text
    return match.end()


def _require_moved(body: str, before: str, path: EntryPath, event: str) -> None:
    """Raise ValueError if the edit changed more than the hook's place."""
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
