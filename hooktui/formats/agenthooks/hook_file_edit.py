"""Change one field of a HOOK.md and no other byte: its frontmatter is edited as any other YAML.

The result is parsed again, and unless the field has the new value, the edit is refused.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from hooktui.formats import text_edit, yaml_edit, yaml_source
from hooktui.formats.agenthooks import frontmatter
from hooktui.formats.node import find
from hooktui.formats.text_edit import BOM

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from hooktui.core.model import EntryPath
    from hooktui.formats.node import Node

# Editable fields and their types.
FIELDS: Mapping[EntryPath, type] = {
    **{(name,): rule.kind for name, rule in frontmatter.FIELDS.items() if rule.kind is not dict},
    **dict.fromkeys((("matcher", "tool"), ("matcher", "pattern")), str),
}


def put(text: str, path: EntryPath, value: object) -> str:
    """Set or add one of FIELDS. Raises ValueError for another field, a wrong value, or a text that cannot be edited safely."""
    kind = FIELDS.get(path)
    if kind is not None and type(value) is not kind:
        raise ValueError(f"{_shown(path)} takes {kind.__name__}, not {type(value).__name__}")

    def with_value(yaml: str, root: Node) -> str:
        if root.entries or root.style:
            return yaml_edit.put(yaml, (0, *path), value)
        nested = {path[0]: {path[1]: value}} if len(path) > 1 else {path[0]: value}
        return yaml + f"{yaml_source.item(nested, '').strip()}\n".replace("\n", text_edit.newline(text))

    return _edited(text, path, value, with_value)


def remove(text: str, path: EntryPath) -> str:
    """Delete one of FIELDS, if it is there, with a matcher that is then empty. Raises as `put`."""

    def without_value(yaml: str, root: Node) -> str:
        if find(root, path) is None:
            return yaml
        above = find(root, path[:-1])
        is_alone = len(path) > 1 and above is not None and len(above.entries) == 1
        return yaml_edit.remove(yaml, (0, *(path[:-1] if is_alone else path)))

    return _edited(text, path, None, without_value)


def _edited(text: str, path: EntryPath, value: object, change: Callable[[str, Node], str]) -> str:
    if path not in FIELDS:
        raise ValueError(f"{_shown(path)} cannot be edited; editable fields: {', '.join(map(_shown, FIELDS))}")
    body = text.removeprefix(BOM)
    root, (start, end) = _root(body), frontmatter.locate(body)[0]
    body = body[:start] + change(body[start:end], root) + body[end:]
    node = find(_root(body), path)
    if (node.value if node else None) != value:
        raise ValueError(f"{_shown(path)} cannot be changed safely here: edit the source")
    return text[: text.startswith(BOM)] + body


def _root(body: str) -> Node:
    head, faults = frontmatter.read(body)
    if head is None or faults:
        raise ValueError(f"fix the frontmatter first: {faults[0].message}")
    return head.root


def _shown(path: EntryPath) -> str:
    return ".".join(map(str, path))
