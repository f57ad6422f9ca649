"""What two versions of a hook decide on past events, one event per line, changes first."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from textual.binding import Binding
from textual.content import Content
from textual.widgets import OptionList
from textual.widgets.option_list import Option

from hooktui.core.text_sanitizer import one_line
from hooktui.screens.widgets.cells import fit
from hooktui.screens.widgets.signs import DECISION_SIGNS
from hooktui.simulate import past_events

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import ClassVar

    from textual.binding import BindingType

    from hooktui.log.read.recent_events import LoggedOutcome
    from hooktui.simulate.past_events import OutcomeChange, PastEvent

_DECISION, _TOOL = 12, 10  # columns
_FAINT = "$foreground 60%"
# Glyph, words and colour of a change.
CHANGES: Mapping[OutcomeChange, tuple[str, str, str]] = {
    "decision": ("≠", "different result", "$warning"),
    "effect": ("~", "same decision, different output", "$accent"),
    "none": (" ", "same result", _FAINT),
}


class PastList(OptionList):
    """Time, both decisions, tool and subject of each event."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("j", "cursor_down", "Down", show=False, id="down"),
        Binding("k", "cursor_up", "Up", show=False, id="up"),
        Binding("g", "first", "First", show=False, id="first"),
        Binding("G", "last", "Last", show=False, id="last"),
    ]

    def __init__(self) -> None:
        super().__init__(markup=False, compact=True)
        self.rows: list[PastEvent] = []

    def clear(self) -> None:
        """Remove all events."""
        self.rows = []
        self.clear_options()

    def add(self, row: PastEvent) -> None:
        """Add an event; the cursor stays on its event, or on the first line."""
        at, current = self.highlighted, self.current
        self.rows = past_events.in_order([*self.rows, row])
        self.clear_options()
        self.add_options([Option(_line(row)) for row in self.rows])
        self.highlighted = self.rows.index(current) if at and current else 0

    @property
    def current(self) -> PastEvent | None:
        """The event under the cursor."""
        return self.rows[self.highlighted] if self.rows and self.highlighted is not None else None


def details(row: PastEvent, names: tuple[str, str]) -> Iterator[tuple[str, Content]]:
    """What each version decided, in full."""
    _, words, colour = CHANGES[row.change]
    yield "", Content.styled(words, colour)
    for name, said in zip(names, (row.before, row.after), strict=True):
        yield name, Content.assemble(_decided(said), ("  " + one_line(_because(said)), _FAINT))


def _line(row: PastEvent) -> Content:
    glyph, _, colour = CHANGES[row.change]
    when = time.strftime("%m-%d %H:%M:%S", time.localtime(row.event.at))
    return Content.assemble(
        (f"{glyph} ", f"{colour} bold"),
        (f"{when}  ", _FAINT),
        *_cell(row.before),
        ("→ ", _FAINT),
        *_cell(row.after),
        fit(one_line(row.event.tool or "–"), _TOOL),
        " ",
        one_line(row.about),
    )


def _cell(said: LoggedOutcome | None) -> Iterator[Content]:
    decided = _decided(said)
    yield decided
    yield Content(" " * max(_DECISION - decided.cell_length, 0))


def _decided(said: LoggedOutcome | None) -> Content:
    if said is None:
        return Content.styled("– not considered", _FAINT)
    if said.state == "skipped":
        return Content.styled("– skipped", _FAINT)
    glyph, colour = DECISION_SIGNS[said.decision]
    word = said.state if said.state not in ("ok", "started") and said.decision == "none" else said.decision
    return Content.styled(f"{glyph} {word}", colour)


def _because(said: LoggedOutcome | None) -> str:
    if said is None:
        return "the hook did not exist or did not match then"
    return said.reason or said.why
