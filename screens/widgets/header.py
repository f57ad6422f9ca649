"""The top line of every screen: the screens, and the state of project and log."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.content import Content
from textual.style import Style
from textual.widget import Widget

from hooktui.catalog import required_hooks
from hooktui.catalog.hook_states import SEVERITY_GLYPHS, counted, skipped_guards
from hooktui.core.paths import short
from hooktui.core.text_sanitizer import one_line
from hooktui.screens.services.app_context import app_context

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from textual.events import Click

    from hooktui.catalog.catalog import Catalog
    from hooktui.connect import RecordedHooks


_WIDE, _NARROW = 120, 80


class Header(Widget):
    """Tabs on the left, status on the right as far as it fits."""

    ALLOW_SELECT = False
    DEFAULT_CSS = """
    Header { dock: top; height: 1; background: $panel; color: $foreground; text-wrap: nowrap; }
    """

    def __init__(self, mode: str) -> None:
        super().__init__()
        self.mode = mode
        self._counts: Mapping[str, int] = {}  # of problems by severity, as `check` counts them

    def on_mount(self) -> None:
        self.watch(self.app, "catalog", self._count)
        for name in ("recording", "events_a_minute", "trouble", "unreadable"):
            self.watch(self.app, name, self._changed)
        self.watch(self.screen, "focused", self._changed, init=False)

    def _count(self, catalog: Catalog | None) -> None:
        if catalog is not None:
            from hooktui.diagnostics.causes import by_cause, severities, summed

            self._counts = severities(summed(by_cause(catalog.diagnostics)))
        self.refresh()

    def _changed(self) -> None:
        self.refresh()

    def render(self) -> Content:
        """The whole line; the least important parts are dropped first."""
        tabs = enumerate(app_context(self).screens.items(), start=1)
        titles = Content("").join(self._tab(number, mode, place.title) for number, (mode, place) in tabs)
        room = self.size.width - titles.cell_length - 1
        status = list(self._status())
        while status and sum(part.cell_length + 2 for _, part in status) - 2 > room:
            status.remove(min(status, key=lambda part: part[0]))
        parts = Content("  ").join(part for _, part in status)
        return Content.assemble(titles, " " * (room - parts.cell_length), parts)

    async def on_click(self, event: Click) -> None:
        if mode := event.style.meta.get("mode"):
            self.app.switch_mode(mode)
        elif event.style.meta.get("skipped"):
            await self.run_action("app.skipped_guard")

    def _tab(self, number: int, mode: str, title: str) -> Content:
        here = " on $block-cursor-background" if mode == self.mode else ""
        title_style = f"$block-cursor-foreground{here} bold" if here else "$foreground 70%"
        focused = self.screen.focused
        is_typing = focused is not None and focused.check_consume_key(str(number), str(number))
        digit_style = f"$foreground 70%{here}" if is_typing else f"$footer-key-foreground{here}"
        tab = Content.assemble((f" {number} ", digit_style), (f"{title} ", title_style))
        return tab.stylize(Style.from_meta({"mode": mode}))

    def _status(self) -> Iterator[tuple[int, Content]]:
        """Yield the parts of the right side, each with its importance."""
        app, wide = app_context(self), self.size.width >= _WIDE
        if app.fleet is not None:
            yield 6, Content.styled(f"fleet {_place(app.fleet)}", "$accent")
        elif app.catalog is None:
            yield 6, Content.styled("loading…", "$foreground 60%")
        else:
            yield from self._machine_status(app.project, app.catalog, wide=wide)
        is_recording = app.fleet is not None or (app.recording is not None and app.recording.is_on)
        if app.events_a_minute or (app.events_a_minute == 0 and is_recording):
            yield 2, Content.styled(f"{app.events_a_minute}/min", "$foreground 70%")
        if app.unreadable:
            yield 5, Content.styled(f"▲ {app.unreadable:,} unreadable", "$warning")
        if app.trouble:
            yield 7, Content.styled(f"● {one_line(app.trouble)}", "$error bold")

    def _machine_status(self, project: str, catalog: Catalog, *, wide: bool) -> Iterator[tuple[int, Content]]:
        """Yield the project, its hooks, what is recorded of them, and what is wrong with them."""
        path, recording = one_line(short(project)), app_context(self).recording
        yield 1, Content.styled(path if wide else path.rpartition("/")[2] or path, "$foreground 70%")
        if recording is None or not recording.is_on or not recording.hooks:
            yield 3, Content(counted(len(catalog.own_hooks), "hook"))
        if recording is not None:
            yield 4, _recording(recording, wide=wide)
        if unmet := required_hooks.unmet(catalog):
            words = unmet[0].word if len(unmet) == 1 else f"{len(unmet)} required hooks"
            yield 7, Content.styled(f"✕ {one_line(words) if wide else len(unmet)}", "$error bold")
        if skipped := len(skipped_guards(catalog)):
            words = f"{counted(skipped, 'guard')} skipped" if wide else f"{skipped} skipped"
            words = words if self.size.width >= _NARROW else str(skipped)
            yield 6, Content.styled(f"◌ {words}", "$warning bold").stylize(Style.from_meta({"skipped": True}))
        for severity in ("error", "warning"):
            count = self._counts.get(severity, 0)
            words = counted(count, severity) if wide else str(count)
            if count:
                yield 5, Content.styled(f"{SEVERITY_GLYPHS[severity]} {words}", f"${severity}")


def _recording(recording: RecordedHooks, *, wide: bool) -> Content:
    """What hooktui records, or from where else it knows what happens."""
    if recording.is_on:
        return Content.assemble(("● ", "$success"), recording.text)
    if recording.is_broken:
        return Content.styled(recording.text, "$warning")
    text = recording.text if wide or not recording.transcribed else "reading transcripts"
    return Content.styled(text, "$foreground 70%")


def _place(url: str) -> str:
    """Server and database of a fleet's URL, without user, password and port."""
    server, slash, database = url.partition("://")[2].rpartition("@")[2].partition("?")[0].partition("/")
    host, _, port = server.rpartition(":")
    return one_line(f"{host if host and port.isdigit() else server}{slash}{database}")
