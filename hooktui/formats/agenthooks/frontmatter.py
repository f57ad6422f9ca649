"""The YAML frontmatter of a HOOK.md: its fences, its fields with types and bounds, and valid names (formats.md §2).

A wrong field is reported; its default or the nearest allowed value applies, so that a guard that can run does.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from hooktui.config import suggest
from hooktui.core.model import Fix
from hooktui.formats import repairs, yaml_source
from hooktui.formats.diagnostic_collector import DiagnosticCollector, shortened
from hooktui.formats.files import KIB
from hooktui.formats.node import Node, ParseError, Span, TextFix

LIMIT = 64 * KIB

_OPENING = re.compile(r"\s*(?<![^\r\n])---[ \t]*(?:\r\n?|\n)")
# On a line of its own, not inside a quoted or indented value.
_FENCE = re.compile(r"(?<![^\r\n])---[ \t]*(?=[\r\n]|\Z)")
_UNOPENED = re.compile(r"(?:name|description|trigger):.*\n(?:(?:[a-z]+:|[ \t#]).*\n)*---[ \t]*\r?\n")
_LOOSE_LINE = re.compile(r"^(name|description|trigger)[ \t]*:[ \t]*(.*?)[ \t]*\r?$", re.MULTILINE)
_COMMENT = re.compile(r"(?:^|[ \t]+)#.*$")
# Names of the types, for messages.
_KINDS: Mapping[type, str] = {str: "text", int: "a whole number", bool: "true or false", dict: "a mapping", list: "a list"}
_WORD = re.compile(r"[\w.:+-]+")
_TOOLS = re.compile(r"\w+(?:\|\w+)*")
# Below this a HOOK.md timeout, which is in milliseconds, was probably meant in seconds (formats.md §3, last table).
_SECONDS_BELOW = 1000
_SHOWN = 40
NAME_LIMIT = 64  # characters
NAME_RULE = "use lowercase letters, digits and single hyphens"
_PORTABLE = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
_NOT_PORTABLE = re.compile(r"[^a-z0-9]+")
_WORD_ENDS = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


class Frontmatter(NamedTuple):
    """The mapping between the fences, and the span of the closing fence."""

    root: Node
    fence: Span


def locate(text: str) -> tuple[Span, Span]:
    """The spans of the YAML and of the closing fence. Raises ParseError if the frontmatter is missing or too large."""
    opening = _OPENING.match(text)
    if opening is None:
        fix = TextFix("start it with ---", (0, 0), "---\n") if _UNOPENED.match(text) else None
        message = "no frontmatter: the file must start with a line ---"
        raise ParseError("bad-yaml", message, _first_line(text), "see `hooktui new`", fix)
    start = opening.end()
    fence = _FENCE.search(text, start)
    if fence is None:
        begun = text.index("---")
        raise ParseError("bad-yaml", "the frontmatter is not closed", (begun, begun + 3), "end it with a line ---")
    if len(text[start : fence.start()].encode("utf-8", "surrogatepass")) > LIMIT:
        raise ParseError("bad-yaml", f"the frontmatter is larger than {LIMIT // KIB} KiB", fence.span())
    return (start, fence.start()), fence.span()


def read(text: str) -> tuple[Frontmatter | None, tuple[ParseError, ...]]:
    """Parse the frontmatter; None if it cannot be read. Also return its errors."""
    try:
        (start, end), fence = locate(text)
    except ParseError as fault:
        return None, (fault,)
    composed = yaml_source.compose(text, start, end)
    if composed.broken:
        return None, composed.faults
    if len(composed.roots) > 1:
        return None, (ParseError("bad-yaml", "a second YAML document begins here", composed.roots[1].span),)
    root = composed.roots[0] if composed.roots else Node(None, end, end)
    if root.value is None:
        root = Node({}, end, end)
    if not isinstance(root.value, dict):
        return None, (*composed.faults, ParseError("not-a-mapping", "the frontmatter must be `key: value` lines", root.span))
    return Frontmatter(root, fence), composed.faults


def guess(text: str) -> dict[str, tuple[str, Span]]:
    """Guess name, description and trigger from the lines of invalid YAML. The first of each counts."""
    guesses: dict[str, tuple[str, Span]] = {}
    opening = _OPENING.match(text)
    start = opening.end() if opening else 0
    fence = _FENCE.search(text, start)
    for line in _LOOSE_LINE.finditer(text, start, min(fence.start() if fence else len(text), start + LIMIT)):
        value = _COMMENT.sub("", line.group(2)).strip("'\"")
        if value:
            guesses.setdefault(line.group(1), (value, line.span(2)))
    return guesses


def _first_line(text: str) -> Span:
    match = re.match(r"[^\r\n]*", text)
    return match.span() if match else (0, 0)


class FieldRule(NamedTuple):
    """The type and bounds of a field. `low` and `high` bound a number or a text's length; `code` names the diagnostic."""

    kind: type
    required: bool = False
    default: Any = None
    low: int | None = None
    high: int | None = None
    code: str = "out-of-range"


