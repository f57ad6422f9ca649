"""Change one value of a YAML file and no other byte: comments, order and line ends stay.

A path consists of keys and indexes; the first index counts the file's documents. The result is parsed again, and unless
only that value changed, the edit is refused.
"""

from __future__ import annotations

import copy
import json
import re
from typing import TYPE_CHECKING, Any

from hooktui.formats import text_edit, yaml_source
from hooktui.formats.text_edit import APPEND, BOM, LINE_END, line_start, nested, next_line
from hooktui.formats.yaml_source import STEP, folded

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from hooktui.core.model import EntryPath as Path
    from hooktui.formats.node import Node, Span
    from hooktui.formats.text_edit import Splice

AGENT_PATH = 5  # steps to a hook of an agent: document, spec, hooks, event, index
_SEPARATOR = re.compile(r"^---(?=[ \t\r\n]|\Z)[^\r\n]*(?:\r\n?|\n|\Z)", re.MULTILINE)
_COMMENT = re.compile(r"[ \t]*#")
_REFUSED = "this cannot be changed safely here: edit the source"
_NOT_MOVED = "it cannot be moved without changing other text: edit the source"


def put(text: str, path: Path, value: object) -> str:
    """Set the value at a path, or add it after its siblings; a path of APPEND alone adds a document.

    Raises ValueError if the text, the path or the value does not allow it.
    """
    _require_plain(value)
    if path == (APPEND,):
        return _with_document(text, value)
    place = _EditTarget(text, path)
    if place.rest and place.node.value is None:  # a key that has no value yet
        value, place.rest = nested(place.rest, value), ()
    if not place.rest:
        return text if _same(place.node.value, value) else place.changed(_replacements(place, value), value)
    value = nested(place.rest[1:], value)
    step = len(place.node.items) if place.rest[0] == APPEND else place.rest[0]
    _require_room(place.node, step)
    place.taken = (*place.taken, step)
    return place.changed(_insertions(place, step, value), value)


def remove(text: str, path: Path) -> str:
    """Delete the value at a path, or a document; the text is "" without its only one. Raises as `put`."""
    if len(path) == 1:
        return _without_document(text, int(path[0]))
    place = _EditTarget(text, path)
    if place.rest or not path:
        raise ValueError("nothing to delete")
    return place.changed(_removals(place))


def find(text: str, path: Path) -> Node | None:
    """The value at a path; None if there is none. Raises as `put`."""
    place = _EditTarget(text, path)
    return None if place.rest else place.node


class _EditTarget:
    """A path in a text: the existing `nodes`, the steps `taken` that lead to the last one, and the `rest`."""

    def __init__(self, text: str, path: Path) -> None:
        self.bom = text[: text.startswith(BOM)]
        self.body = text.removeprefix(BOM)
        composed = yaml_source.compose(self.body)
        if composed.faults:
            raise ValueError(f"fix the file first: {composed.faults[0].message}")
        self.roots = composed.roots
        self.newline = text_edit.newline(self.body)
        self.nodes: list[Node] = []
        self.keys: list[Node | None] = []
        self.taken: Path = ()
        self.rest = path
        while self.rest and self._step(self.rest[0]):
            self.rest = self.rest[1:]
        if not self.nodes:
            raise ValueError("the file has no such document")

    @property
    def node(self) -> Node:
        return self.nodes[-1]

    def changed(self, candidates: Iterator[list[Splice]], value: object = None) -> str:
        """Apply the first candidate that makes exactly the wanted change. Raises ValueError if none does."""
        expected = [copy.deepcopy(root.value) for root in self.roots]
        container: Any = expected
        for step in self.taken[:-1]:
            container = container[step]
        _put(container, self.taken[-1], value)
        for splices in candidates:
            body = text_edit.spliced(self.body, [(start, end, LINE_END.sub(self.newline, new)) for start, end, new in splices])
            composed = yaml_source.compose(body)
            if not composed.faults and _same([root.value for root in composed.roots], expected):
                return self.bom + body
        raise ValueError(_REFUSED)

    def column(self, offset: int) -> str:
        """The indentation up to an offset, with dashes replaced by spaces."""
        return re.sub(r"\S", " ", self.body[line_start(self.body, offset) : offset])

    def _step(self, step: str | int) -> bool:
        if not self.nodes:
            key, node = None, self.roots[step] if isinstance(step, int) and 0 <= step < len(self.roots) else None
        elif isinstance(step, int):
            items = self.node.items
            key, node = None, items[step] if 0 <= step < len(items) else None
        else:
            spelled = (pair for pair in self.node.entries if folded(pair[0].value) == folded(step))
            key, node = self.node.entry(step) or next(spelled, (None, None))
        if node is None:
            return False
        self.nodes.append(node)
        self.keys.append(key)
        self.taken = (*self.taken, key.value if key else step)
        return True


