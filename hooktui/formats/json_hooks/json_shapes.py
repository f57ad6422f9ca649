"""What a value of another shape than a JSON hook file wants was plainly meant to be: what the fixes of such write."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from hooktui.formats.json_hooks.entry_fields import COMMAND_KEYS

if TYPE_CHECKING:
    from hooktui.core.model import Fix
    from hooktui.formats.file_notes import Notes
    from hooktui.formats.node import Node

_NAME = re.compile(r"[\w-]+")
_TELLING = frozenset(("hooks", "type", "url", "prompt", *COMMAND_KEYS))
_NAMED = ("tool", "tools", "tool_name", "tool_names", "toolName", "toolNames")  # keys of a matcher that is an object


def listed(node: Node, notes: Notes) -> Fix | None:
    """An object or a command that stands where a list of entries is wanted, put into one."""
    if not (_is_entry(node) or (isinstance(node.value, str) and node.value.strip())):
        return None
    return notes.replacement("wrap it in a list", node.span, f"[{_text(node, notes)}]")


def entry(node: Node, notes: Notes) -> Fix | None:
    """A command that stands where an entry is wanted."""
    if not isinstance(node.value, str) or not node.value.strip():
        return None
    written = f'{{"type": "command", "command": {_text(node, notes)}}}'
    return notes.replacement("make it a command hook", node.span, written)


def grouped(item: Node, notes: Notes) -> Fix | None:
    """A flat entry put into a group, its matcher beside it; a comment before that would be lost, so then there is none."""
    if not _is_entry(item):
        return None
    at = next((number for number, (key, _) in enumerate(item.entries) if key.value == "matcher"), None)
    if at is None:
        return notes.replacement("wrap it in a group", item.span, f'{{"hooks": [{_text(item, notes)}]}}')
    (key, value), others = item.entries[at], item.entries[:at] + item.entries[at + 1 :]
    end = others[-1][1].end
    if at == 0:
        rest = notes.text[others[0][0].start : end]
    else:
        before = item.entries[at - 1][1].end
        rest = notes.text[others[0][0].start : before] + notes.text[value.end : max(end, value.end)]
        if notes.text[before : key.start].strip() != ",":
            return None
    matcher = notes.text[key.start : value.end]
    return notes.replacement("wrap it in a group", item.span, f'{{{matcher}, "hooks": [{{{rest}}}]}}')


def matcher(node: Node, notes: Notes) -> Fix | None:
    """The names of tools that stand in a list, or below a key that says so, as the text that a matcher is."""
    names = _names(node.value)
    if names is None or not all(isinstance(name, str) and _NAME.fullmatch(name) for name in names):
        return None
    return notes.instead(node, json.dumps("|".join(names) or "*"))


def wrapped(root: Node, events: tuple[str, ...], notes: Notes) -> Fix | None:
    """The events of a file put under the `hooks` that it lacks, where they stand one after the other."""
    places = [number for number, (key, _) in enumerate(root.entries) if key.value in events]
    if not places or places != list(range(places[0], places[-1] + 1)):
        return None
    span = root.entries[places[0]][0].start, root.entries[places[-1]][1].end
    return notes.replacement('move it under "hooks"', span, f'"hooks": {{{notes.text[slice(*span)]}}}')


def once(node: Node, key: Node, notes: Notes) -> Fix | None:
    """A key that says again what it has said before, taken away."""
    at = next(number for number, (one, _) in enumerate(node.entries) if one is key)
    value, before = node.entries[at][1], node.entries[at - 1][1].end
    same = any(one.value == key.value and other.value == value.value for one, other in node.entries[:at])
    if not same or notes.text[before : key.start].strip() != ",":
        return None
    return notes.replacement("delete the second one", (before, value.end), "")


def _is_entry(node: Node) -> bool:
    """Whether a value is an entry, or a group of such, by one of its keys."""
    return isinstance(node.value, dict) and not _TELLING.isdisjoint(node.value)


def _names(value: Any) -> list[Any] | None:
    """What a matcher that is no text lists; an object without a key is everything."""
    if isinstance(value, list):
        return value or None
    if not isinstance(value, dict) or len(value) > 1:
        return None
    named = next(((key, names) for key, names in value.items()), None)
    if named is None:
        return []
    key, names = named
    return None if key not in _NAMED or not names else names if isinstance(names, list) else [names]


def _text(node: Node, notes: Notes) -> str:
    return notes.text[node.start : node.end]