FIELDS: Mapping[str, FieldRule] = {
    "name": FieldRule(str, required=True, low=1, high=NAME_LIMIT, code="bad-name"),
    "description": FieldRule(str, required=True, default="", low=1, high=1024, code="bad-description"),
    "trigger": FieldRule(str, required=True),
    "matcher": FieldRule(dict),
    "timeout": FieldRule(int, default=30_000, low=100, high=600_000),
    "async": FieldRule(bool, default=False),
    "priority": FieldRule(int, default=100, low=0, high=1000),
    "metadata": FieldRule(dict, default={}),
}


def read_field(head: Frontmatter, name: str, notes: DiagnosticCollector, *, stand_in: str = "") -> Any:
    """The effective value of a field: written, clamped or the default. Reports errors.

    `stand_in` is what the caller uses for a missing required field; the fix writes it.
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
    value = typed_value(name, entry, field.kind, notes)
    return field.default if value is None else _bounded(name, value, field, value_span(entry), notes)


def _is_endless(node: Node) -> bool:
    from hooktui.formats import yaml_composer

    return yaml_composer.is_endless(node)


def typed_value(name: str, entry: tuple[Node, Node], kind: type, notes: DiagnosticCollector) -> Any:
    """The value if it has the right type (a bool is not a number); otherwise report it and return None."""
    node = entry[1]
    if type(node.value) is kind:
        return node.value
    if kind is int and _is_endless(node):
        return -math.inf if node.value.startswith("-") else math.inf
    message = f"{name} must be {_KINDS[kind]}, not {kind_of(node.value)}"
    fix = _meant(name, node, kind, notes) or (_quoted(node, notes) if kind is str else None) or _shaped(name, node, kind, notes)
    notes.error("wrong-type", message, value_span(entry), fix=fix)
    return None


def value_span(entry: tuple[Node, Node]) -> Span:
    """The span of an entry's value, or of its key if the value is empty."""
    key, value = entry
    return value.span if value.end > value.start else key.span


def kind_of(value: Any) -> str:
    """Name the type of a value for a message."""
    if value is None:
        return "empty"
    return _KINDS.get(type(value), f"the number {value}")


def report_unknown_keys(root: Node, known: Iterable[str], notes: DiagnosticCollector) -> None:
    """Warn about unknown keys and suggest the closest known one. If two resemble the same key, only the first gets a fix."""
    written: set[str] = set()
    for key, _ in root.entries:
        if key.value in known:
            continue
        near = suggest.closest(key.value, (word for word in known if root.entry(word) is None))
        hint = f"did you mean {near}?" if near else f"valid keys: {', '.join(known)}"
        fix = notes.replacement(f"write {near}", key.span, near) if near and near not in written else None
        written.add(near or "")
        notes.warning("unknown-key", f"unknown key {key.value or '(empty)'}", key.span, hint=hint, fix=fix)


