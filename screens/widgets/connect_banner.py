"""A line on the screens: the demo's hint, or what connecting would show while no agent program is connected."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.content import Content
from textual.widgets import Static

from hooktui.screens.keys.hints import hint
from hooktui.screens.services.shell import shell

if TYPE_CHECKING:
    from textual.events import Click


class ConnectBanner(Static):
    """Shown while there is a banner or an offer to connect, which a click takes."""

    DEFAULT_CSS = """
    ConnectBanner {
        display: none; height: 1; padding: 0 1; background: $panel; text-wrap: nowrap; text-overflow: ellipsis;
    }
    """

    def on_mount(self) -> None:
        self.watch(self.app, "to_connect", self._show)

    def _show(self, title: str) -> None:
        banner = shell(self).banner
        self.display = bool(banner or title)
        key = (hint("{connect} "), "$footer-key-foreground bold")
        gain = f"connect {title} to see its hooks' decisions here; its events are not logged yet."
        self.update(Content(hint(banner)) if banner else Content.assemble(key, (gain, "$warning")))

    async def on_click(self, _event: Click) -> None:
        if not shell(self).banner:
            await self.run_action("app.connect")
