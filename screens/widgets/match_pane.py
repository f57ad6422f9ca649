"""The matcher tester: what the hook's matcher, as it stands in the editor, makes of typed and of logged events."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from textual import on, work
from textual.binding import Binding
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.message import Message
from textual.widgets import Input, OptionList
from textual.widgets.option_list import Option

from hooktui.core import events
from hooktui.core.text_sanitizer import one_line
from hooktui.log.read.connection import LogError
from hooktui.screens.widgets.cells import fit
from hooktui.screens.widgets.failures import tell_failure
from hooktui.screens.widgets.lines import Line, Said
from hooktui.simulate import CannotTry, edited_hook, matcher_tester

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any, ClassVar

    from textual.app import ComposeResult
    from textual.binding import BindingType
    from textual.timer import Timer

    from hooktui.core.model import Hook
    from hooktui.simulate import Edit
    from hooktui.simulate.matcher_doubts import Doubt
    from hooktui.simulate.matcher_tester import MatcherCase, MatcherReport, MatchResult

_PAUSE_S = 0.15  # on a hook, or after a key, before anything is tested
_AGAIN_S = 1.0  # between two tests on what was logged meanwhile
_TOOL = 16  # columns
_BEFORE = 24  # characters kept in front of what matched
_FAINT = "$foreground 60%"
_HIT = "$background on $accent"


class MatchPane(Vertical):
    """What one types above, then the counts, then an event a line: those that match on top."""

    BINDING_GROUP_TITLE = "Match"
    HELP = """
    What the hook's matcher makes of a tool and an input that you type, and of the events in the log: those it matches stand
    on top, with the part that matched. Enter tries the hook on an event. What is typed in the form or the file counts already.
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "screen.browse", "Leave", tooltip="Back to the hooks", priority=True),
    ]
    on_worker_state_changed = tell_failure

    class Counted(Message):
        """The matcher was tested: it listens to `3 of 9 tools`, matches `12 of the last 500`, and this is there to warn of."""

        def __init__(self, hook_id: str, found: MatcherReport) -> None:
            super().__init__()
            self.hook_id = hook_id
            self.found = found

    class TryWanted(Message):
        """This event is to be tried."""

        def __init__(self, payload: Mapping[str, Any]) -> None:
            super().__init__()
            self.payload = payload

    def __init__(self, unsaved: Callable[[], Sequence[Edit]]) -> None:
        """`unsaved` gives what is typed and not saved: that is what is tested."""
        super().__init__()
        self._unsaved = unsaved
        self._hook: Hook | None = None
        self._then: Hook | None = None
        self._project = ""
        self._db: str | None = None
        self._cases: tuple[MatcherCase, ...] | None = None
        self._shown: list[MatchResult] = []
        self._timer: Timer | None = None
        self._newer: Timer | None = None

    def compose(self) -> ComposeResult:
        """Two fields, what becomes of them, the counts, the events."""
        with Horizontal(id="match-typed"):
            yield Line(placeholder="Tool", id="match-tool", compact=True)
            yield Line(placeholder="its input: text or JSON", id="match-input", compact=True)
        yield Said(id="match-verdict")
        yield Said(id="match-counts")
        yield OptionList(id="match-events", markup=False, compact=True)

    def on_mount(self) -> None:
        """Follow the log."""
        self.watch(self.app, "newest_event", self._take_newer, init=False)

    def _take_newer(self) -> None:
        """Something was logged: soon it is tested on, too, once the pane can be seen."""
        self._newer = self._newer or self.set_interval(_AGAIN_S, self._test_newer)

    def _test_newer(self) -> None:
        if self._newer is not None and self.screen.is_current and self.is_on_screen:
            self._newer.stop()
            self._newer = self._cases = None
            self.look()

    def show(self, hook: Hook, project: str, db: str | None, then: Hook | None = None) -> None:
        """Test a hook on the events of its kind; `then` stands for what its script looks for itself."""
        known, self._hook, self._then, self._project, self._db = self._hook, hook, then, project, db
        if known is None or (known.id, known.event) != (hook.id, hook.event):
            self._cases = None
            self.query_one(OptionList).clear_options()
        self.look()

    def rest(self, why: str) -> None:
        """Test nothing, and say why: what was found before holds no more."""
        self._hook = None
        if self._timer is not None:
            self._timer.stop()
        self.workers.cancel_group(self, "match")
        self.query_one(OptionList).clear_options()
        self.query_one("#match-verdict", Said).say("")
        self._tell(Content.styled(why, _FAINT))

    @on(Input.Changed)
    def look(self) -> None:
        """Test anew what stands in the editor, as soon as nothing changes for a moment."""
        if self._timer is not None:
            self._timer.stop()
        self._timer = self.set_timer(_PAUSE_S, self._test)

    @work(exclusive=True, exit_on_error=False, group="match", description="Testing the matcher")
    async def _test(self) -> None:
        hook = self._hook
        if hook is None:
            return
        if self._cases is None:
            try:
                self._cases = await matcher_tester.cases(hook, self._project, self._db)
            except LogError as trouble:
                self._tell(Content.styled(one_line(str(trouble)), "$warning"))
                return
        typed = self.query_one("#match-tool", Input).value, self.query_one("#match-input", Input).value
        text = next((edit.text for edit in self._unsaved() if edit.path == hook.file), None)
        found, of_typed = await asyncio.to_thread(_examined, (hook, self._then), text, self._project, self._cases, typed)
        if found is None:
            self._tell(Content.styled("The hook is not in the text any more.", "$warning"))
            return
        self.query_one("#match-verdict", Said).say(_verdict(of_typed))
        self._tell(_counts(found))
        self._list(found)
        self.post_message(self.Counted(hook.id, found))

    def _tell(self, text: Content) -> None:
        self.query_one("#match-counts", Said).say(text)

    def _list(self, found: MatcherReport) -> None:
        """Those that match on top, what was logged before what was made up; a cursor that is there stays on its event."""
        rows = self.query_one(OptionList)
        here = self._shown[rows.highlighted].case.key if rows.has_focus and rows.highlighted is not None else None
        self._shown = sorted(found.results, key=lambda one: (not one.matched, not one.depends, one.case.logged is None))
        rows.clear_options()
        rows.add_options([Option(_line(one)) for one in self._shown])
        rows.highlighted = next((row for row, one in enumerate(self._shown) if one.case.key == here), None)

    @on(OptionList.OptionSelected, "#match-events")
    def _try(self, event: OptionList.OptionSelected) -> None:
        self.post_message(self.TryWanted(self._shown[event.option_index].case.event.payload))