def report_unit(milliseconds: int, entry: tuple[Node, Node] | None, notes: DiagnosticCollector) -> None:
    """Warn about a timeout that is probably in seconds, or say so where it is reported as out of range."""
    if entry is None or not 0 < milliseconds < _SECONDS_BELOW:
        return
    seconds = milliseconds * repairs.SECOND
    allowed = seconds <= (FIELDS["timeout"].high or 0)
    fix = notes.replacement(f"write {seconds}", entry[1].span, str(seconds)) if allowed else None
    message = f"timeout is in milliseconds: the hook is ended after {milliseconds / 1000:g} s"
    hint = f"{milliseconds} s would be {seconds}"
    place = notes.place(entry[1].start)
    at = next((at for at, note in enumerate(notes.collected) if (note.line, note.column) == place), None)
    if at is None:
        notes.warning("unit-suspect", message, entry[1].span, hint=hint, fix=fix)
    else:
        guess = fix and fix.replace(is_guess=True)
        notes.collected[at] = notes.collected[at].replace(hint=f"{notes.collected[at].hint}; {hint}", fix=guess)


def _bounded(name: str, value: Any, field: FieldRule, span: Span, notes: DiagnosticCollector) -> Any:
    if field.low is None or field.high is None:
        return value
    if field.kind is int:
        used = min(max(value, field.low), field.high)
        if used != value:
            message = f"{name} must be {field.low} to {field.high}, not {shortened(notes.text[slice(*span)], _SHOWN)}"
            # Of a timeout that was probably meant in seconds, report_unit knows better.
            fix = None if name == "timeout" and 0 < value < used else notes.replacement(f"write {used}", span, str(used))
            notes.error("out-of-range", message, span, hint=f"hooktui uses {used}", fix=fix)
        return used
    if not field.low <= len(value) <= field.high:
        message = f"{name} must have {field.low} to {field.high} characters, not {len(value)}"
        notes.error(field.code, message, span)
    return value


def _added(head: Frontmatter, name: str, value: str, notes: DiagnosticCollector) -> Fix | None:
    """Add a line above the closing fence, unless the mapping is in braces."""
    if head.root.style == "{":
        return None
    line = f"{name}: {yaml_source.scalar(value)}"
    return notes.replacement(f"add {line}", head.fence, f"{line}\n{notes.text[slice(*head.fence)]}")


def _quoted(node: Node, notes: DiagnosticCollector) -> Fix | None:
    """Quote a text that YAML reads as another type."""
    written = notes.text[node.start : node.end]
    return notes.replacement("quote it", node.span, yaml_source.scalar(written)) if _WORD.fullmatch(written) else None


def _shaped(name: str, node: Node, kind: type, notes: DiagnosticCollector) -> Fix | None:
    """Fix a text in a list, a list of tool names, or a tool name in place of a matcher."""
    if name == "matcher" and isinstance(node.value, str) and _TOOLS.fullmatch(node.value):
        return notes.instead(node, f"{{tool: {node.value}}}")
    texts = [item.value for item in node.items] if node.style == "[" else []
    if not texts or not all(isinstance(item, str) and _WORD.fullmatch(item) for item in texts):
        return None
    is_meant = kind is str and (len(texts) == 1 or name == "matcher.tool")
    return notes.instead(node, yaml_source.scalar("|".join(texts))) if is_meant else None


def _meant(name: str, node: Node, kind: type, notes: DiagnosticCollector) -> Fix | None:
    """Fix a number or boolean written as text, possibly a time with a unit."""
    if not isinstance(node.value, str):
        return None
    written: str | None = None
    if kind is int:
        written = repairs.number(node.value, 1 if name == "timeout" else None)
    elif kind is bool and (flag := repairs.flag(node.value)) is not None:
        written = yaml_source.scalar(flag)
    if written is None or (kind is int and "." in written):
        return None
    return notes.replacement("remove the quotes" if written == node.value else f"write {written}", node.span, written)


def name_problem(name: str) -> str:
    """What `check` warns about in a name; empty if every host accepts it."""
    return "" if _PORTABLE.fullmatch(name) else f"some hosts reject the name {name}"


def portable_name(text: str) -> str:
    """The closest name that every host accepts; empty if there is none."""
    letters = unicodedata.normalize("NFKD", _WORD_ENDS.sub("-", text).casefold()).encode("ascii", "ignore").decode()
    return _NOT_PORTABLE.sub("-", letters).strip("-")[:NAME_LIMIT].rstrip("-")
