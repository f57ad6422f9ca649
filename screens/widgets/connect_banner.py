"""A line on the screens: the demo's hint, an offer to connect an agent program, or why a connection does not work."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.content import Content
from textual.widgets import Static

from hooktui.core.text_sanitizer import one_line
from hooktui.screens.keys.hints import hint
from hooktui.screens.services.shell import shell

if TYPE_CHECKING:
    from textual.events import Click

    from hooktui.screens.services.connections import Offer


class ConnectBanner(Static):
    """Shown while there is a banner or an offer, which a click takes."""

    DEFAULT_CSS = """
    ConnectBanner {
        display: none; height: 1; padding: 0 1; background: $panel; text-wrap: nowrap; text-overflow: ellipsis;
    }
    """

    def on_mount(self) -> None:
        self.watch(self.app, "to_connect", self._show)

    def _show(self, offer: Offer | None) -> None:
        banner = shell(self).banner
        self.display = bool(banner or offer)
        if banner:
            self.update(Content(hint(banner)))
        elif offer is not None:
            key = (hint(f"{offer.key} "), "$footer-key-foreground bold")
            self.update(Content.assemble(key, (one_line(offer.text), "$warning")))

    async def on_click(self, _event: Click) -> None:
        offer = shell(self).to_connect
        if not shell(self).banner and offer is not None:
            await self.run_action(offer.action)
