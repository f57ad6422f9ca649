"""The top line of every screen: the screens, and the state of project and log."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.content import Content
from textual.style import Style
from textual.widget import Widget
from textual.widgets import Input, TextArea

from hooktui.catalog.hook_states import SEVERITY_GLYPHS, counted, joined, skipped_guards
from hooktui.core.paths import short
from hooktui.core.text_sanitizer import one_line
from hooktui.screens.services.shell import shell

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from textual.dom import DOMNode
    from textual.events import Click


_TABS = (("hooks", "Hooks"), ("live", "Live"), ("sessions", "Sessions"), ("diagnostics", "Diagnostics"))
_FLEET = ("fleet", "Fleet")
_WIDE, _NARROW = 120, 80


def tabs(node: DOMNode) -> Sequence[tuple[str, str]]:
    """Mode and title of the app's screens, in the order of the keys 1 to 5."""
    return (*_TABS, _FLEET) if shell(node).fleet else _TABS


class Header(Widget):
    """Tabs on the left, status on the right as far as it fits."""

    ALLOW_SELECT = False
    DEFAULT_CSS = """
    Header { dock: top; height: 1; background: $panel; color: $foreground; text-wrap: nowrap; }
    """

    def __init__(self, mode: str) -> None:
        super().__init__()
        self.mode = mode

    def on_mount(self) -> None:
        for name in ("catalog", "events_a_minute", "trouble"):
            self.watch(self.app, name, self._changed)
        self.watch(self.screen, "focused", self._changed, init=False)

    def _changed(self) -> None:
        self.refresh()

    def render(self) -> Content:
        """The whole line; the least important parts are dropped first."""
        titles = Content("").join(self._tab(number, *tab) for number, tab in enumerate(tabs(self), start=1))
        room = self.size.width - titles.cell_length - 1
        status = list(self._status())
        while status and _width(status) > room:
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
        is_typing = isinstance(self.screen.focused, Input | TextArea)  # where a digit is text
        digit_style = f"$foreground 70%{here}" if is_typing else f"$footer-key-foreground{here}"
        tab = Content.assemble((f" {number} ", digit_style), (f"{title} ", title_style))
        return tab.stylize(Style.from_meta({"mode": mode}))

    def _status(self) -> Iterator[tuple[int, Content]]:
        """Yield the parts of the right side, each with its importance."""
        app, wide = shell(self), self.size.width >= _WIDE
        if app.catalog is None:
            yield 5, Content.styled("loading…", "$foreground 60%")
        else:
            path = one_line(short(app.project))
            yield 1, Content.styled(path if wide else path.rpartition("/")[2] or path, "$foreground 70%")
            yield 2, Content(counted(len(app.catalog.own_hooks), "hook"))
            if skipped := len(skipped_guards(app.catalog)):
                words = f"{counted(skipped, 'guard')} skipped" if wide else f"{skipped} skipped"
                words = words if self.size.width >= _NARROW else str(skipped)
                yield 5, Content.styled(f"◌ {words}", "$warning bold").stylize(Style.from_meta({"skipped": True}))
            for severity in ("error", "warning"):
                count = len(joined(problem for problem in app.catalog.diagnostics if problem.severity == severity))
                words = counted(count, severity) if wide else str(count)
                if count:
                    yield 4, Content.styled(f"{SEVERITY_GLYPHS[severity]} {words}", f"${severity}")
        if app.events_a_minute is not None:
            yield 3, Content.styled(f"{app.events_a_minute}/min", "$foreground 70%")
        if app.trouble:
            yield 6, Content.styled(f"● {one_line(app.trouble)}", "$error bold")


def _width(status: list[tuple[int, Content]]) -> int:
    return sum(part.cell_length + 2 for _, part in status) - 2
