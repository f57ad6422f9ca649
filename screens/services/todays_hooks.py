"""Answer `would:` on a screen: the matchers of today's hooks at once, the hooks themselves when the user asks."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from textual.binding import Binding

from hooktui.catalog.hook_states import counted
from hooktui.core.text_sanitizer import visible
from hooktui.screens.keys.hints import hint
from hooktui.screens.services.app_context import app_context
from hooktui.screens.widgets.throttle import Throttle

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from textual.screen import Screen
    from textual.worker import Worker

    from hooktui.log.read.decision_log import DecisionLog
    from hooktui.log.read.query import Query
    from hooktui.trials.what_if import Audit

    TextPart = tuple[str, str]  # a text and its style

AUDIT = Binding("R", "audit", "Run today's hooks", tooltip="Run today's hooks on the events of would:, or stop", id="audit")
_TELL_S = 0.2  # between two lines about progress


class TodaysHooks:
    """What today's hooks would decide on the events of a screen."""

    def __init__(self, screen: Screen[None], on_progress: Callable[[], object], on_end: Callable[[], object]) -> None:
        """`on_end`: the hooks have run, so that queries have another answer."""
        self._screen = screen
        self._progress = Throttle(screen, on_progress, _TELL_S)
        self._on_end = on_end
        self._audit: Audit | None = None
        self._running: Worker[None] | None = None
        self._asked_at: float | None = None  # seconds since 1970; None without a query
        self._needs_runs = False  # for an answer to the last query

    async def answer(self, reader: DecisionLog, wanted: Query) -> Query:
        """The query with `would:` answered as far as that is known. Raises LogError."""
        self.forget()
        catalog = app_context(self._screen).catalog
        if not wanted.would or catalog is None:
            return wanted
        from hooktui.trials.payload_templates import TrialError
        from hooktui.trials.what_if import Audit

        self._needs_runs, self._asked_at = any(term.needs_runs for term in wanted.would), time.time()
        if self._audit is None or not self._audit.is_of(catalog):
            self._audit = Audit(catalog, reader.path)
        try:
            await self._audit.match(reader, wanted)
        except TrialError as error:
            self._screen.notify(visible(str(error)), title="Today's hooks", severity="error", markup=False)
        return self._audit.answer(wanted)

    def forget(self) -> None:
        """Note that there is no query any more."""
        self._needs_runs, self._asked_at = False, None
        self._screen.call_after_refresh(self._screen.refresh_bindings)

    @property
    def column(self) -> Callable[[int], str] | None:
        """`decision` while a query asks for it."""
        return self._decision if self._needs_runs else None

    def _decision(self, number: int) -> str:
        """What today's hooks would decide on an event; "match" while they have not run on one that they match."""
        if self._audit is None or number not in self._audit.matched:
            return "none"
        return self._audit.decided.get(number, "match")

    @property
    def can_run(self) -> bool:
        """Whether hooks run, or may run on events that they match, or be asked again."""
        return self.is_running or self._asked_at is not None

    @property
    def _waiting(self) -> int:
        """The number of events on which hooks have to run for an answer."""
        return len(self._audit.undecided) if self._audit is not None and self._needs_runs else 0

    @property
    def is_running(self) -> bool:
        return self._running is not None and self._running.is_running

    def parts(self) -> Iterator[TextPart]:
        """Parts of a title: when today's hooks were asked, how many events wait for them, or on how many they still run."""
        if self._audit is None or not self.can_run:
            return
        if self.is_running:
            yield f" ─ running today's hooks: {len(self._audit.undecided):,} to go", "$accent"
            yield hint(" · {audit} stop"), "$secondary"
        elif self._waiting:
            yield f" ─ {counted(self._waiting, 'event')} match", "$accent"
            yield hint(" · {audit} runs today's hooks on them"), "$secondary"
        else:
            yield f" ─ today's hooks as of {time.strftime('%H:%M', time.localtime(self._asked_at))}", "$foreground"
            yield hint(" · {audit} asks again"), "$secondary"

    def toggle(self) -> None:
        """Run today's hooks on the events that they match, or stop them; if none is left, ask for later events, too."""
        if self._running is not None and self._running.is_running:
            self._running.cancel()
        elif self._audit is not None and self._waiting:
            self._running = self._screen.run_worker(
                self._run(self._audit), group="past", description="Running today's hooks", exit_on_error=False
            )
            self._progress.request()
        else:
            self._on_end()

    async def _run(self, audit: Audit) -> None:
        from hooktui.trials.payload_templates import TrialError

        try:
            await audit.decide(self._progress.request)
        except TrialError as error:
            self._screen.notify(visible(str(error)), title="Today's hooks", severity="error", markup=False)
        finally:
            self._screen.call_later(self._on_end)
