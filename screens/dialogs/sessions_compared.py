"""Two sessions side by side."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.binding import Binding
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.content import Content
from textual.widgets import Button, Static

from hooktui.paths import short
from hooktui.plain import one_line
from hooktui.screens.dialogs.reading import Reading
from hooktui.screens.widgets.cells import duration, fit
from hooktui.screens.widgets.decision_list import clock
from hooktui.screens.widgets.session_list import length
from hooktui.screens.widgets.states import DECISION_SIGNS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import ClassVar

    from textual.app import ComposeResult
    from textual.binding import BindingType

    from hooktui.log.comparing import Comparison, HookPair
    from hooktui.log.sessions import HookTimes, SessionRow

_LABEL, _VALUE, _NAME, _NUMBER = 12, 28, 20, 9  # columns
_MUTED, _HEAD = "$secondary", "$accent bold"
_LITTLE_MS = 1.0  # a difference that means nothing

_FACTS: Sequence[tuple[str, Callable[[SessionRow], str]]] = (
    ("session", lambda row: one_line(row.name) or "–"),
    ("agent", lambda row: one_line(row.host)),
    ("project", lambda row: one_line(short(row.project))),
    ("began", lambda row: clock(row.started)),
    ("length", lambda row: length(row.length_s)),
    ("events", lambda row: f"{row.events:,}"),
    ("failures", lambda row: f"{row.failures:,}"),
    ("in hooks", lambda row: f"{duration(row.hook_ms)}, {row.hook_share:.0%}"),
)


class SessionsCompared(Reading[None]):
    """What was decided in each, and what each hook took, those first that differ most."""

    BINDING_GROUP_TITLE = "Comparison"
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,q,enter", "dismiss(None)", "Back")]

    def __init__(self, found: Comparison) -> None:
        super().__init__()
        self._found = found

    def compose(self) -> ComposeResult:
        """Facts, decisions, hooks, the way back."""
        with Vertical(classes="dialog large") as box:
            box.border_title = "Two sessions"
            with VerticalScroll(can_focus=False):
                yield Static(Content("\n").join(lines(self._found)), markup=False)
            with Horizontal(classes="buttons"):
                yield Button(Content.assemble(("esc ", "$footer-key-foreground"), "Back"), id="back", compact=True)

    def on_button_pressed(self) -> None:
        """The same by mouse."""
        self.dismiss(None)


def lines(found: Comparison) -> Iterator[Content]:
    """The whole comparison."""
    for label, of in _FACTS:
        yield _pair(label, of(found.first), of(found.second), _MUTED)
    yield Content("")
    yield Content.styled("Decisions", _HEAD)
    for name, first, second in found.decisions:
        glyph, colour = DECISION_SIGNS.get(name, ("·", ""))  # type: ignore[call-overload]  # a log may hold anything
        yield _pair(f"{glyph} {one_line(name)}", f"{first:,}", f"{second:,}{_more(second - first)}", colour)
    yield Content("")
    numbers = "".join(f"{title:>{_NUMBER}}" for title in ("runs", "p95", "total") * 2)
    yield Content.assemble((fit("Hooks", _NAME), _HEAD), (f"{numbers}{'p95':>{_NUMBER + 2}}", _MUTED))
    yield from map(_hook, found.hooks)
    if not found.hooks:
        yield Content.styled("No hook ran in either.", _MUTED)


def _pair(label: str, first: str, second: str, colour: str) -> Content:
    return Content.assemble((fit(label, _LABEL), colour), fit(first, _VALUE), " ", fit(second, _VALUE).rstrip())


def _more(count: int) -> str:
    return f"  ({count:+,})" if count else ""


def _hook(pair: HookPair) -> Content:
    slower = pair.slower_ms
    if slower is None:
        changed, colour = ("only first" if pair.first else "only second"), "$accent"
    elif abs(slower) < _LITTLE_MS:
        changed, colour = "same", _MUTED
    else:
        changed, colour = f"{'+' if slower > 0 else '−'}{duration(abs(slower))}", "$warning" if slower > 0 else "$success"
    name = fit(one_line(pair.name), _NAME)
    return Content.assemble(name, _times(pair.first), _times(pair.second), (f"{changed:>{_NUMBER + 2}}", colour))


def _times(one: HookTimes | None) -> Content:
    if one is None:
        return Content.styled("".join(f"{'–':>{_NUMBER}}" for _ in range(3)), _MUTED)
    return Content("".join(f"{text:>{_NUMBER}}" for text in (f"{one.runs:,}", duration(one.p95_ms), duration(one.total_ms))))