def _replacements(place: _EditTarget, value: object) -> Iterator[list[Splice]]:
    node, key = place.node, place.keys[-1]
    indent = place.column(key.start) + STEP if key else place.column(node.start)
    in_flow = any(above.style in ("{", "[") for above in place.nodes[:-1])
    for new in yaml_source.candidates(value, _own_indent(place, node) or indent, node.style, flow=in_flow):
        behind_colon = node.end > node.start and not new.startswith("\n")
        yield [(node.start, node.end, new[1:] if behind_colon else new)]


def _own_indent(place: _EditTarget, node: Node) -> str | None:
    if node.style not in ("|", ">"):
        return None
    match = re.match(r"[^\r\n]*(?:\r\n?|\n)+([ ]+)", place.body[node.start : node.end])
    return match.group(1) if match else None


def _insertions(place: _EditTarget, step: str | int, value: object) -> Iterator[list[Splice]]:
    node = place.node
    flow = bool(node.style)
    members = [item.end for item in node.items] or [inner.end for _, inner in node.entries]
    if flow or not members:
        written = "" if isinstance(step, int) else f"{next(yaml_source.candidates(step, '', flow=True))[1:]}: "
        for new in yaml_source.candidates(value, "", flow=True):
            at = members[-1] if members else node.start + 1
            yield [(at, at, f"{', ' if members else ''}{written}{new[1:]}")]
        return
    at = next_line(place.body, members[-1])
    before = "" if place.body[:at].endswith(("\n", "\r")) else "\n"
    for line in _lines(place, node, step, value):
        yield [(at, at, f"{before}{line}\n")]


def _lines(place: _EditTarget, node: Node, step: str | int, value: object) -> Iterator[str]:
    """The new member in block style, aligned with its siblings."""
    if isinstance(step, int):
        start = line_start(place.body, node.items[-1].start)
        column = place.column(start + place.body[start : node.items[-1].start].rfind("-"))
        yield f"{column}-{yaml_source.item(value, column + STEP)}"
        return
    column = place.column(node.entries[0][0].start)
    name = next(yaml_source.candidates(step, ""))[1:]
    for new in yaml_source.candidates(value, column + STEP):
        yield f"{column}{name}:{new}"


def _removals(place: _EditTarget) -> Iterator[list[Splice]]:
    parent, key = place.nodes[-2], place.keys[-1]
    spans = text_edit.members(parent)
    at = place.taken[-1] if key is None else next(at for at, (name, _) in enumerate(parent.entries) if name is key)
    assert isinstance(at, int)
    start, end = spans[at]
    following = spans[at + 1][0] if at + 1 < len(spans) else None
    if parent.style:
        yield [(start, following, "") if following else (spans[at - 1][1] if at else start, end, "")]
    elif len(spans) == 1:
        yield from _emptied(place)
    else:
        line = line_start(place.body, start)
        if place.body[line:start].strip() == ("-" if key is None else ""):
            yield [(line, next_line(place.body, max(end, start)), "")]
        if following:  # the first key behind a dash
            yield [(start, following, "")]


def _emptied(place: _EditTarget) -> Iterator[list[Splice]]:
    """Replace a block collection that loses its only member by empty brackets, unless a comment would be lost."""
    parent, key = place.nodes[-2], place.keys[-2]
    colon = place.body.find(":", key.end) + 1 if key else 0
    if key and not place.body[colon : parent.start].strip(" \r\n-"):
        yield [(colon, parent.end, " []" if isinstance(parent.value, list) else " {}")]


def _put(container: Any, step: str | int, value: object) -> None:
    """Set or append a value, or delete it if it is None."""
    if value is None:
        del container[step]
    elif isinstance(container, list) and step == len(container):
        container.append(value)
    else:
        container[step] = value


def _require_room(node: Node, step: str | int) -> None:
    if isinstance(node.value, dict) and isinstance(step, str):
        return
    if not isinstance(node.value, list) or step != len(node.items):
        raise ValueError(f"no position {step} here")


def _require_plain(value: object) -> None:
    try:
        json.dumps(value, allow_nan=False)
    except (TypeError, RecursionError) as error:
        raise ValueError(f"cannot write this value: {error}") from error


def _same(first: object, second: object) -> bool:
    return json.dumps(first, sort_keys=True) == json.dumps(second, sort_keys=True)


