"""Change one field of a HOOK.md and no other byte.

The new value replaces the span of the old one. The result is parsed again, and unless only that field changed,
the edit is refused.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from hooktui.formats import text_edit, yaml_source
from hooktui.formats.agenthooks import frontmatter
from hooktui.formats.text_edit import BOM, line_start, newline, next_line
from hooktui.formats.yaml_source import STEP

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from hooktui.core.model import EntryPath
    from hooktui.formats.agenthooks.frontmatter import Frontmatter
    from hooktui.formats.node import Node
    from hooktui.formats.text_edit import Splice

    _Keys = tuple[str, ...]

# Editable fields and their types.
FIELDS: Mapping[EntryPath, type] = {
    **{(name,): rule.kind for name, rule in frontmatter.FIELDS.items() if rule.kind is not dict},
    **dict.fromkeys((("matcher", "tool"), ("matcher", "pattern")), str),
}


def put(text: str, path: EntryPath, value: object) -> str:
    """Set or add one of FIELDS. Raises ValueError for another field, a wrong value, or a text that cannot be edited safely."""
    field, kind = _shown(path), FIELDS.get(path)
    if kind is not None and type(value) is not kind:
        raise ValueError(f"{field} takes {kind.__name__}, not {type(value).__name__}")
    return _edited(text, path, value, _change)


def remove(text: str, path: EntryPath) -> str:
    """Delete one of FIELDS, if it is there. Raises as `put`."""
    return _edited(text, path, None, lambda body, head, keys, _: _removal(body, head, keys))


def _edited(text: str, path: EntryPath, value: object, splice: Callable[[str, Frontmatter, _Keys, object], Splice]) -> str:
    if path not in FIELDS:
        raise ValueError(f"{_shown(path)} cannot be edited; editable fields: {', '.join(map(_shown, FIELDS))}")
    keys = tuple(map(str, path))
    bom = BOM if text.startswith(BOM) else ""
    body = text.removeprefix(BOM)
    head = _head(body)
    changed = text_edit.spliced(body, [splice(body, head, keys, value)])
    if _canonical(_head(changed).root.value) != _canonical(_expected(head.root.value, keys, value)):
        raise ValueError(f"{_shown(path)} cannot be changed safely here: edit the source")
    return bom + changed


def _shown(path: EntryPath) -> str:
    return ".".join(map(str, path))


def _head(body: str) -> Frontmatter:
    head, faults = frontmatter.read(body)
    if head is None or faults:
        raise ValueError(f"fix the frontmatter first: {faults[0].message}")
    return head


def _change(body: str, head: Frontmatter, path: tuple[str, ...], value: Any) -> Splice:
    parent, in_braces = head.root, head.root.style == "{"
    for depth, key in enumerate(path[:-1]):
        entry = parent.entry(key)
        if entry is None:
            return _insertion(body, head, parent, path[depth:], value)
        if entry[1].value is None and parent.style != "{":
            at, indent = next_line(body, entry[0].end), _indent(body, parent) + STEP
            return at, at, _lines(body, indent, path[depth + 1 :], yaml_source.scalar(value))
        if not isinstance(entry[1].value, dict):
            raise ValueError(f"{key} is not a mapping: edit the source")
        parent = entry[1]
        in_braces = in_braces or parent.style == "{"
    entry = parent.entry(path[-1])
    if entry is None:
        return _insertion(body, head, parent, path[-1:], value)
    node = entry[1]
    new = yaml_source.scalar(value, node.style, flow=in_braces)
    return node.start, node.end, new if node.end > node.start else f" {new}"


def _insertion(body: str, head: Frontmatter, parent: Node, path: tuple[str, ...], value: Any) -> Splice:
    """Insert the missing keys of a path after the parent's last entry, or inside its braces."""
    in_braces = parent.style == "{" or head.root.style == "{"
    new = yaml_source.scalar(value, flow=in_braces)
    if in_braces:
        for key in reversed(path[1:]):
            new = f"{{{key}: {new}}}"
        at = parent.entries[-1][1].end if parent.entries else parent.start + 1
        return at, at, f"{', ' if parent.entries else ''}{path[0]}: {new}"
    at = head.fence[0] if parent is head.root else next_line(body, parent.end)
    return at, at, _lines(body, _indent(body, parent), path, new)


def _lines(body: str, indent: str, path: tuple[str, ...], new: str) -> str:
    """One line for each key of the path, the last with the value."""
    lines = [f"{indent}{STEP * depth}{key}:" for depth, key in enumerate(path)]
    lines[-1] += f" {new}"
    return "".join(line + newline(body) for line in lines)


def _removal(body: str, head: Frontmatter, path: tuple[str, ...]) -> Splice:
    """Delete an entry with its line, and its mapping if that becomes empty."""
    parent, entry = head.root, head.root.entry(path[0])
    while entry and len(path) > 1 and len(entry[1].entries) > 1:
        parent, path = entry[1], path[1:]
        entry = parent.entry(path[0])
    if entry is None or (len(path) > 1 and entry[1].entry(path[1]) is None):
        return 0, 0, ""
    if parent.style == "{":
        return _removal_in_braces(parent, entry)
    start = line_start(body, entry[0].start)
    if body[start : entry[0].start].strip():
        raise ValueError(f"{path[0]} is not on its own line: edit the source")
    return start, next_line(body, max(entry[0].end, entry[1].end)), ""


def _removal_in_braces(parent: Node, entry: tuple[Node, Node]) -> Splice:
    index = parent.entries.index(entry)
    if index + 1 < len(parent.entries):
        return entry[0].start, parent.entries[index + 1][0].start, ""
    before = parent.entries[index - 1][1].end if index else entry[0].start
    return before, entry[1].end, ""


def _expected(root: dict[str, Any], path: tuple[str, ...], value: Any) -> dict[str, Any]:
    key, rest = path[0], path[1:]
    if rest:
        inner = _expected(root.get(key) or {}, rest, value)
        value = inner or None
    without = {name: old for name, old in root.items() if name != key}
    return without if value is None else {**without, key: value}


def _canonical(value: Any) -> str:
    return json.dumps(value, sort_keys=True)


def _indent(body: str, parent: Node) -> str:
    if not parent.entries:
        return ""
    first = parent.entries[0][0].start
    return body[line_start(body, first) : first]
