"""A tab whose content is created when the tab is first opened: most are never opened."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Generic, TypeVar

from textual.widget import Widget
from textual.widgets import TabPane

from hooktui.screens.services.app_context import app_context
from hooktui.screens.widgets.notifications import notify_failure

W = TypeVar("W", bound=Widget)


class LateTab(TabPane, Generic[W]):
    """`create` makes the content; nothing but `show` uses it."""

    on_worker_state_changed = notify_failure

    def __init__(self, title: str, create: Callable[[], W], *, id: str) -> None:  # noqa: A002  # Textual's name
        super().__init__(title, id=id)
        self._create = create
        self._inside: W | None = None  # once it is mounted
        self._creating = asyncio.Lock()

    def show(self, use: Callable[[W], object]) -> None:
        """Do something with the content, now or once it is mounted; keys wait for that."""
        if self._inside is not None:
            use(self._inside)
            return
        opening = self.run_worker(self._mount_content(use), group="open", description="Opening the tab", exit_on_error=False)
        app_context(self).type_ahead.hold(lambda: not opening.is_finished)

    async def _mount_content(self, use: Callable[[W], object]) -> None:
        async with self._creating:
            if self._inside is None:
                inside = self._create()
                await self.mount(inside)
                self._inside = inside
        use(self._inside)
