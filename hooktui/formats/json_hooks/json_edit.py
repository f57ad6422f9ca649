"""Change one value of a JSON file and no other byte: comments, order, indentation and line ends stay.

A path consists of keys and indexes from the root. New text uses the file's indentation and line ends.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

from hooktui.formats import json_source, text_edit
from hooktui.formats.text_edit import APPEND, BOM, LINE_END, nested, shown, walk

if TYPE_CHECKING:
    from collections.abc import Mapping

    from hooktui.formats.node import Node
    from hooktui.formats.text_edit import Path, Splice

HERE = "\0here\0"  # placeholder for a value as it is written
_TRIVIA = re.compile(r"(?:[ \t\r\n]+|//[^\r\n]*|/\*.*?\*/)*", re.DOTALL)
_FIRST_INDENT = re.compile(r"[\r\n]([ \t]+)\S")
_REST_OF_LINE = re.compile(r"[ \t]*(?://[^\r\n]*|/\*[^\r\n]*?\*/[ \t]*)?(?=[\r\n])")
_TIGHT_COLON, _LOOSE_COLON = re.compile(r'":\S'), re.compile(r'":\s')


def put(text: str, path: Path, value: object) -> str:
    """Set the value at a path, and create missing parents. Raises ValueError for an invalid text, path or value."""
    body = _Body(text)
    node, _, rest = walk(body.root, path)
    if rest:
        return body.spliced(_insertion(body, node, rest, value))
    if _dumped(node.value, body) == _dumped(value, body):
        return text
    several = "\n" in body.text[node.start : node.end] if node.style in ("{", "[") else body.several_lines
    new = _rendered(body, value, body.indent_at(node.start), several_lines=several)
    return body.spliced([(node.start, node.end, new)])


def remove(text: str, path: Path, *, with_comment: bool = True) -> str:
    """Delete the value at a path with its comma and the comment behind it on its line. Raises as `put`."""
    body = _Body(text)
    node, _, rest = walk(body.root, path)
    if rest or not path:
        raise ValueError(f"nothing at {shown(path)}")
    parent, _, _ = walk(body.root, path[:-1])
    members = text_edit.members(parent)
    at = next(at for at, span in enumerate(members) if span[1] == node.end)
    return body.spliced(_removal(body, parent, members, at, with_comment=with_comment))


def find(text: str, path: Path) -> Node | None:
    """The value at a path; None if there is none. Raises as `put`."""
    node, _, rest = walk(_Body(text).root, path)
    return None if rest else node


def put_written(text: str, path: Path, value: object, written: str) -> str:
    """Set the value at a path, with a text as it is written in place of HERE in the value. Raises as `put`."""
    changed, literal = put(text, path, value), json.dumps(HERE)
    if changed.count(literal) != 1:
        raise ValueError("this entry cannot be moved automatically")
    return changed.replace(literal, written)


def move(text: str, path: Path, to: Path, above: Mapping[str, object] | None = None, gone: Path = ()) -> str:
    """Move an element of a list, as it is written, to the end of the list at `to`, in a group with the values `above`.

    `gone` is what to remove: the element, or what it leaves empty; a comment behind it stays. Raises as `put`.
    """
    value = HERE if above is None else {**above, str(path[-2]): [HERE]}
    without = remove(text, gone or path, with_comment=False)
    return put_written(without, (*to, APPEND), value, written(text, path))


def written(text: str, path: Path) -> str:
    """The text of the value at a path. Raises as `put`, and if there is none."""
    node = find(text, path)
    if node is None:
        raise ValueError(f"nothing at {shown(path)}")
    return text.removeprefix(BOM)[node.start : node.end]


class _Body(text_edit.Body):
    """A parsed text and its style. Raises ValueError if it cannot be read."""

    def __init__(self, text: str) -> None:
        read = json_source.read(text.removeprefix(BOM))
        super().__init__(text, read, "JSON")
        self._comments = [span for span in read.extras if span[1] - span[0] > 1]
        self.several_lines = LINE_END.search(self.text.strip()) is not None or not (self.root.entries or self.root.items)
        indent = _FIRST_INDENT.search(self.text)
        self.indent = indent.group(1) if indent else "  "
        self.space = "" if _TIGHT_COLON.search(self.text) and not _LOOSE_COLON.search(self.text) else " "  # behind a sign

    def line_ends(self, start: int, end: int) -> list[int]:
        """The line ends between two offsets, except in multi-line comments."""
        ends = (match.start() for match in LINE_END.finditer(self.text, start, end))
        return [at for at in ends if not any(first < at < last for first, last in self._comments)]

    def spliced(self, splices: list[Splice]) -> str:
        """Replace spans. Raises ValueError if the result cannot be read."""
        text = text_edit.spliced(self.text, splices)
        if json_source.read(text).root is None:
            raise ValueError("this change would break the file")
        return self.bom + text


def _insertion(body: _Body, parent: Node, rest: Path, value: object) -> list[Splice]:
    value = nested(rest[1:], value)
    members = text_edit.members(parent)
    if not members:
        return _first(body, parent, rest[0], value)
    last, close = members[-1][1], parent.end - 1
    trailing = _comma_after(body.text, last)
    breaks = body.line_ends(trailing or last, close)
    if not breaks:
        new = _member(body, parent, rest[0], value, "", several_lines=False)
        return [(last, last, f",{body.space}{new}")] if trailing is None else [(trailing, trailing, f"{body.space}{new},")]
    at = breaks[-1]
    own_line = not body.text[text_edit.line_start(body.text, members[-1][0]) : members[-1][0]].strip()
    indent = body.indent_at(members[-1][0]) if own_line else body.indent_at(close) + body.indent
    new = body.line_end + indent + _member(body, parent, rest[0], value, indent, several_lines=True)
    return [(last, last, ","), (at, at, new)] if trailing is None else [(at, at, new + ",")]


def _first(body: _Body, parent: Node, step: str | int, value: object) -> list[Splice]:
    start, close = parent.start + 1, parent.end - 1
    inner = body.text[start:close]
    if not body.several_lines:
        return [(start, start, _member(body, parent, step, value, "", several_lines=False))]
    outer = body.indent_at(parent.start)
    indent = outer + body.indent
    new = body.line_end + indent + _member(body, parent, step, value, indent, several_lines=True)
    if not inner.strip():
        return [(start, close, new + body.line_end + outer)]
    breaks = body.line_ends(start, close)
    at = breaks[-1] if breaks else close
    return [(at, at, new + ("" if breaks else body.line_end + outer))]


def _removal(body: _Body, parent: Node, members: list[tuple[int, int]], at: int, *, with_comment: bool) -> list[Splice]:
    start, end = members[at]
    around = body.text[parent.start + 1 : start] + body.text[end : parent.end - 1]
    if len(members) == 1 and around.strip() in ("", ","):
        return [(parent.start + 1, parent.end - 1, "")]
    comma = _comma_after(body.text, end)
    splices: list[Splice] = []
    if comma is None and at > 0:  # the comma before it would dangle
        before = _comma_after(body.text, members[at - 1][1])
        assert before is not None
        splices.append((before - 1, before, ""))
    end = comma or end
    line = text_edit.line_start(body.text, start)
    tail = None if line == 0 or body.text[line:start].strip() else _REST_OF_LINE.match(body.text, end)
    leaves_comment = tail is not None and tail[0].strip() and not with_comment
    if tail and not leaves_comment:
        start = line - 2 if body.text.startswith("\r\n", line - 2) else line - 1
        end = tail.end()
    elif at == len(members) - 1 and not leaves_comment:
        start = len(body.text[:start].rstrip(" \t"))
    else:
        end = len(body.text) - len(body.text[end:].lstrip(" \t"))
    return [*splices, (start, end, "")]


def _comma_after(text: str, offset: int) -> int | None:
    """The offset after the comma that follows a value; None if there is none."""
    trivia = _TRIVIA.match(text, offset)
    at = trivia.end() if trivia else offset
    return at + 1 if text.startswith(",", at) else None


def _member(body: _Body, parent: Node, step: str | int, value: object, indent: str, *, several_lines: bool) -> str:
    rendered = _rendered(body, value, indent, several_lines=several_lines)
    return f"{_dumped(step, body)}:{body.space}{rendered}" if parent.style == "{" else rendered


def _rendered(body: _Body, value: object, indent: str, *, several_lines: bool) -> str:
    if not several_lines:
        return _dumped(value, body)
    return _dumped(value, body, body.indent).replace("\n", body.line_end + indent)


def _dumped(value: object, body: _Body, indent: str | None = None) -> str:
    signs = ("," + body.space * (indent is None), ":" + body.space)
    try:
        text = json.dumps(value, ensure_ascii=False, allow_nan=False, indent=indent, separators=signs)
        text.encode()
    except (TypeError, RecursionError, UnicodeEncodeError) as error:
        raise ValueError(f"cannot write this value as JSON: {error}") from error
    return text
