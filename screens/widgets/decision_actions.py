"""The keys and actions for the decision that a screen shows."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import TYPE_CHECKING

from textual.binding import Binding
from textual.content import Content
from textual.widgets import Static

from hooktui.core import ids
from hooktui.core.paths import short
from hooktui.core.text_sanitizer import one_line
from hooktui.log.export import exporters
from hooktui.log.read.hook_versions import outdented
from hooktui.screens.dialogs.reading_dialog import ReadingDialog
from hooktui.screens.keys.keymap import is_offered
from hooktui.screens.services.app_context import app_context
from hooktui.screens.widgets import report_text
from hooktui.screens.widgets.dispatch_detail import DispatchDetail
from hooktui.screens.widgets.report_text import difference_text, shortened

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Iterator

    from textual.events import Key
    from textual.screen import Screen

    from hooktui.catalog.log_links import Provenance
    from hooktui.screens.dialogs.export_dialog import ExportRequest

DECISION_BINDINGS: list[Binding] = [
    Binding("slash", "filter", "Filter", key_display="/", tooltip="Filter the list", id="filter"),
    Binding("w", "decision('why_not')", "Why not", tooltip="Show why hooks did not run", id="why-not"),
    Binding("o", "decision('open_hook')", "Open hook", tooltip="Show the hook on the Hooks screen", id="open-hook"),
    Binding(
        "V", "decision('what_ran')", "What ran", tooltip="Show the version of the hook that ran", show=False, id="what-ran"
    ),
    Binding("t,ctrl+t,r", "decision('try_again')", "Try", tooltip="Try this event again", id="try"),
    Binding(
        "T",
        "decision('try_past')",
        "Try on past events",
        tooltip="Try the event's hook on past events",
        show=False,
        id="try-past",
    ),
    Binding("a", "decision('new_rule')", "New", tooltip="Create a hook for calls like this", show=False, id="new"),
    Binding("E", "decision('keep_example')", "Keep", tooltip="Keep this call as an example of your hooks", id="keep-example"),
    Binding("p", "decision('approve')", "Approve", tooltip="Review and approve the skipped hook", show=False, id="approve"),
    Binding("x", "decision('export')", "Export…", tooltip="Export results", show=False, id="export"),
    Binding("y", "decision('copy')", "Copy the command, or the ID", show=False, id="copy"),
    Binding("u", "decision('undo')", "Undo", tooltip="Undo the last change", id="take-back"),
    Binding("left_square_bracket", "decision('previous_tab')", "Previous tab", key_display="[", show=False, id="previous-tab"),
    Binding("right_square_bracket", "decision('next_tab')", "Next tab", key_display="]", show=False, id="next-tab"),
]
# Of both lists of decisions and the list of sessions. The screen has the actions.
NEXT_BINDINGS: list[Binding] = [
    Binding("D", "only_trouble", "Denied", tooltip="Show only denials and failures, or all", id="only-trouble"),
    Binding("n", "next(1)", "Next", tooltip="Next denial or failure", show=False, id="next"),
    Binding("N", "next(-1)", "Previous", tooltip="Previous denial or failure", show=False, id="previous"),
    Binding("P", "all_projects", "Projects", tooltip="Show this project, or all projects", show=False, id="only-here"),
]


class DecisionActions:
    """Acts on the screen's `DispatchDetail`. The screen's `action_decision` passes each action on to `run`."""

    def __init__(self, screen: Screen[None], export_request: Callable[[], ExportRequest | None]) -> None:
        """`export_request` returns what Export writes."""
        self._screen = screen
        self._export_request = export_request
        self._actions: dict[str, Callable[[], object]] = {
            "why_not": self._show_why_not,
            "open_hook": self._open_hook,
            "what_ran": partial(self._work, self._show_what_ran, "Reading what ran"),
            "try_again": self._try_again,
            "try_past": self._try_past,
            "new_rule": self._new_rule,
            "keep_example": partial(self._work, self._keep_example, "Keeping an example"),
            "undo": partial(self._work, self._undo, "Undoing the last change"),
            "approve": partial(self._work, self._approve, "Approving the hook"),
            "export": self._export,
            "copy": self._copy,
            "previous_tab": lambda: self._detail.turn(-1),
            "next_tab": lambda: self._detail.turn(1),
        }

    def run(self, action: str) -> None:
        """Act on the decision under the cursor, once it is shown; keys wait meanwhile, as for a dialog."""
        if self._detail.is_behind:
            self._work(partial(self._run_later, action), "Reading the decision")
        else:
            self._actions[action]()

    async def _run_later(self, action: str) -> None:
        await self._detail.until_shown()
        self._actions[action]()

    def check(self, action: str) -> bool | None:
        """Dim an action that needs a decision while there is none; hide one that a fleet cannot answer."""
        if not is_offered("decision", (action,), fleet=app_context(self._screen).fleet is not None):
            return False
        if action == "undo":
            return bool(app_context(self._screen).undo_history)
        return None if action != "export" and self._detail.report is None else True

    def explain_dimmed(self, event: Key) -> None:
        bound = self._screen.active_bindings.get(event.key)
        if bound is not None and not bound.enabled:
            self._screen.notify("Select a decision first.", title=bound.binding.description)

    @property
    def _detail(self) -> DispatchDetail:
        return self._screen.query_one(DispatchDetail)

    def _work(self, work: Callable[[], Coroutine[None, None, None]], description: str) -> None:
        self._screen.run_worker(work(), group="dialog", description=description, exclusive=True, exit_on_error=False)

    def _show_why_not(self) -> None:
        if not self._detail.turn_to("why-not"):
            self._screen.notify("Every hook known for this event ran.")

    def _open_hook(self) -> None:
        run, report = self._detail.hook, self._detail.event
        if run is None or report is None:
            self._screen.notify("Select a hook first.", severity="warning")
        else:
            app_context(self._screen).navigator.open_run(report, run)

    async def _show_what_ran(self) -> None:
        """Show the version of the hook that ran, and what has changed since."""
        from hooktui.catalog import log_links

        services, run, report = app_context(self._screen), self._detail.hook, self._detail.event
        reader, catalog = services.reader, services.catalog
        number = ids.parse(report["id"]) if report else None
        if run is None or number is None or reader is None or catalog is None:
            self._screen.notify("Select a hook first.", severity="warning")
            return
        stored = await reader.stored_hook(number, run["id"])
        if stored is not None:
            comparison = await asyncio.to_thread(log_links.beside_today, stored, catalog)
            text = Static(Content("\n").join(_what_ran(comparison)), markup=False)
            version = "" if comparison.today == "unknown" else f"version {one_line(stored.version[:_HASH])}"
            title = f"What ran: {one_line(stored.name)}"
            await self._screen.app.push_screen(ReadingDialog(title, [text], subtitle=version, back_keys="enter,V"))

    async def _approve(self) -> None:
        from hooktui.catalog import log_links
        from hooktui.screens.dialogs.trust_dialog import permit

        services, report = app_context(self._screen), self._detail.report
        unapproved = report_text.unapproved(report) if report else []
        if not unapproved:
            self._screen.notify("No hooks need approval.")
            return
        run = next((run for run in unapproved if run is self._detail.hook), unapproved[0])
        hook = log_links.hook_of(services.catalog, run["id"]) if services.catalog else None
        if hook is None or services.catalog is None:
            self._screen.notify(f"{one_line(run['name'])} is not in this project.", markup=False)
        else:
            await permit(self._screen, hook, services.catalog)

    def _try_again(self) -> None:
        if (report := self._detail.event) is not None:
            run = self._detail.hook
            app_context(self._screen).navigator.try_event(report, run["id"] if run else None)

    def _new_rule(self) -> None:
        from hooktui.edit import call_rule

        report = self._detail.report
        if report is not None:
            payload = report["payload"] if isinstance(report["payload"], dict) else {}
            rule = call_rule.of_event(report["event"], report["host"], report["tool_name"], payload)
            app_context(self._screen).navigator.new_rule(rule)

    async def _keep_example(self) -> None:
        from hooktui.screens.services import example_keeping

        if (report := self._detail.event) is not None:
            await example_keeping.keep(self._screen, report)

    async def _undo(self) -> None:
        if await app_context(self._screen).undo_history.undo():
            self._screen.refresh_bindings()

    def _try_past(self) -> None:
        if (report := self._detail.event) is not None:
            app_context(self._screen).navigator.try_past(report)

    def _export(self) -> None:
        from hooktui.screens.dialogs.export_dialog import ExportDialog

        request, reader = self._export_request(), app_context(self._screen).reader
        if request is None or reader is None:
            self._screen.notify("Nothing to export.")
        else:
            self._screen.app.push_screen(ExportDialog(request, reader))

    def _copy(self) -> None:
        """Copy the tool's command or file if there is one, else the ID."""
        if self._detail.report is not None:
            app_context(self._screen).copy(exporters.best(self._detail.report))


_VERDICTS = {
    "same": ("✔ The hook has not changed since.", "$success"),
    "changed": ("▲ The hook has changed since.", "$warning"),
    "gone": ("· The hook is not in this project.", "$secondary"),
    "unknown": ("≡ From the agent's transcript, which does not tell the version.", "$secondary"),
}
_HASH = 12  # characters of a version's hash


def _what_ran(comparison: Provenance) -> Iterator[Content]:
    """Whether the version is today's, what differs, and the text that ran."""
    if comparison.stored.file:
        yield Content.styled(one_line(short(comparison.stored.file)), "$secondary")
    yield Content.styled(*_VERDICTS[comparison.today])
    if comparison.changed:
        yield Content.assemble("\n", ("Then (-) and now (+)", "$foreground bold"))
        yield difference_text(comparison.changed)
    elif comparison.today == "changed":
        yield Content.styled("Its text is the same; its program or its location has changed.", "$secondary")
    yield Content.assemble("\n", ("As it ran", "$foreground bold"))
    yield Content(shortened(outdented(comparison.stored.text)) or "The log has no text of this version.")
