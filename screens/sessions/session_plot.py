"""A session over its time, in blocks: how long agents waited for hooks, and how many of each decision, part by part."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.content import Content
from textual.widgets import Static

from hooktui.core import ids
from hooktui.log.read import session_outline
from hooktui.screens.sessions.session_list import length
from hooktui.screens.widgets.cells import duration, fit
from hooktui.screens.widgets.states import DECISION_SIGNS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from hooktui.log.read.session_outline import SessionEvent, Slice

_EIGHTHS = " ▁▂▃▄▅▆▇█"
_LABEL, _MOST = 10, 9  # columns left and right of the blocks
_HIGH = 2  # lines of the time in hooks
_LEAST_ROOM = 8
_MUTED, _HEAD = "$secondary", "$accent bold"


class SessionPlot(Static):
    """As many parts as there are columns."""

    def __init__(self, *, id: str) -> None:  # noqa: A002  # Textual's name
        super().__init__(id=id, markup=False)
        self._moments: Sequence[SessionEvent] = ()

    def show(self, moments: Sequence[SessionEvent]) -> None:
        """Show another session, or the same as it is now."""
        self._moments = moments
        self._draw()

    def on_resize(self) -> None:
        """Another width, other parts."""
        self._draw()

    def _draw(self) -> None:
        room = self.content_size.width - _LABEL - _MOST - 2
        if room >= _LEAST_ROOM:
            moments = self._moments
            seconds = ids.seconds(moments[-1].id) - ids.seconds(moments[0].id) if moments else 0.0
            self.update(Content("\n").join(_lines(session_outline.slices(moments, room), seconds)))


def _lines(parts: Sequence[Slice], seconds: float) -> Iterator[Content]:
    """Where nothing was decided there is nothing to see but the time."""
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
    """Values as columns of blocks, so many lines high, the top line first; what is not nothing can be seen."""
    most = max(values, default=0) or 1
    full = height * 8
    eighths = [max(round(value / most * full), 1) if value > 0 else 0 for value in values]
    return ["".join(_EIGHTHS[min(max(level - line * 8, 0), 8)] for level in eighths) for line in reversed(range(height))]
