"""Change one value of a TOML file and no other byte: comments, order, indentation and line ends stay.

A path consists of keys and indexes from the root. Every result is read again: nothing but the value may have changed.
"""

from __future__ import annotations

import copy
import json
import re
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from hooktui.formats import text_edit, toml_source
from hooktui.formats.node import HEADER, Written
from hooktui.formats.text_edit import APPEND, BOM, nested, shown, walk

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from hooktui.formats.node import Node, Span
    from hooktui.formats.text_edit import Path, Splice
    from hooktui.formats.toml_source import Section

_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")
_MARK = "\0here\0"  # placeholder for an element's own text
_REFUSED = "this cannot be changed without changing other text: edit the source"


def put(text: str, path: Path, value: object) -> str:
    """Set the value at a path, and create missing parents. Raises ValueError for an invalid text, path or value."""
    body = _Body(text)
    node, known, rest = walk(body.root, path)
    wanted = copy.deepcopy(body.root.value)
    _put(wanted, (*known, *rest), value)
    if not rest:
        if json.dumps(node.value) == json.dumps(value):
            return text
        if node.style == HEADER:
            raise ValueError(_REFUSED)
        return body.spliced([(node.start, node.end, literal(value))], wanted)
    return body.first_valid(_insertions(body, node, known, rest, value), wanted)


def remove(text: str, path: Path) -> str:
    """Delete the value at a path with its lines. Raises as `put`."""
    body = _Body(text)
    _, known, rest = walk(body.root, path)
    if rest or not path:
        raise ValueError(f"nothing at {shown(path)}")
    wanted = copy.deepcopy(body.root.value)
    parent = _at(wanted, known[:-1])
    del parent[known[-1]]
    above = walk(body.root, known[:-1])[0]
    if above.style in ("[", "{"):
        return body.spliced([_inline_removal(body.text, above, known[-1])], wanted)
    return body.spliced([(*span, "") for span in _lines_of(body, known)], wanted)


def rename_list(text: str, path: Path, name: str) -> str:
    """Move an element of a list to the list `name` beside it; one with a header stays where it is. Raises as `put`."""
    body = _Body(text)
    node, known, rest = walk(body.root, path)
    if rest:
        raise ValueError(_REFUSED)
    if node.style != HEADER:
        return move(text, path, (*known[:-2], name))
    above, (old, index) = known[:-2], known[-2:]
    at = sum(isinstance(step, str) for step in above)
    keys = [section.keys[at] for section in body.sections if section.path[: len(known)] == known]
    wanted = copy.deepcopy(body.root.value)
    parent = _at(wanted, above)
    element = parent[old].pop(index)
    if not parent[old]:
        del parent[old]
    parent.setdefault(name, []).append(element)
    return body.spliced([(*key.span, _key(name)) for key in keys], wanted, ordered=False)


def find(text: str, path: Path) -> Node | None:
    """The value at a path; None if there is none. Raises as `put`."""
    node, _, rest = walk(_Body(text).root, path)
    return None if rest else node


def move(text: str, path: Path, to: Path, above: Mapping[str, object] | None = None, gone: Path = ()) -> str:
    """Move an element of a list to the end of the list at `to`, with its comments. Raises as `put`.

    With `above` the list gets a table with these values, and the element becomes the only one of its list there. `gone` is
    what to remove: the element, or what it leaves empty.
    """
    body = _Body(text)
    node, known, rest = walk(body.root, path)
    if rest:
        raise ValueError(_REFUSED)
    inner = str(known[-2])
    value = node.value if above is None else {**above, inner: [node.value]}
    if node.style != HEADER:
        without, raw = remove(text, gone or path), body.text[node.start : node.end]
        marked = _MARK if above is None else {**above, inner: [_MARK]}
        try:
            return put(without, (*to, APPEND), marked).replace(literal(_MARK), raw)
        except ValueError:  # the list has headers
            return put(without, (*to, APPEND), value)
    depth = sum(isinstance(step, str) for step in known)
    names = (*to, *(() if above is None else (inner,)))
    chunk = "".join(_renamed(body.text, run, depth, names) for run in _runs(body.sections, known)).lstrip("\r\n")
    if above is not None:
        chunk = _block(to, above, body.line_end) + body.line_end + chunk
    left = _Body(remove(text, gone or path))
    wanted = copy.deepcopy(left.root.value)
    _put(wanted, (*to, APPEND), value)
    return left.first_valid(([(at, at, left.block(at, chunk))] for at in _places(left, to)), wanted)


