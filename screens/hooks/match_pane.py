"""The matcher tester: which typed, logged and example events the edited matcher matches."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rich.cells import cell_len
from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.message import Message
from textual.timer import Timer
from textual.widgets import Input, OptionList

from hooktui.catalog.hook_states import SEVERITY_GLYPHS
from hooktui.core import events
from hooktui.core.model import Hook
from hooktui.core.text_sanitizer import one_line
from hooktui.log.read.connection import LogError
from hooktui.screens.services.app_context import app_context
from hooktui.screens.widgets.cells import fit
from hooktui.screens.widgets.lines import LineInput, SteadyText, from_project
from hooktui.screens.widgets.notifications import failure, notify_failure
from hooktui.screens.widgets.row_list import RowList
from hooktui.trials import matcher_tester, unsaved_hooks
from hooktui.trials.matcher_tester import Doubt, MatcherCase, MatcherReport, MatchResult
from hooktui.trials.payload_templates import TrialError
from hooktui.trials.unsaved_hooks import Edit

_PAUSE_S = 0.15  # without a change before testing
_AGAIN_S = 1.0  # between two tests while events are logged
_LONGEST_TOOL = 24  # columns
_BEFORE = 24  # characters of context before a match
_FAINT = "$foreground 70%"
_HIT, _TOOL_HIT = "$background on $accent", "$accent bold"  # a tool is matched in all rows


class MatchPane(Vertical):
    """Inputs, counts, then one event per line: matching events first."""

    BINDING_GROUP_TITLE = "Match"
    HELP = """
    Tests the hook's matcher, unsaved edits included, on a tool and input that you type and on logged events. Matching events
    are on top, with the match highlighted. Enter tries the hook on an event.
    """
    BINDINGS = [
        Binding("escape", "screen.browse", "Leave", tooltip="Back to the hooks", priority=True),
    ]
    on_worker_state_changed = notify_failure

    @dataclass
    class Counted(Message):
        """The matcher was tested."""

        hook_id: str
        report: MatcherReport

    @dataclass
    class TryWanted(Message):
        """The user wants to try an event."""

        payload: Mapping[str, Any]

    def __init__(self, unsaved: Callable[[], Sequence[Edit]]) -> None:
        """`unsaved` returns the unsaved edits, which are tested."""
        super().__init__()
        self._unsaved = unsaved
        self._hook: Hook | None = None
        self._then: Hook | None = None
        self._project = ""
        self._db: str | None = None
        self._cases: tuple[MatcherCase, ...] | None = None
        self._newer: Timer | None = None

    def compose(self) -> ComposeResult:
        with Horizontal(id="match-typed"):
            yield LineInput(placeholder="Tool", id="match-tool", compact=True)
            yield LineInput(placeholder="Input: text or JSON", id="match-input", compact=True)
        yield SteadyText(id="match-verdict")
        yield SteadyText(id="match-counts")
        yield RowList(id="match-events")

    @property
    def _events(self) -> RowList[MatchResult]:
        return self.query_one(RowList)

    def on_mount(self) -> None:
        self.watch(self.app, "newest_event", self._take_newer, init=False)

    def _take_newer(self) -> None:
        """Test on newly logged events soon, once the pane is visible."""
        self._newer = self._newer or self.set_interval(_AGAIN_S, self._test_newer)

    def _test_newer(self) -> None:
        if self._newer is not None and self.screen.is_current and self.is_on_screen:
            self._newer.stop()
            self._newer = self._cases = None
            self.test_soon()

    def show(self, hook: Hook, project: str, db: str | None, then: Hook | None = None) -> None:
        """Test a hook on events of its kind; `then` is a second matcher that its script applies."""
        known, matchers = self._hook, _matchers(self._hook, self._then)
        self._hook, self._then, self._project, self._db = hook, then, project, db
        if matchers != _matchers(hook, then):
            self.expire()
        if known is None or (known.id, known.event) != (hook.id, hook.event):
            self._cases = None
            self._events.clear_options()
        self.test_soon()

    def expire(self) -> None:
        """Dim the counts until they are right again."""
        self.query_one("#match-counts", SteadyText).expire()

    def rest(self, why: str) -> None:
        self._hook = None
        self.workers.cancel_group(self, "match")
        self._events.clear_options()
        self.query_one("#match-verdict", SteadyText).set_text("")
        self._tell(Content.styled(why, _FAINT))

    @on(Input.Changed)
    @work(exclusive=True, exit_on_error=False, group="match", description="Testing the matcher")
    async def test_soon(self) -> None:
        """Test the edited matcher once nothing has changed for a moment."""
        await asyncio.sleep(_PAUSE_S)
        hook = self._hook
        if hook is None:
            return
        if self._cases is None:
            try:
                self._cases = await matcher_tester.cases(hook, self._project, self._db)
            except LogError as error:
                self._tell(failure(error))
                return
        typed = self.query_one("#match-tool", Input).value, self.query_one("#match-input", Input).value
        text = next((edit.text for edit in self._unsaved() if edit.path == hook.file), None)
        report, of_typed = await asyncio.to_thread(_test_matcher, (hook, self._then), text, self._project, self._cases, typed)
        if report is None:
            self._tell(failure("The text no longer contains this hook."))
            return
        self.query_one("#match-verdict", SteadyText).set_text(_verdict(of_typed))
        self._tell(_counts(report))
        self._list(report)
        self.post_message(self.Counted(hook.id, report))

    def _tell(self, text: Content) -> None:
        self.query_one("#match-counts", SteadyText).set_text(text)

    def _list(self, report: MatcherReport) -> None:
        """List matching events first, logged ones before examples, and keep the cursor on its event."""
        events = self._events
        current = events.current.case.key if events.has_focus and events.current else None
        events.rows = sorted(report.results, key=lambda row: (not row.matched, not row.depends, row.case.logged is None))
        events.clear_options()
        width = min(max((cell_len(_tool(row)) for row in events.rows), default=0), _LONGEST_TOOL)
        events.add_options(_line(row, width, app_context(self).project) for row in events.rows)
        events.highlighted = next((line for line, row in enumerate(events.rows) if row.case.key == current), None)

    @on(OptionList.OptionSelected, "#match-events")
    def _try(self, event: OptionList.OptionSelected) -> None:
        self.post_message(self.TryWanted(self._events.rows[event.option_index].case.event.payload))


def _matchers(*hooks: Hook | None) -> Sequence[object]:
    return [hook and (hook.id, hook.event, hook.tool, hook.pattern) for hook in hooks]


def _test_matcher(
    hooks: tuple[Hook, Hook | None], text: str | None, project: str, cases: Sequence[MatcherCase], typed: tuple[str, str]
) -> tuple[MatcherReport | None, MatchResult | None]:
    hook, then = hooks
    now = hook if text is None else unsaved_hooks.in_text(hook, text, project)
    if now is None:
        return None, None
    if now.event != hook.event:
        cases = ()  # the event was changed
    return matcher_tester.examine(now, cases, then), _typed(now, then, project, typed)


def _typed(hook: Hook, then: Hook | None, project: str, typed: tuple[str, str]) -> MatchResult | None:
    if not any(typed):
        return None
    try:
        return matcher_tester.examine(hook, (matcher_tester.typed(hook, project, *typed),), then).results[0]
    except TrialError:
        return None


def _verdict(tested: MatchResult | None) -> Content:
    if tested is None:
        return Content.styled("Type a tool and an input, or pick a logged event:", _FAINT)
    glyph, colour = ("✔", "$success") if tested.matched else ("∅", _FAINT)
    parts = (part for hit in tested.verdict.hits for part in ("  ", _marked(hit.text, hit.start, hit.end)))
    return Content.assemble((f"{glyph} {one_line(tested.verdict.why)}", colour), *parts)


def _counts(report: MatcherReport) -> Content:
    counts = " · ".join(filter(None, (report.of_tools, report.of_logged and f"{report.of_logged} events")))
    nothing = ("", "") if report.logged else (" · no events logged yet", _FAINT)
    doubts = (part for doubt in report.doubts for part in ("\n", _doubt(doubt)))
    return Content.assemble((f"Matches {counts}" if counts else "No tools to test", "bold"), nothing, *doubts)


def _doubt(doubt: Doubt) -> tuple[str, str]:
    colour = _FAINT if doubt.severity == "info" else f"${doubt.severity}"
    return f"{SEVERITY_GLYPHS[doubt.severity]} {one_line(doubt.text)}", colour


def _tool(tested: MatchResult) -> str:
    """The tool of an event, else what the event is."""
    event = tested.case.event
    return one_line(event.tool_name or events.MEANING.get(event.name, event.name))


def _line(tested: MatchResult, width: int, project: str) -> Content:
    hits = {hit.where: hit for hit in tested.verdict.hits}
    glyph, colour = ("✔ ", "$success") if tested.matched else ("◌ ", "$accent") if tested.depends else ("∅ ", _FAINT)
    tool = Content(fit(_tool(tested), width))
    if "tool" in hits and hits["tool"].end <= width:
        tool = tool.stylize(_TOOL_HIT, hits["tool"].start, hits["tool"].end)
    if "input" in hits:
        about = _marked(hits["input"].text, hits["input"].start, hits["input"].end)
    else:
        about = Content.styled(one_line(from_project(_subject(tested), project)), _FAINT)
    return Content.assemble((glyph, colour), tool, " ", about)


def _subject(tested: MatchResult) -> str:
    """An event's subject; for an example that does not match, the reason."""
    if tested.case.logged is not None and not tested.too_slow:
        return tested.case.about
    if tested.matched:
        return f"example: {tested.case.about}"
    return "depends on its input" if tested.depends else tested.verdict.why


def _marked(text: str, start: int, end: int) -> Content:
    """A text on one line with a part marked, cut in front so that the part is visible."""
    cut = max(start - _BEFORE, 0)
    return Content.assemble(
        "…" if cut else "", one_line(text[cut:start]), (one_line(text[start:end]), _HIT), one_line(text[end:])
    )
