"""A line that counts what a hook would have matched in the past, while it is being written."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import aclosing

from textual import work
from textual.content import Content

from hooktui.core.model import Hook
from hooktui.log.read.connection import LogError
from hooktui.screens.services.app_context import app_context
from hooktui.screens.widgets.lines import SteadyText
from hooktui.screens.widgets.notifications import failure, notify_failure
from hooktui.trials import backtest_search
from hooktui.trials.backtest_search import PastCount
from hooktui.trials.backtest_worker import plain_hook
from hooktui.trials.payload_templates import TrialError

_PAUSE_S = 0.3  # without a change before counting
_FAINT = "$foreground 60%"


class PastCountLine(SteadyText):
    """`Would have matched 14 of 18,233 calls since October`; a click asks to show them.

    The count is dim from a change of the hook until it is right again. A rule whose script decides more exactly than its
    matcher would have acted on `about` as many.
    """

    on_worker_state_changed = notify_failure

    def __init__(self, key: str, show: Callable[[], object], *, id: str | None = None) -> None:  # noqa: A002  # Textual's name
        """`key` is the one that shows the matches, as `show` does."""
        super().__init__(id=id)
        self._key = key
        self._show = show
        self._counted: object = None
        self._is_about = False

    def rest(self) -> None:
        """Count nothing while the hook is invalid."""
        self.workers.cancel_node(self)
        self._counted = None
        self.expire()

    def count(self, hook: Hook, then: Hook | None, project: str, *, about: bool = False) -> None:
        """Count the past events that a hook matches, soon; `then` is a second matcher that its script applies.

        `about`: the script does so more exactly.
        """
        self._is_about = about
        to_count = project, *(plain_hook(one.replace(name="", file="")) for one in (hook, then) if one)
        if to_count != self._counted:
            self._counted = to_count
            if not self._text.plain:
                self.set_text("Counting…")
            self.expire()
            self._count(hook, then, project)

    @work(exclusive=True, exit_on_error=False, group="past", description="Counting past events")
    async def _count(self, hook: Hook, then: Hook | None, project: str) -> None:
        await asyncio.sleep(_PAUSE_S)
        try:
            async with aclosing(backtest_search.of_draft(hook, then, project, app_context(self).db)) as counts:
                *_, count = [count async for count in counts]
            self.set_text(self._shown(count))
        except (LogError, TrialError) as error:
            self.set_text(failure(error))

    def _shown(self, count: PastCount) -> Content:
        if not count.total:
            return Content.styled("No such events in the past yet.", _FAINT)
        if count.too_slow:
            return Content.styled("▲ The matcher takes too long on a past event.", "$warning")
        way = (("  ", ""), (self._key, "$footer-key-foreground"), (" show", "")) if count.matched else ()
        does = "acted on about" if self._is_about and count.matched else "matched"
        return Content.assemble((f"Would have {does} ", ""), (count.text, "bold"), *way)

    def on_click(self) -> None:
        self._show()
