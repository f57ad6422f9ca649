"""An entry of a JSON hook file put in, taken out, or set aside in its group's `off`, its own bytes untouched."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from hooktui.connect import json_text
from hooktui.formats import json_source
from hooktui.formats.json_hooks import json_edit
from hooktui.formats.json_hooks.json_hooks import OFF
from hooktui.formats.node import find_unique

if TYPE_CHECKING:
    from hooktui.formats.node import Node

    Path = tuple[str | int, ...]

_MARK = "\0here\0"  # stands for an entry until its own text is put there


def set_aside(text: str, path: Path) -> str:
    """The text with an entry in `off`: beside the `hooks` of its group, or in a group of its own. Raises ValueError."""
    raw = _raw(text, path)
    if not in_group(path):
        return _with_raw(json_edit.edit_entry(text, path, {"hooks": [], OFF: [_MARK]}), raw)
    without = json_edit.remove_entry(text, path)
    return _with_raw(json_edit.edit_entry(without, (*path[:-2], OFF, "-"), _MARK), raw)


def put_back(text: str, path: Path, *, nested: bool) -> str:
    """The text with an entry of an `off` at work again; `nested` tells that entries stand only in groups. Raises ValueError."""
    raw, group = _raw(text, path), path[:-2]
    if not nested and _node(text, group).value == {"hooks": [], OFF: [_node(text, path).value]}:
        return _with_raw(json_edit.edit_entry(text, group, _MARK), raw)
    without = json_edit.remove_entry(text, path)
    if not _node(without, (*group, OFF)).items:
        without = json_edit.remove_entry(without, (*group, OFF))
    return _with_raw(json_edit.edit_entry(without, (*group, "hooks", "-"), _MARK), raw)


def moved(text: str, path: Path, event: str, *, keep_matcher: bool) -> str:
    """The text with an entry at the end of another event's list: with its whole group, if that holds nothing else.

    Raises ValueError.
    """
    group = path[:-2] if in_group(path) else path
    alone = not in_group(path) or _entries_in(_node(text, group)) == 1
    matcher = _node(text, group).value.get("matcher")
    if alone and not keep_matcher and matcher is not None:
        text = json_edit.remove_entry(text, (*group, "matcher"))
    if alone:
        return _put(taken_out(text, group), event, _MARK, _raw(text, group))
    kept = {} if matcher is None or not keep_matcher else {"matcher": matcher}
    own = {"hooks": [], OFF: [_MARK]} if path[-2] == OFF else {"hooks": [_MARK]}
    return _put(taken_out(text, path), event, {**kept, **own}, _raw(text, path))


def _put(text: str, event: str, value: object, raw: str) -> str:
    """The text with a value at the end of an event's list, and an entry's own text where its mark stands."""
    return _with_raw(json_edit.edit_entry(text, ("hooks", event, "-"), value), raw)


def taken_out(text: str, path: Path) -> str:
    """The text without an entry, and without the group, list and event that would be left empty. Raises ValueError."""
    while len(path) > 2 and _is_all(_node(text, path[:-1]), path[-1], text):
        path = path[:-1]
    return json_edit.remove_entry(text, path)


def _is_all(parent: Node, step: str | int, text: str) -> bool:
    """Whether a list or group has nothing else that somebody would miss."""
    if parent.style == "[":
        alone = len(parent.items) == 1
    else:
        alone = not [key for key, value in parent.entries if key.value not in (step, "matcher") and value.value]
    comments = json_source.read(json_text.body(text)).extras
    return alone and not any(parent.start <= start < parent.end for start, _ in comments)


def _entries_in(group: Node) -> int:
    return sum(len(value.items) for key, value in group.entries if key.value in ("hooks", OFF))


def in_group(path: Path) -> bool:
    """`/hooks/EVENT/0/hooks/0`, and not `/hooks/EVENT/0`."""
    return len(path) > 3


def _node(text: str, path: Path) -> Node:
    node = find_unique(json_text.root(text), path)
    if node is None:
        raise ValueError(f"there is nothing at /{'/'.join(map(str, path))}")
    return node


def _raw(text: str, path: Path) -> str:
    node = _node(text, path)
    return json_text.body(text)[node.start : node.end]


def _with_raw(text: str, raw: str) -> str:
    literal = json.dumps(_MARK)
    if text.count(literal) != 1:
        raise ValueError("the file cannot be changed there")
    return text.replace(literal, raw)