def literal(value: object) -> str:
    """A value as TOML on one line. Raises ValueError if TOML has no such value."""
    if isinstance(value, dict):
        return f"{{ {', '.join(f'{_key(key)} = {literal(inner)}' for key, inner in value.items())} }}" if value else "{}"
    if isinstance(value, list):
        return f"[{', '.join(map(literal, value))}]"
    if isinstance(value, Written):
        return str(value)
    try:
        text = json.dumps(value, ensure_ascii=False, allow_nan=False)
        text.encode()
    except (TypeError, ValueError, RecursionError) as error:
        raise ValueError(f"cannot write this value as TOML: {error}") from error
    if value is None:
        raise ValueError("TOML has no null")
    return text.replace("\x7f", "\\u007f")


def _key(name: object) -> str:
    return str(name) if _BARE_KEY.fullmatch(str(name)) else literal(str(name))


class _Body(text_edit.Body):
    """A parsed text. Raises ValueError if it cannot be read."""

    def __init__(self, text: str) -> None:
        read = toml_source.read(text.removeprefix(BOM))
        super().__init__(text, read, "TOML")
        self.sections = read.sections

    def block(self, at: int, chunk: str) -> str:
        """Lines to insert at the start of a line, or at the end of the text, with an empty line around them."""
        before, after = self.text[:at], self.text[at:]
        ends = not before or before.endswith("\n")
        gap = "" if not before.strip() else self.line_end * (1 + (not ends))
        below = self.line_end if after.strip() and not after.startswith(("\n", "\r")) else ""
        return gap + chunk + below

    def first_valid(self, changes: Iterator[list[Splice]], wanted: object) -> str:
        """The first change after which the file has the wanted values."""
        for splices in changes:
            try:
                return self.spliced(splices, wanted)
            except ValueError as error:
                refused = error
        raise refused

    def spliced(self, splices: Sequence[Splice], wanted: object, *, ordered: bool = True) -> str:
        """Replace spans. Raises ValueError unless the result has the wanted values."""
        text = text_edit.spliced(self.text, splices)
        root = toml_source.read(text).root
        if root is None or _comparable(root.value, ordered=ordered) != _comparable(wanted, ordered=ordered):
            raise ValueError(_REFUSED)
        return self.bom + text


def _comparable(value: Any, *, ordered: bool) -> Any:
    """A value as text, without the tables and lists that are empty: headers cannot keep those."""
    if isinstance(value, dict):
        inner = {key: _comparable(item, ordered=ordered) for key, item in value.items()}
        return json.dumps({key: text for key, text in inner.items() if text not in ("{}", "[]")}, sort_keys=True)
    if isinstance(value, list):
        items = [_comparable(item, ordered=ordered) for item in value]
        return json.dumps(items if ordered else sorted(items))
    return json.dumps(value)


def _at(value: Any, path: Path) -> Any:
    for step in path:
        value = value[step]
    return value


def _put(root: Any, path: Path, value: object) -> None:
    for step, following in pairwise(path):
        missing = isinstance(root, list) and isinstance(step, int) and step >= len(root)
        new: Any = [] if following == APPEND or isinstance(following, int) else {}
        if step == APPEND or missing:
            root.append(new)
            root = root[-1]
        else:
            root = root.setdefault(step, new) if isinstance(root, dict) else root[step]
    last = path[-1]
    if last == APPEND or (isinstance(root, list) and isinstance(last, int) and last >= len(root)):
        root.append(value)
    else:
        root[last] = value


def _insertions(body: _Body, parent: Node, known: Path, rest: Path, value: object) -> Iterator[list[Splice]]:
    """The ways to add a value below an existing one, the best first."""
    value = nested(rest[1:], value)
    names = tuple(step for step in known if isinstance(step, str))
    if parent.style in ("[", "{"):
        yield [_inline_addition(body.text, parent, rest[0], value)]
    elif isinstance(parent.value, list) and isinstance(value, dict):
        at = text_edit.next_line(body.text, parent.end)
        yield [(at, at, body.block(at, _block(names, value, body.line_end)))]
    else:
        place, blocks = (*names, str(rest[0])), list(_blocks((*names, str(rest[0])), value, body.line_end))
        for at in _places(body, place) if blocks else ():
            yield [(at, at, body.block(at, body.line_end.join(blocks)))]
        yield _line(body, known, f"{_key(rest[0])} = {literal(value)}")


