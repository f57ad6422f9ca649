"""What the Live and Sessions screens have in common: a dispatch below the list, and what can be done with it."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from textual import work
from textual.binding import Binding
from textual.screen import Screen

from hooktui.core import ids
from hooktui.core.text_sanitizer import one_line
from hooktui.log.export import clipboard_text
from hooktui.log.read.connection import LogError
from hooktui.screens.widgets import report_text
from hooktui.screens.widgets.dispatch_detail import DispatchDetail
from hooktui.screens.widgets.empty import Empty
from hooktui.screens.widgets.failures import tell_failure
from hooktui.screens.widgets.filter import Filter

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import ClassVar

    from textual import getters
    from textual.binding import BindingType
    from textual.events import Key
    from textual.worker import Worker

    from hooktui.app import HooktuiApp
    from hooktui.screens.dialogs.export_dialog import Wanted


# What is done with a dispatch.
OF_DISPATCH = ("why_not", "hook", "what_ran", "again", "past", "permit", "copy", "copy_some", "tab")

_UNREADABLE = "The log cannot be read, so there is nothing to show here."
_NOTHING_IS_LOST = "Agents are not held up: what hooks decide meanwhile waits in a file beside the log."
_DOCTOR = (("hooktui doctor", "in a shell: what is wrong, and how to mend it"),)


class DispatchScreen(Screen[None]):
    """A screen with one `DispatchDetail`."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("slash", "filter", "Filter", key_display="/", tooltip="Filter the list", id="filter"),
        Binding("w", "why_not", "Why not", tooltip="Show why hooks did not run", id="why-not"),
        Binding("o", "hook", "Open hook", tooltip="Open the hook in the editor", id="open-hook"),
        Binding(
            "v",
            "what_ran",
            "What ran",
            tooltip="Show the version of the hook that ran, beside today's",
            show=False,
            id="what-ran",
        ),
        Binding("r", "again", "Try again", tooltip="Try this event again", id="try-again"),
        Binding("T", "past", "Try on the past", tooltip="Try a hook on what is selected", show=False, id="try-past"),
        Binding("p", "permit", "Approve", tooltip="Look at the hook that waits, and approve it", show=False, id="approve"),
        Binding("x", "export", "Export", tooltip="Write what is found, or the session, to a file", show=False, id="export"),
        Binding("y", "copy", "Copy the command, or the id", show=False, id="copy"),
        Binding("left_square_bracket", "tab(-1)", "Previous tab", key_display="[", show=False, id="previous-tab"),
        Binding("right_square_bracket", "tab(1)", "Next tab", key_display="]", show=False, id="next-tab"),
    ]
    if TYPE_CHECKING:
        app = getters.app(HooktuiApp)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Dim what needs a dispatch while there is none."""
        if action == "show_all":
            return bool(self.query_one(Filter).value)
        return None if action in OF_DISPATCH and self.detail.report is None else True

    def on_key(self, event: Key) -> None:
        """A key that is dimmed says why."""
        found = self.active_bindings.get(event.key)
        if found is not None and not found.enabled:
            self.notify("There is no decision here to do that with yet.", title=found.binding.description)

    @property
    def detail(self) -> DispatchDetail:
        """The dispatch that is looked at."""
        return self.query_one(DispatchDetail)

    def explain_trouble(self) -> bool:
        """Say what is wrong with a log that cannot be read, where nothing else is shown; whether something is."""
        fault = self.app.log_fault
        if fault:
            self.query_one("#nothing", Empty).tell(f"{_UNREADABLE}\n\n{fault}.\n\n{_NOTHING_IS_LOST}", _DOCTOR)
        return bool(fault)

    def on_worker_state_changed(self, event: Worker.StateChanged) -> None:
        """A log that turns out to be unreadable is everybody's trouble; anything else is told as it is."""
        error = event.worker.error
        if isinstance(error, LogError):
            self.app.log_failed(error)
        else:
            tell_failure(self, event)

    def action_filter(self) -> None:
        """Narrow the list."""
        self.query_one(Filter).open()

    def action_show_all(self) -> None:
        """The whole list again."""
        self.query_one(Filter).action_clear()

    def action_why_not(self) -> None:
        """Show the hooks that did not run."""
        self.detail.turn_to("why-not")

    def action_tab(self, tabs: int) -> None:
        """Another tab of the detail."""
        self.detail.turn(tabs)

    def action_hook(self) -> None:
        """Open the hook under the cursor of the detail, at its line."""
        run = self.detail.hook
        if run is None:
            self.notify("There is no hook here.", severity="warning")
        else:
            self.app.open_hook(run["id"], run["line"])

    @work(exclusive=True, exit_on_error=False, group="dialog", description="Reading what ran")
    async def action_what_ran(self) -> None:
        """Show the text of the hook under the cursor of the detail as it was then, and what has changed since."""
        from hooktui.catalog import log_links
        from hooktui.screens.dialogs.what_ran import WhatRan

        run, report, reader, catalog = self.detail.hook, self.detail.report, self.app.reader, self.app.catalog
        number = ids.parse(report["id"]) if report else None
        if run is None or number is None or reader is None or catalog is None:
            self.notify("There is no hook here.", severity="warning")
            return
        stored = await reader.stored_hook(number, run["id"])
        if stored is not None:
            await self.app.push_screen(WhatRan(await asyncio.to_thread(log_links.beside_today, stored, catalog)))

    @work(exclusive=True, exit_on_error=False, group="dialog", description="Approving the hook")
    async def action_permit(self) -> None:
        """Show what the hook that waits for approval would run, and approve it."""
        from hooktui.catalog import log_links
        from hooktui.screens.dialogs.trust_dialog import permit

        waiting = report_text.unapproved(self.detail.report) if self.detail.report else []
        if not waiting:
            self.notify("No hook waits for approval here.")
            return
        run, catalog = next((run for run in waiting if run is self.detail.hook), waiting[0]), self.app.catalog
        hook = log_links.hook_of(catalog, run["id"]) if catalog else None
        if hook is None or catalog is None:
            self.notify(f"{one_line(run['name'])} is no hook of this project, or not any more.", markup=False)
        elif await permit(self, hook, catalog):
            self.app.reload()

    def action_again(self) -> None:
        """Try this event again."""
        if self.detail.report is not None:
            run = self.detail.hook
            self.app.try_event(self.detail.report, run["id"] if run else None)

    @property
    def selected(self) -> Sequence[int]:
        """The ids of the dispatches that are selected, in order."""
        number = ids.parse(self.detail.report["id"]) if self.detail.report else None
        return [] if number is None else [number]

    @work(exclusive=True, exit_on_error=False, group="dialog", description="Looking at what is selected")
    async def action_past(self) -> None:
        """Try a hook, what is edited beside what is saved, on what is selected."""
        chosen, reader = self.selected, self.app.reader
        reports = await reader.reports(chosen[-1:]) if reader is not None else []
        if reports:
            self.app.try_chosen(reports[0], chosen)

    def to_export(self) -> Wanted | None:
        """What `x` exports here; None when there is nothing."""
        raise NotImplementedError

    def action_export(self) -> None:
        """Ask for a format and a file, and write what is found."""
        from hooktui.screens.dialogs.export_dialog import ExportDialog

        wanted, reader = self.to_export(), self.app.reader
        if wanted is None or reader is None:
            self.notify("There is nothing to export yet.")
        else:
            self.app.push_screen(ExportDialog(wanted, reader.path))

    def action_copy(self) -> None:
        """The tool's command or file if it has one, else the id."""
        if self.detail.report is not None:
            self.app.copy(clipboard_text.best(self.detail.report))
