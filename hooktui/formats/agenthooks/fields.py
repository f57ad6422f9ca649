"""The fields of a HOOK.md as a table, and reading them: kind, bounds, defaults (formats.md §2).

A field that is wrong is reported and its default, or the nearest allowed value, stands in: a guard that can run, runs.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from hooktui.core import suggest
from hooktui.formats import slips, yaml_source, yaml_text
from hooktui.formats.agenthooks import names
from hooktui.formats.problems import shortened

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from hooktui.core.model import Fix
    from hooktui.formats.agenthooks.frontmatter import Frontmatter
    from hooktui.formats.problems import Notes, Span
    from hooktui.formats.yaml_source import Node


@dataclass(frozen=True, slots=True)
class Field:
    """What one key may hold. `low` and `high` bound a number, or the length of a text; `code` names a breach."""

    kind: type
    required: bool = False
    default: Any = None
    low: int | None = None
    high: int | None = None
    code: str = "out-of-range"


FIELDS: Mapping[str, Field] = {
    "name": Field(str, required=True, low=1, high=names.LIMIT, code="bad-name"),
    "description": Field(str, required=True, default="", low=1, high=1024, code="bad-description"),
    "trigger": Field(str, required=True),
    "matcher": Field(dict),
    "timeout": Field(int, default=30_000, low=100, high=600_000),
    "async": Field(bool, default=False),
    "priority": Field(int, default=100, low=0, high=1000),
    "metadata": Field(dict, default={}),
}
# What each kind is called.
_KINDS: Mapping[type, str] = {str: "text", int: "a whole number", bool: "true or false", dict: "a mapping", list: "a list"}
_WORD = re.compile(r"[\w.:+-]+")
_TOOLS = re.compile(r"\w+(?:\|\w+)*")
# Below this a HOOK.md timeout, which is in milliseconds, was probably meant in seconds (formats.md §3, last table).
_SECONDS_BELOW = 1000
_SHOWN = 40


def read(head: Frontmatter, name: str, notes: Notes, *, stand_in: str = "") -> Any:
    """A field's value as it will be used: what is written, clamped, or the default. Reports what is wrong.

    `stand_in` is what the caller uses where a required field is missing: the fix writes it.
    """
    field = FIELDS[name]
    entry = head.root.entry(name)
    if field.required and (entry is None or entry[1].value is None):
        span = entry[0].span if entry else head.fence
        fix = _added(head, name, stand_in, notes) if entry is None and stand_in else None
        notes.error("missing-field", f"{name} is missing", span, hint=f"add a line `{name}: …`", fix=fix)
        return field.default
    if entry is None:
        return field.default
    value = typed(name, entry, field.kind, notes)
    return field.default if value is None else _bounded(name, value, field, place(entry), notes)


def typed(name: str, entry: tuple[Node, Node], kind: type, notes: Notes) -> Any:
    """The entry's value when it is of the wanted kind (a bool is no number); else None, reported."""
    node = entry[1]
    if type(node.value) is kind:
        return node.value
    if kind is int and yaml_source.is_endless(node):
        return -math.inf if node.value.startswith("-") else math.inf
    message = f"{name} must be {_KINDS[kind]}, not {kind_of(node.value)}"
    fix = _meant(name, node, kind, notes) or (_quoted(node, notes) if kind is str else None) or _shaped(name, node, kind, notes)
    notes.error("wrong-type", message, place(entry), fix=fix)
    return None


def place(entry: tuple[Node, Node]) -> Span:
    """Where an entry's value stands; an empty one has no place but its key's."""
    key, value = entry
    return value.span if value.end > value.start else key.span


def kind_of(value: Any) -> str:
    """What a value is, for a message."""
    if value is None:
        return "empty"
    return _KINDS.get(type(value), f"the number {value}")


