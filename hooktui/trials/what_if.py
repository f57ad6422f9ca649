"""Answer `would:` in queries: what today's hooks would decide on logged events. Their matchers first; they run when asked."""

from __future__ import annotations

import asyncio
import json
from contextlib import AsyncExitStack, aclosing
from typing import TYPE_CHECKING

from hooktui.core.model import DECISIONS
from hooktui.log.read.connection import as_stored, default_path, reading
from hooktui.log.read.terms import NOT_OF_A_FLEET
from hooktui.trials.backtest_matches import PastCall, todays_hooks
from hooktui.trials.backtest_search import answers
from hooktui.trials.payload_templates import TrialError
from hooktui.trials.trial_process import Trial

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable, Sequence

    from hooktui.catalog.catalog import Catalog
    from hooktui.core.model import DecisionName
    from hooktui.log.read.decision_log import DecisionLog
    from hooktui.log.read.query import Query
    from hooktui.log.read.terms import WouldTerm


_AT_ONCE = 2  # processes
_CHUNK = 200  # payloads in memory
_CALLS = """
SELECT dispatch.id, event, tool, host, project, payload FROM json_each(?) CROSS JOIN dispatch ON dispatch.id = value
JOIN session ON session.id = session JOIN content ON content.id = dispatch.id"""


class Audit:
    """What is known of today's hooks on the past; other hooks need another audit."""

    def __init__(self, catalog: Catalog, db: str | None = None) -> None:
        """`db` is another log file than the user's own."""
        self._catalog = catalog
        self._db = db
        self.matched: set[int] = set()  # ids of events
        self.decided: dict[int, DecisionName] = {}

    def is_of(self, catalog: Catalog) -> bool:
        """Whether the same hooks run by this catalog: it is loaded again for anything that changes."""
        return todays_hooks(catalog) == todays_hooks(self._catalog)

    @property
    def undecided(self) -> list[int]:
        """The matched events on which the hooks have not run yet, newest first."""
        return sorted(self.matched.difference(self.decided), reverse=True)

    async def match(self, reader: DecisionLog, wanted: Query) -> None:
        """Find the events of a query that today's hooks match, `would:` apart. Raises LogError, TrialError."""
        if reader.path is None:
            raise TrialError(NOT_OF_A_FLEET)
        rest = wanted._replace(would=())
        numbers = None if rest.is_everything else list(await reader.newest(rest))
        self.matched = set()
        async with aclosing(matched_today(self._catalog, numbers, self._db)) as batches:
            async for batch in batches:
                self.matched.update(number for number, hooks in batch.items() if hooks)

    async def decide(self, tell: Callable[[], object] = lambda: None) -> None:
        """Run today's hooks on the events that they match, newest first, and tell after each. Raises LogError, TrialError."""
        async with aclosing(decided_today(self._catalog, self.undecided, self._db)) as decisions:
            async for number, decision in decisions:
                self.decided[number] = decision
                tell()

    async def answered(self, reader: DecisionLog, wanted: Query) -> Query:
        """The query with its terms `would:` answered, for which today's hooks run if need be. Raises LogError, TrialError."""
        await self.match(reader, wanted)
        if any(term.needs_runs for term in wanted.would):
            await self.decide()
        return self.answer(wanted)

    def answer(self, wanted: Query) -> Query:
        """The query with its terms `would:` answered; events on which the hooks have not run may be anything."""
        conditions, values = [wanted.row], dict(wanted.params)
        for place, term in enumerate(wanted.would):
            name = f"would{place}"
            numbers, is_among = self._events(term)
            values[name] = json.dumps(sorted(numbers))
            negation = "" if is_among else "NOT "
            conditions.append(f"dispatch.id {negation}IN (SELECT value FROM json_each(:{name}))")
        return wanted._replace(row=" AND ".join(conditions), params=values, would=())

    def _events(self, term: WouldTerm) -> tuple[set[int], bool]:
        """Events, and whether a term means these or, False, all others."""
        if not term.needs_runs:
            return self.matched, not term.negated
        wanted = set(DECISIONS).difference(term.names) if term.negated else set(term.names)
        if "none" in wanted:  # also the events that no hook matches
            return {number for number, decision in self.decided.items() if decision not in wanted}, False
        return {number for number in self.matched if self.decided.get(number) in (None, *wanted)}, True


async def matched_today(
    catalog: Catalog, numbers: Sequence[int] | None = None, db: str | None = None
) -> AsyncGenerator[dict[int, tuple[str, ...]]]:
    """Yield batches of events, newest first, each with the ids of today's hooks that match it. Nothing runs.

    `numbers` are the ids of the events, None for all. An event that was not logged in full, and those after one on which a
    matcher takes forever, are left out. Raises LogError, TrialError.
    """
    is_chosen = numbers is not None
    about = {
        "formats": catalog.settings.formats,
        "project": as_stored(catalog.project),
        "where": "id IN (SELECT value FROM json_each(:chosen))" if is_chosen else "1",
        "params": {"chosen": json.dumps(list(numbers or ()))} if is_chosen else {},
    }
    async with aclosing(answers(todays_hooks(catalog), db, each=True, **about)) as lines:
        async for line in lines:
            yield {int(number): tuple(hooks) for number, hooks in line.get("each", {}).items()}


async def decided_today(
    catalog: Catalog, numbers: Sequence[int], db: str | None = None
) -> AsyncGenerator[tuple[int, DecisionName]]:
    """Yield what today's hooks decide on events; those that match run for real, under their limits and unrecorded.

    Leaving it ends what still runs. Events are left out as in `matched_today`. Raises LogError, TrialError.
    """
    to_run: list[int] = []
    async with aclosing(matched_today(catalog, numbers, db)) as batches:
        async for batch in batches:
            for number, hooks in batch.items():
                if hooks:
                    to_run.append(number)
                else:
                    yield number, "none"
    async with AsyncExitStack() as stack:
        begun = (Trial(catalog.directory, recorded=False) for _ in range(min(_AT_ONCE, len(to_run))))
        trials = [await stack.enter_async_context(trial) for trial in begun]
        async for calls in _calls(to_run, db):
            for start in range(0, len(calls), _AT_ONCE):
                pair = calls[start : start + _AT_ONCE]
                decisions = await asyncio.gather(*(trial.decide(call) for trial, call in zip(trials, pair, strict=False)))
                for call, decision in zip(pair, decisions, strict=True):
                    yield call.id, decision


async def _calls(numbers: Sequence[int], db: str | None) -> AsyncGenerator[list[PastCall]]:
    for start in range(0, len(numbers), _CHUNK):
        async with reading(db or default_path()) as connection:
            chosen = json.dumps(numbers[start : start + _CHUNK])
            rows = await connection.execute_fetchall(_CALLS, (chosen,)) if connection else ()
        yield [PastCall(*row) for row in rows]
