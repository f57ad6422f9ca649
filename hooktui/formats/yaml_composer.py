"""Read YAML safely, with positions and with limits checked before anything is built (formats.md §2).

At most 50 levels and 1,000 nodes after aliases are expanded; no `<<` merge keys and no custom tags. One pass
over the parser's events, without recursion. Values are what JSON can hold: keys are the text as written (so `on:`
is "on"); dates and numbers that JSON cannot represent stay text.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import yaml

from hooktui.formats import yaml_errors
from hooktui.formats.node import Node, ParseError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from hooktui.formats.node import Span

MAX_LEVELS = 50
MAX_NODES = 1_000
_MAX_BITS = 14_000  # Python writes no integer of more than 4,300 digits
_FEW = 1_000

_Loader: type[yaml.SafeLoader] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_TAG = "tag:yaml.org,2002:"
_TRUE = frozenset({"yes", "true", "on"})
_COLLECTION_TAGS = frozenset({"!", _TAG + "map", _TAG + "seq"})


class Composed(NamedTuple):
    """The parsed documents, one root each, and their errors. `broken`: parsing stopped early."""

    roots: tuple[Node, ...]
    faults: tuple[ParseError, ...]
    broken: bool


def compose(text: str, start: int = 0, end: int | None = None, most_values: int = MAX_NODES) -> Composed:
    """Parse the YAML in text[start:end]. Positions refer to `text`. Content never raises."""
    return _Composer(text, start, len(text) if end is None else end, most_values).run()


@dataclass(slots=True)
class _OpenCollection:
    """A collection that is not closed yet. `size` and `height` include its content with aliases expanded."""

    start: int
    anchor: str | None
    mapping: bool
    flow: bool
    children: list[Node]
    size: int = 1
    height: int = 1


class _Composer:
    def __init__(self, text: str, start: int, end: int, most_values: int) -> None:
        self.text = text
        self.most_values = most_values
        self.offset = start
        self.end = end
        self.open: list[_OpenCollection] = []
        self.roots: list[Node] = []
        self.faults: list[ParseError] = []
        self.anchors: dict[str, tuple[Node, int, int] | None] = {}
        self.nodes = 0

    def run(self) -> Composed:
        source = self.text[self.offset : self.end]
        broken = False
        try:
            yaml_errors.check_characters(source, self.offset)
            for event in _events(source):
                handle = _HANDLERS.get(type(event))
                if handle is not None:
                    handle(self, event)
        except yaml.YAMLError as error:
            self.faults.append(yaml_errors.explain(error, self.text, self.offset, self.end))
            broken = True
        except ParseError as fault:
            self.faults.append(fault)
            broken = True
        self.faults.sort(key=lambda fault: fault.span)
        return Composed(tuple(self.roots), tuple(self.faults), broken)

    def begin_document(self, _event: yaml.Event) -> None:
        self.anchors.clear()
        self.nodes = 0

    def alias(self, event: yaml.AliasEvent) -> None:
        span = self._span(event)
        if event.anchor not in self.anchors:
            message = f"undefined alias *{event.anchor}"
            raise yaml_errors.unquoted(self.text, span[0], message) or ParseError("bad-yaml", message, span)
        target = self.anchors[event.anchor]
        if target is None:
            raise ParseError("bad-yaml", f"alias *{event.anchor} contains itself", span)
        node, size, height = target
        if len(self.open) + height > MAX_LEVELS:
            raise _too_deep(span)
        self._add(Node(node.value, *span, "*", node.entries, node.items), size, height)

    def scalar(self, event: yaml.ScalarEvent) -> None:
        start, end = self._span(event)
        style = event.style or ""
        if style in "|>" and style:
            end = start + len(self.text[start:end].rstrip())
        node = Node(self._value(event, (start, end)), start, end, style)
        if event.anchor:
            self.anchors[event.anchor] = (node, 1, 0)
        self._add(node, 1, 0)

    def begin(self, event: yaml.CollectionStartEvent) -> None:
        span = self._span(event)
        if len(self.open) >= MAX_LEVELS:
            raise _too_deep(span)
        if event.tag and event.tag not in _COLLECTION_TAGS:
            raise _unknown_tag(event.tag, span)
        if event.anchor:
            self.anchors[event.anchor] = None
        mapping = isinstance(event, yaml.MappingStartEvent)
        self.open.append(_OpenCollection(span[0], event.anchor, mapping, bool(event.flow_style), []))

    def finish(self, event: yaml.CollectionEndEvent) -> None:
        opened = self.open.pop()
        # In block style the end mark is at the next token, after blank lines and comments.
        last = opened.children[-1].end if opened.children else opened.start
        end = self._span(event)[1] if opened.flow else last
        node = self._mapping(opened, end) if opened.mapping else _list(opened, end)
        if opened.anchor:
            self.anchors[opened.anchor] = (node, opened.size, opened.height)
        self._add(node, opened.size, opened.height, counted=True)

    def _mapping(self, opened: _OpenCollection, end: int) -> Node:
        entries: dict[str, tuple[Node, Node]] = {}
        before = opened.start
        for key, value in zip(opened.children[::2], opened.children[1::2], strict=True):
            if key.value == "<<" and not key.style:
                raise ParseError("bad-yaml", "hooktui does not read merge keys (<<)", key.span, "write the keys out")
            if key.value in entries:
                again = None if opened.flow or value.style in ("|", ">") else (before, value.end)
                same = value.value == entries[key.value][1].value
                self.faults.append(yaml_errors.repeated(self.text, key.value, key.span, again if same else None))
            else:
                entries[key.value] = (key, value)
            before = value.end
        values = {name: value.value for name, (_, value) in entries.items()}
        return Node(values, opened.start, end, "{" if opened.flow else "", tuple(entries.values()))

    def _add(self, node: Node, size: int, height: int, *, counted: bool = False) -> None:
        """Add a complete node to the open collection. `counted`: its parts are counted already."""
        self.nodes += 1 if counted else size
        if self.nodes > self.most_values:
            raise ParseError("bad-yaml", f"more than {self.most_values:,} values, with aliases expanded", node.span)
        if not self.open:
            self.roots.append(node)
            return
        parent = self.open[-1]
        if self._is_key() and (node.entries or node.items or not isinstance(node.value, str)):
            raise ParseError("bad-yaml", "a key must be text, not a list or a mapping", node.span)
        parent.children.append(node)
        parent.size += size
        parent.height = max(parent.height, height + 1)

    def _is_key(self) -> bool:
        return bool(self.open) and self.open[-1].mapping and len(self.open[-1].children) % 2 == 0

    def _value(self, event: yaml.ScalarEvent, span: Span) -> Any:
        if self._is_key():
            return event.value
        tag = event.tag
        if tag is None or tag == "!":
            tag = _implicit_tag(event.value) if event.implicit[0] else _TAG + "str"
        if tag not in _SCALARS:
            raise _unknown_tag(tag, span)
        try:
            return _SCALARS[tag](event.value)
        except ValueError:  # 0b_, 2024-13-45 and the like fit YAML's patterns and mean nothing
            return event.value

    def _span(self, event: yaml.Event) -> Span:
        start, end = event.start_mark, event.end_mark
        assert start is not None and end is not None, "PyYAML marks every event"
        return start.index + self.offset, end.index + self.offset


def _events(source: str) -> Iterator[yaml.Event]:
    loader = _Loader(source)
    try:
        yield from iter(loader.get_event, None)
    finally:
        loader.dispose()


def _list(opened: _OpenCollection, end: int) -> Node:
    values = [item.value for item in opened.children]
    return Node(values, opened.start, end, "[" if opened.flow else "", items=tuple(opened.children))


def _too_deep(span: Span) -> ParseError:
    return ParseError("bad-yaml", f"nested deeper than {MAX_LEVELS} levels", span)


def _unknown_tag(tag: str, span: Span) -> ParseError:
    return ParseError("bad-yaml", f"unknown tag {tag}", span, "remove the tag or quote the value")


_RESOLVER = yaml.resolver.Resolver()
_CONSTRUCTOR = yaml.constructor.SafeConstructor()


def _implicit_tag(text: str) -> str:
    """The YAML 1.1 tag of an unquoted scalar."""
    return str(_RESOLVER.resolve(yaml.ScalarNode, text, (True, False)))  # type: ignore[no-untyped-call]


def is_endless(node: Node) -> bool:
    """Whether a scalar is an integer with more digits than Python converts."""
    value = node.value
    return isinstance(value, str) and not node.style and len(value) > _FEW and _implicit_tag(value) == _TAG + "int"


def _integer(text: str) -> int:
    number = int(_CONSTRUCTOR.construct_yaml_int(yaml.ScalarNode(_TAG + "int", text)))
    if number.bit_length() > _MAX_BITS:  # hexadecimal, say: it could be read, but not be shown
        raise ValueError
    return number


def _decimal(text: str) -> float | str:
    number = float(_CONSTRUCTOR.construct_yaml_float(yaml.ScalarNode(_TAG + "float", text)))
    return number if math.isfinite(number) else text


_SCALARS: Mapping[str, Callable[[str], Any]] = {
    _TAG + "null": lambda _text: None,
    _TAG + "bool": lambda text: text.lower() in _TRUE,
    _TAG + "int": _integer,
    _TAG + "float": _decimal,
    **dict.fromkeys((_TAG + name for name in ("str", "timestamp", "binary", "merge", "value")), str),
}
_HANDLERS: Mapping[type[yaml.Event], Callable[[_Composer, Any], None]] = {
    yaml.DocumentStartEvent: _Composer.begin_document,
    yaml.AliasEvent: _Composer.alias,
    yaml.ScalarEvent: _Composer.scalar,
    yaml.SequenceStartEvent: _Composer.begin,
    yaml.MappingStartEvent: _Composer.begin,
    yaml.SequenceEndEvent: _Composer.finish,
    yaml.MappingEndEvent: _Composer.finish,
}