def _examined(
    hooks: tuple[Hook, Hook | None], text: str | None, project: str, cases: Sequence[MatcherCase], typed: tuple[str, str]
) -> tuple[MatcherReport | None, MatchResult | None]:
    """What the matcher in the text makes of all cases, and of what was typed."""
    hook, then = hooks
    now = hook if text is None else edited_hook.in_text(hook, text, project)
    if now is None:
        return None, None
    if now.event != hook.event:
        cases = ()  # events of another kind
    return matcher_tester.examine(now, cases, then), _typed(now, then, project, typed)


def _typed(hook: Hook, then: Hook | None, project: str, typed: tuple[str, str]) -> MatchResult | None:
    if not any(typed):
        return None
    try:
        return matcher_tester.examine(hook, (matcher_tester.typed(hook, project, *typed),), then).results[0]
    except CannotTry:
        return None


def _verdict(tested: MatchResult | None) -> Content:
    if tested is None:
        return Content.styled("Type a tool and an input, or see what was logged:", _FAINT)
    glyph, colour = ("✔", "$success") if tested.matched else ("∅", "$warning")
    parts = (part for hit in tested.verdict.hits for part in ("  ", _marked(hit.text, hit.start, hit.end)))
    return Content.assemble((f"{glyph} {one_line(tested.verdict.why)}", colour), *parts)


def _counts(found: MatcherReport) -> Content:
    told = (("listens to ", found.of_tools), ("matches ", found.of_logged))
    counts = " · ".join(does + count for does, count in told if count)
    nothing = ("", "") if found.logged else (" · nothing logged yet", _FAINT)
    doubts = (part for doubt in found.doubts for part in ("\n", _doubt(doubt)))
    return Content.assemble((f"{counts[:1].upper()}{counts[1:]}" or "No tool to test it on", "bold"), nothing, *doubts)


def _doubt(doubt: Doubt) -> tuple[str, str]:
    return (f"▲ {one_line(doubt.text)}", "$warning") if doubt.sure else (f"· {one_line(doubt.text)}", _FAINT)


def _line(tested: MatchResult) -> Content:
    event, verdict = tested.case.event, tested.verdict
    hits = {hit.where: hit for hit in verdict.hits}
    glyph, colour = ("✔ ", "$success") if tested.matched else ("◌ ", "$accent") if tested.depends else ("∅ ", _FAINT)
    name = one_line(event.tool_name or events.MEANING.get(event.name, event.name))
    tool = Content(fit(name, _TOOL))
    if "tool" in hits and hits["tool"].end <= _TOOL:
        tool = tool.stylize(_HIT, hits["tool"].start, hits["tool"].end)
    if "input" in hits:
        about = _marked(hits["input"].text, hits["input"].start, hits["input"].end)
    else:
        about = Content.styled(one_line(_told(tested)), _FAINT)
    return Content.assemble((glyph, colour), tool, " ", about)


def _told(tested: MatchResult) -> str:
    """What an event was about; of one that was made up, and so could have been another, why it does not match."""
    if tested.case.logged is not None and not tested.too_slow:
        return tested.case.about
    if tested.matched:
        return f"made up: {tested.case.about}"
    return "runs if its input matches" if tested.depends else tested.verdict.why


def _marked(text: str, start: int, end: int) -> Content:
    """A text on one line with a part of it marked, cut in front so that the part can be seen."""
    cut = max(start - _BEFORE, 0)
    return Content.assemble(
        "…" if cut else "", one_line(text[cut:start]), (one_line(text[start:end]), _HIT), one_line(text[end:])
    )