def report_unknown_keys(root: Node, known: Iterable[str], notes: Notes) -> None:
    """Warn about keys nobody reads, with the known one that was probably meant; of two that mean one the first can be it."""
    written: set[str] = set()
    for key, _ in root.entries:
        if key.value in known:
            continue
        near = suggest.closest(key.value, (word for word in known if root.entry(word) is None))
        hint = f"did you mean {near}?" if near else f"known are {', '.join(known)}"
        fix = notes.replacement(f"write {near}", key.span, near) if near and near not in written else None
        written.add(near or "")
        notes.warning("unknown-key", f"{key.value or '(empty)'} is not a key that hooks have", key.span, hint=hint, fix=fix)


def report_unit(milliseconds: int, entry: tuple[Node, Node] | None, notes: Notes) -> None:
    """Warn about a timeout that was probably meant in seconds."""
    if entry is None or not 0 < milliseconds < _SECONDS_BELOW:
        return
    seconds = milliseconds * slips.SECOND
    allowed = seconds <= (FIELDS["timeout"].high or 0)
    fix = notes.replacement(f"write {seconds}", entry[1].span, str(seconds)) if allowed else None
    message = f"timeout is in milliseconds: {milliseconds} is {milliseconds / 1000:g} s"
    notes.warning("unit-suspect", message, entry[1].span, hint=f"{milliseconds} s would be {seconds}", fix=fix)


def _bounded(name: str, value: Any, field: Field, span: Span, notes: Notes) -> Any:
    if field.low is None or field.high is None:
        return value
    if field.kind is int:
        used = min(max(value, field.low), field.high)
        if used != value:
            message = f"{name} must be {field.low} to {field.high}, not {shortened(notes.text[slice(*span)], _SHOWN)}"
            # Of a timeout that was probably meant in seconds, report_unit knows better.
            fix = None if name == "timeout" and 0 < value < used else notes.replacement(f"write {used}", span, str(used))
            notes.error("out-of-range", message, span, hint=f"{used} is used", fix=fix)
        return used
    if not field.low <= len(value) <= field.high:
        message = f"{name} must have {field.low} to {field.high} characters, not {len(value)}"
        notes.error(field.code, message, span)
    return value


def _added(head: Frontmatter, name: str, value: str, notes: Notes) -> Fix | None:
    """One more line above the closing fence; not below a mapping in braces."""
    if head.root.style == "{":
        return None
    line = f"{name}: {yaml_text.written(value)}"
    return notes.replacement(f"add {line}", head.fence, f"{line}\n{notes.text[slice(*head.fence)]}")


def _quoted(node: Node, notes: Notes) -> Fix | None:
    """A text that YAML reads as something else: only the quotes are wrong."""
    written = notes.text[node.start : node.end]
    return notes.replacement("quote it", node.span, yaml_text.written(written)) if _WORD.fullmatch(written) else None


def _shaped(name: str, node: Node, kind: type, notes: Notes) -> Fix | None:
    """A text that stands in a list, the names of tools in one, and a tool's name where a matcher is wanted."""
    if name == "matcher" and isinstance(node.value, str) and _TOOLS.fullmatch(node.value):
        return notes.instead(node, f"{{tool: {node.value}}}")
    texts = [one.value for one in node.items] if node.style == "[" else []
    if not texts or not all(isinstance(one, str) and _WORD.fullmatch(one) for one in texts):
        return None
    is_meant = kind is str and (len(texts) == 1 or name == "matcher.tool")
    return notes.instead(node, yaml_text.written("|".join(texts))) if is_meant else None


def _meant(name: str, node: Node, kind: type, notes: Notes) -> Fix | None:
    """A number or boolean given as text, a time perhaps with its unit."""
    if not isinstance(node.value, str):
        return None
    said: str | None = None
    if kind is int:
        said = slips.number(node.value, 1 if name == "timeout" else None)
    elif kind is bool and (flag := slips.flag(node.value)) is not None:
        said = yaml_text.written(flag)
    if said is None or (kind is int and "." in said):
        return None
    return notes.replacement("take the quotes away" if said == node.value else f"write {said}", node.span, said)
