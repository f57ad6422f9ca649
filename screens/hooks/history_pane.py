"""A hook's history: its runs, how long they took, and the versions of its text."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence

from textual import work
from textual.binding import Binding
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import Static

from hooktui.catalog.hook_states import counted
from hooktui.core.model import Hook
from hooktui.core.text_sanitizer import one_line
from hooktui.log.read import hook_versions
from hooktui.log.read.connection import LogError
from hooktui.log.read.hook_versions import HookLifetime, HookVersion
from hooktui.screens.keys.hints import hint
from hooktui.screens.widgets.cells import duration
from hooktui.screens.widgets.decision_cells import clock
from hooktui.screens.widgets.notifications import failure, notify_failure
from hooktui.screens.widgets.report_text import difference_text

_MUTED, _HEAD = "$secondary", "$foreground bold"
_SAME_TEXT = "  same text; its program or its location changed"
_HASH = 12  # characters of a version
# Unusual endings: glyph, word and colour.
_ENDINGS = {
    "failed": ("▲", "failed", "$warning"),
    "timeout": ("▲", "timed out", "$warning"),
    "invalid-output": ("▲", "invalid output", "$warning"),
    "interrupted": ("▲", "interrupted", "$warning"),
}


class HistoryPane(VerticalScroll):
    """Reads the log each time it is shown."""

    BINDING_GROUP_TITLE = "History"
    HELP = """
    How often the hook was considered, ran, denied and failed, when its matcher last matched, how long it took, and what
    changed in each version.
    """
    BINDINGS = [
        Binding("escape", "screen.browse", "Leave", tooltip="Back to the hooks"),
        Binding("j", "scroll_down", "Down", show=False, id="down"),
        Binding("k", "scroll_up", "Up", show=False, id="up"),
        Binding("g", "scroll_home", "First", show=False, id="first"),
        Binding("G", "scroll_end", "Last", show=False, id="last"),
    ]
    on_worker_state_changed = notify_failure

    def compose(self) -> Iterator[Static]:
        yield Static(id="history", markup=False)

    @work(exclusive=True, exit_on_error=False, group="history", description="Reading the hook's history")
    async def show(self, hook: Hook, db: str | None) -> None:
        """Read a hook's history from a log, None for the user's own."""
        try:
            lifetime = await hook_versions.read(db, hook.identity, hook.file)
        except LogError as error:
            self._tell(failure(error))
            return
        changes = await asyncio.to_thread(hook_versions.changes, lifetime.versions) if lifetime else ()
        if lifetime is None:
            self._tell(Content.styled(f"No run of this hook is recorded yet. {hint('{try} tries it now.')}", _MUTED))
        else:
            self._tell(Content("\n").join(lines(lifetime, changes)))

    def _tell(self, text: Content) -> None:
        self.query_one("#history", Static).update(text)


def lines(lifetime: HookLifetime, changes: Sequence[tuple[HookVersion, str]]) -> Iterator[Content]:
    """The history as lines; `changes` are oldest first and shown newest first."""
    yield _counts(lifetime)
    if lifetime.last_matched or lifetime.unmatched_since:  # else its matcher was never tried
        yield _matched(lifetime)
    if lifetime.p95_ms:  # transcripts tell few times
        took = f"took p50 {duration(lifetime.p50_ms)}, p95 {duration(lifetime.p95_ms)} in its newest runs"
        yield Content.styled(took, _MUTED)
    if lifetime.told:
        yield Content.styled(f"{counted(lifetime.told, 'run')} from transcripts, which leave out most silent ones", _MUTED)
    if not lifetime.versions:
        return
    yield Content("")
    yield Content.styled("Versions, newest first", _HEAD)
    for version, change in reversed(changes):
        yield _version(version)
        yield difference_text(change) if change else Content.styled(_SAME_TEXT, _MUTED)
    yield _version(lifetime.versions[0])


def _counts(lifetime: HookLifetime) -> Content:
    parts = [Content.styled(f"considered {lifetime.considered:,}", "bold"), Content(f"ran {lifetime.ran:,}")]
    if lifetime.denied:
        parts.append(Content.styled(f"✕ denied {lifetime.denied:,}", "$error"))
    for state, (glyph, word, colour) in _ENDINGS.items():
        if lifetime.states.get(state):
            parts.append(Content.styled(f"{glyph} {word} {lifetime.states[state]:,}", colour))
    return Content("  ").join(parts)


def _matched(lifetime: HookLifetime) -> Content:
    if not lifetime.last_matched:
        return Content.styled(f"▲ never matched in {counted(lifetime.unmatched_since, 'event')}", "$warning")
    since = f", {counted(lifetime.unmatched_since, 'event')} ago" if lifetime.unmatched_since else ""
    return Content.styled(f"last matched {clock(lifetime.last_matched)}{since}", _MUTED)


def _version(version: HookVersion) -> Content:
    name, seen = f"● {one_line(version.version[:_HASH])}", f"considered {version.considered:,}"
    return Content.assemble((name, "bold"), f"  {clock(version.first)} – {clock(version.last)}  ", (seen, _MUTED))
