"""Choose a session to compare with, and show both side by side."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.binding import Binding
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Static

from hooktui.core.paths import short
from hooktui.core.text_sanitizer import one_line
from hooktui.log.read.rows import day
from hooktui.screens.dialogs.reading_dialog import ReadingDialog
from hooktui.screens.sessions.session_list import length
from hooktui.screens.widgets.cells import duration, fit
from hooktui.screens.widgets.decision_cells import LONG_TIME
from hooktui.screens.widgets.footer import KeyedButton
from hooktui.screens.widgets.lines import DECISION_SIGNS
from hooktui.screens.widgets.row_list import RowList

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from textual.app import ComposeResult
    from textual.widgets import OptionList

    from hooktui.log.read.sessions import Comparison, HookPair, HookTimes, SessionRow

_LABEL, _VALUE, _WIDE_VALUE, _NAME, _NUMBER, _CHANGE = 12, 28, 37, 20, 9, 13  # columns
_MUTED, _HEAD = "$secondary", "$foreground bold"
_WIDE = 100  # columns of the terminal for all figures
_NEGLIGIBLE_MS = 1.0  # difference

_FACTS: Sequence[tuple[str, Callable[[SessionRow], str]]] = (
    ("session", lambda row: one_line(row.label)),
    ("agent", lambda row: one_line(row.host)),
    ("machine", lambda row: one_line(row.machine)),
    ("project", lambda row: one_line(short(row.project))),
    ("began", lambda row: day(row.started)),
    ("length", lambda row: length(row.length_s)),
    ("events", lambda row: f"{row.events:,}"),
    ("failures", lambda row: f"{row.failures:,}"),
    ("in hooks", lambda row: f"{duration(row.hook_ms)}, {row.hook_share * 100:.0f} %"),
)


class SessionChoice(ModalScreen["SessionRow | None"]):
    """Asks which session to compare one with; None if the user went back."""

    BINDINGS = [Binding("escape,q", "dismiss(None)", "Back")]

    def __init__(self, session: SessionRow, others: Sequence[SessionRow]) -> None:
        super().__init__()
        self._session = session
        self._others = others

    def compose(self) -> ComposeResult:
        with Vertical(classes="dialog") as box:
            box.border_title = Content(one_line(f"Compare {self._session.label} with"))
            yield RowList(*(_choice(row) for row in self._others))
            with Horizontal(classes="buttons"):
                yield KeyedButton("enter", "Compare", "focused.select")
                yield KeyedButton("esc", "Back", "screen.dismiss(None)")

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        self.dismiss(self._others[event.option_index])


def _choice(row: SessionRow) -> Content:
    return Content.assemble((fit(day(row.last_at), LONG_TIME), "$accent"), "  ", one_line(row.label))


def comparison_dialog(comparison: Comparison, width: int) -> ReadingDialog:
    """Facts, decisions and hook times of both sessions, for a terminal's width; the hooks that differ most first."""
    text = Static(Content("\n").join(lines(comparison, wide=width >= _WIDE)), markup=False)
    return ReadingDialog("Two sessions", [text], back_keys="enter")


def lines(comparison: Comparison, *, wide: bool) -> Iterator[Content]:
    """The comparison as lines; `wide` adds the number of runs, and room for titles."""
    room = _WIDE_VALUE if wide else _VALUE
    for label, value in _FACTS:
        both = value(comparison.first), value(comparison.second)
        if any(both):
            yield _pair(label, *both, _MUTED, room)
    yield Content("")
    yield Content.styled("Decisions", _HEAD)
    for name, first, second in comparison.decisions:
        glyph, colour = DECISION_SIGNS.get(name, ("·", ""))  # type: ignore[call-overload]  # a log may hold anything
        change = f"  ({second - first:+,})".replace("-", "−") if second != first else ""
        yield _pair(f"{glyph} {one_line(name)}", f"{first:,}", f"{second:,}{change}", colour, room)
    yield Content("")
    numbers = "".join(f"{title:>{_NUMBER}}" for title in (("runs",) * wide + ("p95", "total")) * 2)
    yield Content.assemble((fit("Hooks", _NAME), _HEAD), (f"{numbers}{'Δ p95':>{_CHANGE}}", _MUTED))
    for pair in comparison.hooks:
        yield _hook(pair, wide=wide)
    if not comparison.hooks:
        yield Content.styled("Neither session has recorded hooks.", _MUTED)


def _pair(label: str, first: str, second: str, colour: str, room: int) -> Content:
    return Content.assemble((fit(label, _LABEL), colour), fit(first, room), " ", fit(second, room).rstrip())


def _hook(pair: HookPair, *, wide: bool) -> Content:
    slower = pair.slower_ms
    if slower is None:
        changed, colour = ("only first" if pair.first else "only second"), "$accent"
    elif abs(slower) < _NEGLIGIBLE_MS:
        changed, colour = "same", _MUTED
    else:
        changed, colour = f"{'+' if slower > 0 else '−'}{duration(abs(slower))}", "" if slower > 0 else "$success"
    times = (_times(times, wide=wide) for times in (pair.first, pair.second))
    return Content.assemble(fit(one_line(pair.name), _NAME), *times, (f"{changed:>{_CHANGE}}", colour))


def _times(times: HookTimes | None, *, wide: bool) -> Content:
    texts = (f"{times.runs:,}", duration(times.p95_ms), duration(times.total_ms)) if times else ("–",) * 3
    line = "".join(f"{text:>{_NUMBER}}" for text in (texts if wide else texts[1:]))
    return Content.styled(line, "" if times else _MUTED)
