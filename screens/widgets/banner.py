"""A line on the screens: how far transcripts are read, the demo's hint, or an offer to connect an agent program."""

from __future__ import annotations

from textual.content import Content
from textual.events import Click
from textual.widgets import Static

from hooktui.core.text_sanitizer import one_line
from hooktui.screens.keys.hints import hint
from hooktui.screens.services.app_context import app_context


class Banner(Static):
    """Shown while there is something to say: progress first, then a lasting line, then an offer, which a click takes."""

    DEFAULT_CSS = """
    Banner {
        display: none; height: 1; padding: 0 1; background: $panel; text-wrap: nowrap; text-overflow: ellipsis;
    }
    """

    def __init__(self, *, offers: bool = True) -> None:
        """`offers`: whether it shows more than progress."""
        super().__init__()
        self._offers = offers

    def on_mount(self) -> None:
        for name in ("to_connect", "reading"):
            self.watch(self.app, name, self._show)

    def _show(self) -> None:
        line = self._line()
        self.display = line is not None
        if line is not None:
            self.update(line)

    def _line(self) -> Content | None:
        services = app_context(self)
        if services.reading:
            return Content.assemble((one_line(services.reading), "$accent"), (hint(" · {cancel-import} cancel"), "$secondary"))
        if not self._offers:
            return None
        if services.banner:
            return Content(hint(services.banner))
        if (offer := services.to_connect) is None:
            return None
        key = hint(f"{offer.key} "), "$footer-key-foreground bold"
        return Content.assemble(key, (one_line(offer.text), "$warning" if offer.warns else "$foreground 80%"))

    async def on_click(self, _event: Click) -> None:
        services = app_context(self)
        if services.reading:
            await self.run_action("app.cancel_import")
        elif self._offers and not services.banner and services.to_connect is not None:
            await self.run_action(services.to_connect.action)
