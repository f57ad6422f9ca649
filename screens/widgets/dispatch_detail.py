"""One decision in full: hooks, input, output, effects, and hooks that did not run."""

from __future__ import annotations

import asyncio
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING

from textual import on, work
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.widgets import Static, TabbedContent, TabPane
from textual.widgets.option_list import Option

from hooktui.catalog.known_hooks import KnownHooks
from hooktui.core import ids
from hooktui.core.text_sanitizer import one_line
from hooktui.log.read.call_rows import merged
from hooktui.log.read.connection import default_path
from hooktui.log.read.rows import spelled, transcript_of
from hooktui.screens.services.app_context import app_context
from hooktui.screens.widgets import report_text
from hooktui.screens.widgets.cells import duration
from hooktui.screens.widgets.json_tree import JsonTree
from hooktui.screens.widgets.notifications import notify_failure
from hooktui.screens.widgets.row_list import RowList
from hooktui.screens.widgets.signed_tabs import SignedTabs

if TYPE_CHECKING:
    import re
    from collections.abc import Callable, Sequence

    from textual.app import ComposeResult
    from textual.timer import Timer

    from hooktui.core.report import LoggedReport, RunReport
    from hooktui.log.read.decision_log import DecisionLog

    Line = Callable[[RunReport, int], Content]


class RunList(RowList["RunReport"]):
    """The hooks of a dispatch, one per line."""

    def __init__(self, *, id: str) -> None:  # noqa: A002  # Textual's name
        super().__init__(id=id)
        self._line: Line = report_text.hook_line
        self._note = Content("")
        self._shown: re.Pattern[str] | None = None

    def show(self, runs: Sequence[RunReport], line: Line, note: Content, shown: re.Pattern[str] | None = None) -> None:
        """Show runs and a note below them, with search results highlighted."""
        self.rows, self._line, self._note, self._shown = runs, line, note, shown
        self._write(0)

    def on_resize(self) -> None:
        self._write(self.highlighted or 0)

    def _write(self, cursor: int) -> None:
        width = self.scrollable_content_region.width
        self.clear_options()
        self.add_options([Option(report_text.marked(self._line(run, width), self._shown)) for run in self.rows])
        if self._note:
            self.add_option(Option(self._note, disabled=True))
        self.highlighted = cursor if self.rows else None


_DELAY_S = 0.06  # on a row before it is read
_TABS = {"hooks": "Hooks", "input": "Input", "output": "Output", "effects": "Effects", "why-not": "Why not"}