def _places(body: _Body, names: Path) -> Iterator[int]:
    """Where a table of that name can be declared: after the last one, after its parent's, at the end."""
    for depth in range(len(names), 0, -1):
        ends = [section.end for section in body.sections if tuple(key.value for key in section.keys[:depth]) == names[:depth]]
        if ends:
            yield text_edit.next_line(body.text, max(ends))
    yield len(body.text)


def _blocks(names: Path, value: object, line_end: str) -> Iterator[str]:
    """Headers with their lines for the lists of tables in a value; none if there are no such lists."""
    if isinstance(value, list) and value and all(isinstance(item, dict) for item in value):
        yield from (_block(names, item, line_end) for item in value)
    elif isinstance(value, dict) and len(value) == 1:
        for name, inner in value.items():
            yield from _blocks((*names, name), inner, line_end)


def _block(names: Path, table: Mapping[str, object], line_end: str) -> str:
    """A list's element: its header, its values, and the elements of lists in it."""
    header = ".".join(map(_key, names))
    lines, inner = [f"[[{header}]]"], []
    for name, value in table.items():
        if blocks := list(_blocks((*names, name), value, line_end)) if isinstance(value, list) else []:
            inner += blocks
        else:
            lines.append(f"{_key(name)} = {literal(value)}")
    return line_end.join(("".join(f"{line}{line_end}" for line in lines), *inner))


def _line(body: _Body, path: Path, line: str) -> list[Splice]:
    """A line below the last of a table, or below its header."""
    section = next((section for section in body.sections if section.path == path), None)
    if section is None:
        raise ValueError(_REFUSED)
    last = section.pairs[-1].start if section.pairs else section.start
    if not section.keys and not section.pairs:
        return [(0, 0, line + body.line_end * (1 + bool(body.text.strip())))]
    at = text_edit.next_line(body.text, section.end)
    start = "" if body.text[:at].endswith("\n") else body.line_end
    return [(at, at, f"{start}{body.indent_at(last)}{line}{body.line_end}")]


def _inline_addition(text: str, parent: Node, step: str | int, value: object) -> Splice:
    last = parent.entries[-1][1] if parent.entries else parent.items[-1] if parent.items else None
    new = literal(value) if parent.style == "[" else f"{_key(step)} = {literal(value)}"
    if last is None:
        at = parent.start + 1
        return (at, parent.end - 1, new if parent.style == "[" else f" {new} ")
    return (last.end, last.end, f", {new}")


def _inline_removal(text: str, parent: Node, step: str | int) -> Splice:
    members = text_edit.members(parent)
    at = step if isinstance(step, int) else [key.value for key, _ in parent.entries].index(step)
    if at > 0:
        return (members[at - 1][1], members[at][1], "")
    if len(members) > 1:
        return (members[0][0], members[1][0], "")
    return (parent.start + 1, parent.end - 1, "")


def _lines_of(body: _Body, path: Path) -> list[Span]:
    """The lines of the sections and pairs of a value."""
    pairs = (pair for section in body.sections for pair in section.pairs if section.path[: len(path)] != path)
    inside = [_lines(body.text, pair.start, pair.end) for pair in pairs if pair.path[: len(path)] == path]
    return [*inside, *(_span(body.text, run) for run in _runs(body.sections, path))]


def _runs(sections: Sequence[Section], path: Path) -> list[list[Section]]:
    """The sections of a value, those that follow each other in one list."""
    runs: list[list[Section]] = []
    for before, section in pairwise(sections):
        if section.path[: len(path)] == path:
            if not runs or runs[-1][-1] is not before:
                runs.append([])
            runs[-1].append(section)
    return runs


def _span(text: str, run: Sequence[Section]) -> Span:
    """The lines of sections that follow each other, with the empty line above them or, at the start, below them."""
    start, end = _lines(text, run[0].start, run[-1].end)
    if not text[:start].strip():
        return start, text_edit.next_line(text, end) if text[end:].startswith(("\n", "\r")) else end
    above = text_edit.line_start(text, start - len(re.findall(r"\r?\n\Z", text[:start])[0]))
    return (start, end) if text[above:start].strip() else (above, end)


def _renamed(text: str, run: Sequence[Section], depth: int, names: Path) -> str:
    """The lines of sections with the first keys of their headers replaced."""
    start, end = _span(text, run)
    heads = [(section.keys[0].start, section.keys[depth - 1].end, ".".join(map(_key, names))) for section in run]
    moved = text_edit.spliced(text[:end], heads)[start:]
    return moved if moved.endswith("\n") else moved + text_edit.newline(text)


def _lines(text: str, start: int, end: int) -> Span:
    return text_edit.line_start(text, start), text_edit.next_line(text, end)
