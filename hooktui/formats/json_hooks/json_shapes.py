"""Fixes for values of the wrong shape in a JSON hook file."""

from __future__ import annotations

import json
import re
from typing import Any

from hooktui.config import suggest
from hooktui.core.model import Fix
from hooktui.formats import json_source
from hooktui.formats.diagnostic_collector import DiagnosticCollector
from hooktui.formats.json_hooks.entry_fields import COMMAND_KEYS
from hooktui.formats.node import Node

_NAME = re.compile(r"[\w-]+")
_TELLING = frozenset(("hooks", "type", "url", "prompt", *COMMAND_KEYS))
_NAMED = ("tool", "tools", "tool_name", "tool_names", "toolName", "toolNames")  # keys of a matcher that is an object


def listed(node: Node, notes: DiagnosticCollector) -> Fix | None:
    """Wrap an entry in a list. A text may be a note, so it is left alone."""
    if not _is_entry(node) or not notes.is_json:
        return None
    return notes.replacement("wrap it in a list", node.span, f"[{_text(node, notes)}]")


def grouped(item: Node, notes: DiagnosticCollector) -> Fix | None:
    """Wrap a flat entry in a group with its matcher. None if a comment would be lost."""
    if not _is_entry(item) or not notes.is_json:
        return None
    at = _matcher_at(item)
    if at is None:
        return notes.replacement("wrap it in a group", item.span, f'{{"hooks": [{_text(item, notes)}]}}')
    (key, value), others = item.entries[at], item.entries[:at] + item.entries[at + 1 :]
    end = others[-1][1].end
    if at == 0:
        rest = notes.text[others[0][0].start : end]
    else:
        before = item.entries[at - 1][1].end
        rest = notes.text[others[0][0].start : before] + notes.text[value.end : max(end, value.end)]
    name = notes.text[key.start : key.end] if key.value == "matcher" else '"matcher"'
    matcher = name + notes.text[key.end : value.end]
    group = f'{{{matcher}, "hooks": [{{{rest}}}]}}'
    if _comments(group) != _comments(_text(item, notes)):
        return None
    return notes.replacement("wrap it in a group", item.span, group)


def _comments(text: str) -> int:
    return sum(end - start > 1 for start, end in json_source.read(text).extras)  # the others are commas


def _matcher_at(item: Node) -> int | None:
    """The number of an entry's matcher, or of the key that a typo made of it: without it, the hook would run for every tool."""
    keys = [key.value for key, _ in item.entries]
    meant = "matcher" if "matcher" in keys else next((key for key in keys if suggest.closest(key, ("matcher",))), None)
    return keys.index(meant) if meant else None


def matcher(node: Node, notes: DiagnosticCollector) -> Fix | None:
    """Turn a list or object of tool names into a matcher."""
    names = _names(node.value)
    if names is None or not all(isinstance(name, str) and _NAME.fullmatch(name) for name in names):
        return None
    return notes.instead(node, json.dumps("|".join(names) or "*"))


def wrapped(root: Node, events: tuple[str, ...], notes: DiagnosticCollector) -> Fix | None:
    """Wrap adjacent top-level events in `hooks`."""
    places = [number for number, (key, _) in enumerate(root.entries) if key.value in events]
    if not notes.is_json or not places or places != list(range(places[0], places[-1] + 1)):
        return None
    span = root.entries[places[0]][0].start, root.entries[places[-1]][1].end
    return notes.replacement('move it under "hooks"', span, f'"hooks": {{{notes.text[slice(*span)]}}}')


def bared(root: Node, wrapped: Node, notes: DiagnosticCollector) -> Fix | None:
    """Take events out of a `hooks` that is all of a file."""
    alone = len(root.entries) == 1 and isinstance(wrapped.value, dict)
    return notes.replacement("remove the hooks around them", root.span, _text(wrapped, notes)) if alone else None


def once(node: Node, key: Node, notes: DiagnosticCollector) -> Fix | None:
    """Delete a duplicate key with the same value."""
    at = next(number for number, (name, _) in enumerate(node.entries) if name is key)
    value, before = node.entries[at][1], node.entries[at - 1][1].end
    same = any(name.value == key.value and other.value == value.value for name, other in node.entries[:at])
    if not same or notes.text[before : key.start].strip() != ",":
        return None
    return notes.replacement("delete the second one", (before, value.end), "")


def _is_entry(node: Node) -> bool:
    return isinstance(node.value, dict) and not _TELLING.isdisjoint(node.value)


def _names(value: Any) -> list[Any] | None:
    """The tool names in a matcher that is not text. An empty object matches everything."""
    if isinstance(value, list):
        return value or None
    if not isinstance(value, dict) or len(value) > 1:
        return None
    named = next(((key, names) for key, names in value.items()), None)
    if named is None:
        return []
    key, names = named
    return None if key not in _NAMED or not names else names if isinstance(names, list) else [names]


def _text(node: Node, notes: DiagnosticCollector) -> str:
    return notes.text[node.start : node.end]