# Documents -------------------------------------------------------------------------------------------------------------------


def _with_document(text: str, document: object) -> str:
    """Append a document, in the text's own line ends."""
    new = next(yaml_source.candidates(document, ""))[1:] + "\n"
    if not text.removeprefix(BOM).strip():
        return text[:1].strip() + new
    gap = "" if text.endswith(("\n", "\r")) else "\n"
    return text + f"{gap}---\n{new}".replace("\n", text_edit.newline(text))


def _without_document(text: str, number: int) -> str:
    body = text.removeprefix(BOM)
    roots = yaml_source.compose(body).roots
    if len(roots) == 1:
        return ""
    begins = [separator.start() for separator in _SEPARATOR.finditer(body, 0, roots[number].start)]
    ends = list(_SEPARATOR.finditer(body, roots[number].end))
    start = begins[-1] if begins else 0
    without = body[:start] + (body[ends[0].start() :] if ends else "")
    left = [root.value for root in yaml_source.compose(without).roots]
    if left != [root.value for at, root in enumerate(roots) if at != number]:
        raise ValueError(_REFUSED)
    return text[: len(text) - len(body)] + without


# Moving ----------------------------------------------------------------------------------------------------------------------


def move(text: str, path: Path, to: Path, above: Mapping[str, object] | None = None, gone: Path = ()) -> str:
    """Move an agent's hook, as it is written, to the end of another event's list, which is created if missing.

    Comments right above it go along. Raises as `put`.
    """
    assert above is None, "Azure has no groups"
    body, hooks = text.removeprefix(BOM), _EditTarget(text, path[:-2]).node
    key, entries = next(pair for pair in hooks.entries if pair[0].value == path[-2])
    entry = entries.items[int(path[-1])]
    start, end = _own_lines(body, entry)
    alone = gone != path
    if hooks.style or entries.style or (alone and body[key.end : start].strip() != ":"):
        raise ValueError(_NOT_MOVED)
    removed = line_start(body, key.start) if alone else start
    added = _moved(body, hooks, str(to[-1]), body[start:end], _dash(body, entry))
    body = text_edit.spliced(body, [(removed, end, ""), added])
    _require_moved(body, text, path, str(to[-1]))
    return text[: len(text) - len(text.removeprefix(BOM))] + body


def _moved(body: str, hooks: Node, event: str, own: str, column: int) -> Splice:
    """Insert a hook's lines below the last hook of the event, or below a new event."""
    existing = hooks.entry(event)
    last = hooks.entries[-1][1] if existing is None else existing[1]
    at, line_end = next_line(body, last.end), text_edit.newline(body)
    if existing is None:
        first = hooks.entries[0][0].start
        own = f"{' ' * (first - line_start(body, first))}{event}:{line_end}{own}"
    elif existing[1].items and not existing[1].style:
        own = _indented(own, _dash(body, existing[1].items[-1]) - column)
    else:
        raise ValueError(_NOT_MOVED)
    complete = own if own.endswith(("\n", "\r")) else own + line_end
    return at, at, complete if body[:at].endswith(("\n", "\r")) else line_end + complete


def _own_lines(body: str, entry: Node) -> Span:
    """Start and end of a hook's lines, including the comments right above it."""
    start = line_start(body, entry.start)
    if body[start : entry.start].strip() != "-":
        raise ValueError(_NOT_MOVED)
    while start and _COMMENT.match(body, above := line_start(body, start - 1)):
        start = above
    return start, next_line(body, entry.end)


def _indented(lines: str, columns: int) -> str:
    """Indent the lines, or dedent them by a negative number of columns."""
    if columns >= 0:
        return re.sub(r"^(?=[^\r\n])", " " * columns, lines, flags=re.MULTILINE)
    return re.sub(rf"^ {{{-columns}}}", "", lines, flags=re.MULTILINE)


def _dash(body: str, entry: Node) -> int:
    start = line_start(body, entry.start)
    return body[start : entry.start].index("-")


def _require_moved(body: str, before: str, path: Path, event: str) -> None:
    """Raise ValueError if the edit changed more than the hook's place."""
    wanted = [copy.deepcopy(root.value) for root in yaml_source.compose(before.removeprefix(BOM)).roots]
    lists: Any = wanted
    for step in path[:-2]:
        lists = lists[step]
    entry = lists[path[-2]].pop(path[-1])
    lists.setdefault(event, []).append(entry)
    if not lists[path[-2]]:
        del lists[path[-2]]
    now = yaml_source.compose(body)
    if now.faults or [root.value for root in now.roots] != wanted:
        raise ValueError(_NOT_MOVED)