class DispatchDetail(Vertical):
    """Five tabs on the dispatch chosen by `look_at`. A tab is filled when it is shown."""

    on_worker_state_changed = notify_failure

    def __init__(self) -> None:
        super().__init__(id="detail", classes="pane")
        self.report: LoggedReport | None = None  # of a whole call: of its event that mattered, with the hooks of all
        self._reports: Sequence[LoggedReport] = ()
        self._known_hooks: KnownHooks | None = None
        self.wanted: tuple[int, bool] | None = None  # what `look_at` chose last
        self._is_shown = asyncio.Event()
        self._is_shown.set()
        self._waiting: Timer | None = None
        self._filled: set[str] = set()
        self._shown: re.Pattern[str] | None = None

    def compose(self) -> ComposeResult:
        yield Static(id="subject", markup=False)
        with SignedTabs(id="tabs"):
            with TabPane(_TABS["hooks"], id="hooks"):
                yield RunList(id="ran")
            with TabPane(_TABS["input"], id="input"):
                yield JsonTree()
            for name in ("output", "effects"):
                with TabPane(_TABS[name], id=name), VerticalScroll():
                    yield Static(id=f"{name}-text", markup=False)
            with TabPane(_TABS["why-not"], id="why-not"):
                yield RunList(id="missed")

    def look_at(self, number: int | None, reader: DecisionLog | None, *, whole: bool) -> None:
        """Show a dispatch, or the `whole` call that it begins, once the cursor rests on it; None shows nothing."""
        if self._waiting:
            self._waiting.stop()
        if number is None or reader is None:
            self.show(())
            self.wanted = None
            self._is_shown.set()
        else:
            self.wanted = number, whole
            self._is_shown.clear()
            delay = _DELAY_S if self.report else 0.001
            self._waiting = self.set_timer(delay, lambda: self._read(number, reader, whole=whole))

    @property
    def is_behind(self) -> bool:
        """Whether it does not show yet what `look_at` chose last."""
        return not self._is_shown.is_set()

    async def until_shown(self) -> None:
        await self._is_shown.wait()

    @work(exclusive=True, exit_on_error=False, group="report", description="Reading a decision")
    async def _read(self, number: int, reader: DecisionLog, *, whole: bool) -> None:
        try:
            reports = await (reader.call(number) if whole else reader.reports([number]))
            if self.report is None:
                self.show(reports)  # reading the hooks of a project for the first time takes longer
            self.show(await asyncio.to_thread(self._completed, reports))
        finally:
            if self.wanted == (number, whole):
                self._is_shown.set()

    def _completed(self, reports: Sequence[LoggedReport]) -> Sequence[LoggedReport]:
        if self._known_hooks is None:
            self._known_hooks = KnownHooks(app_context(self).db or default_path())
        return list(self._known_hooks.completed(reports))

    def show(self, reports: Sequence[LoggedReport]) -> None:
        if reports != self._reports:
            self._reports = reports
            self._show(merged(reports) if reports else None)

    @property
    def event(self) -> LoggedReport | None:
        hook = self.hook
        return next((event for event in self._reports if any(run is hook for run in event["hooks"])), self.report)

    def mark(self, shown: re.Pattern[str] | None) -> None:
        """Highlight what was searched for, and the tabs that contain it."""
        if shown != self._shown:
            self._shown = shown
            self._show(self.report)

    def _show(self, report: LoggedReport | None) -> None:
        if (report is None) != (self.report is None):
            self.call_after_refresh(self.screen.refresh_bindings)
        self.report = report
        self._filled.clear()
        self._show_titles()
        self._fill()

    @property
    def hook(self) -> RunReport | None:
        """The run under the cursor of the current tab; while the focus is elsewhere, the one that decided."""
        if self.has_focus_within:
            name = "#missed" if self.query_one(TabbedContent).active == "why-not" else "#ran"
            return self.query_one(name, RunList).current
        report = self.report
        return next(iter((*report_text.ran(report), *report_text.missed(report))), None) if report else None

    def turn(self, tabs: int) -> None:
        """Switch tabs, by a number to the right."""
        names = [name for name in _TABS if self._has_tab(name)]
        content = self.query_one(TabbedContent)
        content.active = names[(names.index(content.active) + tabs) % len(names)]

    def turn_to(self, name: str) -> bool:
        """Switch to a tab; whether it is there."""
        if self._has_tab(name):
            self.query_one(TabbedContent).active = name
        return self._has_tab(name)

    def _has_tab(self, name: str) -> bool:
        return name != "why-not" or (self.report is not None and bool(report_text.missed(self.report)))

    @on(TabbedContent.TabActivated)
    def _fill(self) -> None:
        name = self.query_one(TabbedContent).active
        # The Hooks tab holds the hook that `o` opens, shown or not.
        for wanted in {"hooks", name} - self._filled:
            self._filled.add(wanted)
            self._fill_tab(wanted)

    def _show_titles(self) -> None:
        report, tabs = self.report, self.query_one(TabbedContent)
        holding = report_text.holding(report, self._shown) if report and self._shown else ()
        for name, title in _TABS.items():
            count = len(_COUNTED[name](report)) if report and name in _COUNTED else 0
            label = Content.assemble(title, f" {count}" if count else "", (" •", "$accent") if name in holding else "")
            if (tab := tabs.get_tab(name)).label != label:  # a new label lays out the whole screen
                tab.label = label
            tab.set_class(report is not None and not report_text.has_content(report, name), "-nothing")
        if not self._has_tab(tabs.active):
            tabs.active = "hooks"
        if tabs.get_tab("why-not").display != self._has_tab("why-not"):
            tabs.get_tab("why-not").display = self._has_tab("why-not")
        about = report_text.about(report) if report else Content("")
        self.query_one("#subject", Static).update(report_text.marked(about, self._shown))
        self.query_one("#subject").display = bool(about.plain.strip())
        self.border_title = report_text.title(report) if report else ""
        self.border_subtitle = _facts(report) if report else ""

    def _fill_tab(self, name: str) -> None:
        report = self.report
        runs = _COUNTED[name](report) if report and name in _COUNTED else ()
        is_here = app_context(self).fleet is None
        match name:
            case "hooks":
                note = report_text.missed_note(report, is_here=is_here) if report else Content("")
                self.query_one("#ran", RunList).show(runs, report_text.hook_line, note, self._shown)
            case "why-not":
                line = partial(report_text.missed_line, is_here=is_here)
                self.query_one("#missed", RunList).show(runs, line, Content(""), self._shown)
            case "input":
                self.query_one(JsonTree).show(report["payload"] if report else {}, self._shown)
            case _:
                text = report_text.marked(_TEXTS[name](report), self._shown) if report else ""
                self.query_one(f"#{name}-text", Static).update(text)


_COUNTED = {"hooks": report_text.ran, "why-not": report_text.missed}
_TEXTS = {"output": report_text.output, "effects": report_text.effects}


def _facts(report: LoggedReport) -> Content:
    """Agent, event, time, duration and the session's title: narrow terminals cut the end."""
    number = ids.parse(report["id"]) or 0
    at = datetime.fromtimestamp(ids.seconds(number)).astimezone()
    took = duration(report["duration_ms"]) if report["duration_ms"] and report_text.ran(report) else ""
    agent = transcript_of(report)
    source = f"≡ from {agent}'s transcript" if agent else report["host"]
    parts = (source, spelled(report["event"], report["host"]), f"{at:%Y-%m-%d %H:%M:%S}", took, report["title"])
    return Content(" · ".join(one_line(part) for part in parts if part))
