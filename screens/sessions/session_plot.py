"""A session over time, in blocks: time in hooks, and decisions by kind."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.content import Content
from textual.widgets import Static

from hooktui.core import ids
from hooktui.log.read import session_outline
from hooktui.screens.sessions.session_list import length
from hooktui.screens.widgets.cells import duration, fit
from hooktui.screens.widgets.signs import DECISION_SIGNS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from hooktui.log.read.session_outline import SessionEvent, Slice

_EIGHTHS = " ▁▂▃▄▅▆▇█"
_LABEL, _MOST = 10, 9  # columns left and right of the blocks
_HIGH = 2  # lines for the time in hooks
_LEAST_ROOM = 8
_MUTED, _HEAD = "$secondary", "$accent bold"


class SessionPlot(Static):
    """One slice of the session per column. Textual's Sparkline draws 0 like a small value, so it is not used."""

    def __init__(self, *, id: str) -> None:  # noqa: A002  # Textual's name
        super().__init__(id=id, markup=False)
        self._moments: Sequence[SessionEvent] = ()

    def show(self, moments: Sequence[SessionEvent]) -> None:
        """Show a session's moments."""
        self._moments = moments
        self._draw()

    def on_resize(self) -> None:
        self._draw()

    def _draw(self) -> None:
        room = self.content_size.width - _LABEL - _MOST - 2
        if room >= _LEAST_ROOM:
            moments = self._moments
            seconds = ids.seconds(moments[-1].id) - ids.seconds(moments[0].id) if moments else 0.0
            self.update(Content("\n").join(_lines(session_outline.slices(moments, room), seconds)))


def _lines(parts: Sequence[Slice], seconds: float) -> Iterator[Content]:
    yield Content.assemble(
        (fit("Over time", _LABEL), _HEAD), (f"{'':─<{len(parts)}}", "$border-blurred"), (f" {length(seconds)}", _MUTED)
    )
    waits = [part.hook_ms for part in parts]
    for line, blocks in enumerate(columns(waits, _HIGH)):
        most = duration(max(waits, default=0.0)) if line == 0 else ""
        yield _line("in hooks" if line == _HIGH - 1 else "", _MUTED, blocks, "$primary", most)
    for name, (glyph, colour) in DECISION_SIGNS.items():
        counts = [part.decisions.get(name, 0) for part in parts]
        if any(counts) and name != "none":
            yield _line(f"{glyph} {name}", colour, columns(counts, 1)[0], colour, f"{max(counts):,}")


def _line(label: str, label_colour: str, blocks: str, colour: str, most: str) -> Content:
    return Content.assemble((fit(label, _LABEL), label_colour), (blocks, colour), " ", (f"≤ {most}" if most else "", _MUTED))


def columns(values: Sequence[float], height: int) -> list[str]:
    """Values as a bar chart some lines high, top line first; every value above 0 is visible."""
    most = max(values, default=0) or 1
    full = height * 8
    eighths = [max(round(value / most * full), 1) if value > 0 else 0 for value in values]
    return ["".join(_EIGHTHS[min(max(level - line * 8, 0), 8)] for level in eighths) for line in reversed(range(height))]
