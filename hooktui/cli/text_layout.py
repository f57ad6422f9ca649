"""Text at a terminal: tables and sentences that lose no word where a line ends. Without a terminal nothing is cut or broken."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import click
from rich.cells import cell_len, chop_cells, set_cell_size

from hooktui.cli.console import aligned, columns, cut

_LEAST_TEXT = 20  # columns of a text that is broken into lines
_LEAST_BESIDE = 36  # columns; where a text has fewer beside its row, it goes below
_LEAST_NAME = 26  # columns of a name, if they are there
_MOST_LINES = 3  # of a row's text
_ELLIPSIS = "…"


def say(text: str, indent: int = 0) -> None:
    """Print a sentence; at a terminal it continues on indented lines."""
    for line in folded(text, columns(), indent):
        click.echo(line)


def folded(text: str, width: int | None, indent: int = 0) -> list[str]:
    """Break a sentence into lines of a width, of which all but the first are indented. The indent of its own stays."""
    if width is None or cell_len(text) <= width:
        return [text]
    own = len(text) - len(text.lstrip())
    first, *rest = wrapped(text[own:], width - own - indent)
    return [" " * own + first, *(" " * (own + indent) + line for line in rest)]


def hanging(rows: Sequence[Sequence[str]], width: int | None) -> list[str]:
    """Format rows as aligned columns whose last one, a text, continues below itself where the terminal ends."""
    return [line for row in table(rows, width) for line in row]


def table(rows: Sequence[Sequence[str]], width: int | None, name: int | None = None) -> Iterator[list[str]]:
    """Format each row as lines: aligned columns, and a last one, a text, that takes the room that is left.

    A text without enough room goes below its row, indented. The middle of the column `name` may be cut.
    """
    fixed: list[list[str]] = [list(row[:-1]) for row in rows]
    if width is not None and name is not None:
        widths = [max(map(cell_len, column)) + 2 for column in zip(*fixed, strict=True)]
        room = max(min(width - sum(widths) + widths[name], max(width // 4, _LEAST_NAME)), _LEAST_TEXT)
        for cells in fixed:
            cells[name] = shortened(cells[name], room)
    heads = [line[:-1] for line in aligned([[*cells, "."] for cells in fixed])]
    for head, row in zip(heads, rows, strict=True):
        beside = None if width is None else width - cell_len(head)
        if width is None or beside is None or beside >= min(_LEAST_BESIDE, cell_len(row[-1])):
            first, *rest = _few(wrapped(row[-1], beside))
            yield [(head + first).rstrip(), *(" " * cell_len(head) + line for line in rest)]
        else:
            indent = len(head) - len(head.lstrip()) + 4
            yield [cut(head.rstrip(), width), *(" " * indent + line for line in _few(wrapped(row[-1], width - indent)) if line)]


def wrapped(text: str, width: int | None) -> list[str]:
    """Break a text at blanks into lines of a width in cells; a word that is too long is broken."""
    if width is None or cell_len(text) <= width:
        return [text]
    room, lines = max(width, _LEAST_TEXT), [""]
    for word in text.split(" "):
        joined = f"{lines[-1]} {word}" if lines[-1] else word
        if cell_len(joined) <= room:
            lines[-1] = joined
        else:
            lines += chop_cells(word, room)
    return [line for line in lines if line]


def shortened(text: str, width: int) -> str:
    """A name or a path without its middle, in so many cells; of several words, the first ones."""
    if cell_len(text) <= width:
        return text
    if " " in text:
        return wrapped(text, width - 1)[0] + _ELLIPSIS
    end = width // 2
    tail = text[::-1]
    while cell_len(tail) > end:
        tail = tail[:-1]
    return set_cell_size(text, max(width - 1 - cell_len(tail), 0)).rstrip() + _ELLIPSIS + tail[::-1]


def _few(lines: list[str]) -> list[str]:
    return lines if len(lines) <= _MOST_LINES else [*lines[: _MOST_LINES - 1], f"{lines[_MOST_LINES - 1][:-1]}{_ELLIPSIS}"]
