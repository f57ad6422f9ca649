"""What today's hooks would do on events of the log: which of them match, and what they decide together."""

from __future__ import annotations

import asyncio
import json
from contextlib import AsyncExitStack, aclosing
from typing import TYPE_CHECKING

from hooktui.log.read.connection import as_stored, default_path, reading
from hooktui.trials import Trial
from hooktui.trials.backtest_matches import PastCall, todays_hooks
from hooktui.trials.backtest_search import answers
from hooktui.trials.backtest_worker import plain_hook

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Sequence

    from hooktui.catalog.catalog import Catalog
    from hooktui.core.model import DecisionName

_AT_ONCE = 2  # processes
_CHUNK = 200  # payloads in memory
_CALLS = """
SELECT dispatch.id, event, tool, host, project, payload FROM json_each(?) CROSS JOIN dispatch ON dispatch.id = value
JOIN session ON session.id = session JOIN content ON content.id = dispatch.id"""


async def matched_today(
    catalog: Catalog, numbers: Sequence[int] | None = None, db: str | None = None
) -> AsyncGenerator[dict[int, tuple[str, ...]]]:
    """Yield batches of events, newest first, each with the ids of today's hooks that match it. Nothing runs.

    `numbers` are the ids of the events, None for all. An event that was not logged in full, and those after one on which a
    matcher takes forever, are left out. Raises LogError, TrialError.
    """
    chosen = numbers is not None
    request = {
        "hooks": [plain_hook(hook) for hook in todays_hooks(catalog)],
        "then": None,
        "formats": catalog.settings.formats,
        "project": as_stored(catalog.project),
        "where": "id IN (SELECT value FROM json_each(:chosen))" if chosen else "1",
        "params": {"chosen": json.dumps(list(numbers or ()))} if chosen else {},
        "last": -1,
        "kept": 0,
        "each": True,
    }
    async with aclosing(answers(request, db)) as lines:
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
