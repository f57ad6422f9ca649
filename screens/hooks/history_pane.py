"""A hook's history: its runs, its latency over time, and the versions of its text."""

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
from hooktui.log.read.hook_versions import HookLifetime, HookVersion, LatencyBucket
from hooktui.screens.keys.hints import hint
from hooktui.screens.sessions.session_list import length
from hooktui.screens.sessions.session_summary import bar_chart
from hooktui.screens.widgets.cells import duration
from hooktui.screens.widgets.decision_cells import clock
from hooktui.screens.widgets.notifications import failure, notify_failure
from hooktui.screens.widgets.report_text import difference_text

_MUTED, _HEAD = "$secondary", "$foreground bold"
_HIGH, _WIDE = 3, 2  # lines of the plot; columns per bucket from _ROOM columns
_ROOM = 60
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
    How often the hook was considered, ran, denied and failed, when its matcher last matched, its latency over time, and
    what changed in each version.
    """
    BINDINGS = [
        Binding("escape", "screen.browse", "Leave", tooltip="Back to the hooks"),
        Binding("j", "scroll_down", "Down", show=False, id="down"),
        Binding("k", "scroll_up", "Up", show=False, id="up"),
        Binding("g", "scroll_home", "First", show=False, id="first"),
        Binding("G", "scroll_end", "Last", show=False, id="last"),
    ]
    on_worker_state_changed = notify_failure
    _known: tuple[HookLifetime | None, Sequence[tuple[HookVersion, str]]] | None = None

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
        self._known = (lifetime, changes)
        self.on_resize()

    def on_resize(self) -> None:
        if self._known is None:
            return  # not read yet
        lifetime, changes = self._known
        if lifetime is None:
            self._tell(Content.styled(f"No run of this hook is recorded yet. {hint('{try} tries it now.')}", _MUTED))
        else:
            self._tell(Content("\n").join(lines(lifetime, changes, wide=self.content_size.width >= _ROOM)))

    def _tell(self, text: Content) -> None:
        self.query_one("#history", Static).update(text)


def lines(lifetime: HookLifetime, changes: Sequence[tuple[HookVersion, str]], *, wide: bool) -> Iterator[Content]:
    """The history as lines; `changes` are oldest first and shown newest first."""
    yield _counts(lifetime)
    yield _matched(lifetime)
    if any(bucket.p95_ms for bucket in lifetime.buckets):  # transcripts tell few times
        yield Content("")
        yield from _latency(lifetime.buckets, _WIDE if wide else 1)
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


def _latency(buckets: Sequence[LatencyBucket], width: int) -> Iterator[Content]:
    """A bar chart of p95 over time, with the current p50 and p95."""
    first, span = buckets[0].start, max(buckets[0].end - buckets[0].start, 0.001)
    values = [0.0] * (round((buckets[-1].start - first) / span) + 1)
    for bucket in buckets:
        values[round((bucket.start - first) / span)] = bucket.p95_ms
    last = buckets[-1]
    now = f"  over {length(last.end - first)}; now p50 {duration(last.p50_ms)}, p95 {duration(last.p95_ms)}"
    yield Content.assemble(("Latency, p95", _HEAD), (now, _MUTED))
    for number, blocks in enumerate(bar_chart(values, _HIGH)):
        most = f" ≤ {duration(max(values))}" if number == 0 else ""
        yield Content.assemble(("".join(block * width for block in blocks), "$primary"), (most, _MUTED))


def _version(version: HookVersion) -> Content:
    name, seen = f"● {one_line(version.version[:_HASH])}", f"considered {version.considered:,}"
    return Content.assemble((name, "bold"), f"  {clock(version.first)} – {clock(version.last)}  ", (seen, _MUTED))
