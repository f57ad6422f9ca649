"""Search the past for events that a matcher accepts: all of the log, imported transcripts included, in a separate process.

Nothing runs. Results stream, the newest events first; leaving a search ends its process.
"""

from __future__ import annotations

import json
import time
from collections.abc import AsyncGenerator, Iterable, Mapping, Sequence
from contextlib import aclosing
from typing import Any, NamedTuple

from hooktui.catalog.hook_states import counted
from hooktui.config import worker_process
from hooktui.core import ids
from hooktui.core.model import Hook
from hooktui.log.read.connection import as_stored, default_path, reading
from hooktui.log.read.query import Query
from hooktui.runner import matching
from hooktui.trials.backtest_worker import plain_hook
from hooktui.trials.payload_templates import TrialError

KEPT = 500  # matches that a search tells of
_LONGEST = 1 << 26  # bytes of a line
_DEFAULTS: Mapping[str, object] = {
    "then": None,
    "formats": None,
    "project": None,
    "params": {},
    "last": -1,
    "kept": 0,
    "each": False,
}
_ALL = Query()
_YEAR_S, _MONTH_S = 300 * 86400, 28 * 86400


class PastMatch(NamedTuple):
    """An event that a hook matches; `about` is its subject: a command, a file, a prompt."""

    id: int
    tool: str | None
    about: str


class PastCount(NamedTuple):
    """How many of the events of a kind a hook matches, so far or, when it `is_done`, at all.

    `total` are the events to search, `oldest` is the id of the oldest; `every` has the ids of all if there are at most KEPT.
    `left_out` were logged only in part. `newest` are the first KEPT matches. `too_slow`: the search ended at an event on which
    the matcher takes forever. `elsewhere`: the project has no such event, so those of all projects were searched.
    """

    event: str
    total: int = 0
    oldest: int | None = None
    every: tuple[int, ...] = ()
    searched: int = 0
    matched: int = 0
    left_out: int = 0
    newest: tuple[PastMatch, ...] = ()
    is_done: bool = False
    too_slow: bool = False
    elsewhere: bool = False

    def matching(self, matched: int) -> PastCount:
        return self._replace(matched=matched)

    @property
    def text(self) -> str:
        """`14 of 18,233 calls since October`, with ` in your other projects`."""
        kind = {"pre-agent-turn": "prompt"}.get(self.event, "call" if self.event in matching.WITH_TOOL else "event")
        where = " in your other projects" if self.elsewhere else ""
        return f"{self.matched:,} of {counted(self.searched, kind)}{_since(self.oldest)}{where}"


def _since(oldest: int | None) -> str:
    """` since October`, or the day within the last month, or the year."""
    if oldest is None:
        return ""
    at = ids.seconds(oldest)
    age = time.time() - at
    form = "%B %Y" if age > _YEAR_S else "%B" if age > _MONTH_S else "%-d %B"
    return f" since {time.strftime(form, time.localtime(at))}"


async def search(
    hooks: Sequence[Hook],
    project: str | None = None,
    then: Hook | None = None,
    db: str | None = None,
    query: Query = _ALL,
    last: int | None = None,
) -> AsyncGenerator[PastCount]:
    """Count the events that any of these hooks, which listen to one event, and `then` match; yields the counts so far.

    `project` None means all projects; `last` limits the events. Raises LogError, TrialError.
    """
    where, values = conditions(hooks[0].event, project, query)
    limits = {"last": -1 if last is None else last, "kept": KEPT}
    count = PastCount(hooks[0].event)
    async with aclosing(answers(hooks, db, then=then and plain_hook(then), where=where, params=values, **limits)) as lines:
        async for line in lines:
            count = _counted(count, line)
            yield count
    if not count.is_done:
        yield count._replace(is_done=True)  # no log


async def of_draft(hook: Hook, then: Hook | None, project: str, db: str | None) -> AsyncGenerator[PastCount]:
    """Search for what a draft matches: in its project; for a user's hook, or if the project has no such event, in all."""
    here, count = everywhere(hook, project), None
    async with aclosing(search((hook,), here, then, db)) as counts:
        async for count in counts:
            if count.total or here is None:
                yield count
    if count is not None and not count.total and here is not None:
        async with aclosing(search((hook,), None, then, db)) as counts:
            async for count in counts:
                yield count._replace(elsewhere=True)


def everywhere(hook: Hook, project: str) -> str | None:
    """The project whose events concern a hook; None for all."""
    return None if hook.scope in ("user", "managed") else project


def conditions(event: str, project: str | None, query: Query) -> tuple[str, dict[str, Any]]:
    """The SQL condition on the events of a kind in a project that match a query, and its values."""
    where = ["event = :event"]
    if project is not None:
        where.append("session IN (SELECT id FROM session WHERE project = :project)")
    if query.text:
        where.append(f"id IN (SELECT {query.key} {query.source})")
    return " AND ".join(where), {**query.params, "event": event, "project": project and as_stored(project)}


def _counted(count: PastCount, line: Mapping[str, Any]) -> PastCount:
    if "total" in line:
        return count._replace(total=line["total"], oldest=line["oldest"], every=tuple(line["every"]))
    if "too_slow" in line:
        return count._replace(too_slow=True, is_done=True)
    return count._replace(
        searched=count.searched + line["searched"],
        matched=count.matched + line["matched"],
        left_out=count.left_out + line["left_out"],
        newest=(*count.newest, *(PastMatch(*found) for found in line["found"])),
        is_done="done" in line,
    )


async def answers(hooks: Iterable[Hook], db: str | None, **request: object) -> AsyncGenerator[dict[str, Any]]:
    """The lines of backtest_worker.py for a request about hooks; none without a log. Raises LogError, TrialError."""
    path = db or default_path()
    async with reading(path) as connection:
        if connection is None:
            return
    process = await worker_process.start(("hooktui.trials.backtest_worker",), limit=_LONGEST)
    try:
        assert process.stdin and process.stdout and process.stderr
        whole = {**_DEFAULTS, **request, "hooks": [plain_hook(hook) for hook in hooks], "db": path}
        process.stdin.write(json.dumps(whole).encode() + b"\n")
        while line := await process.stdout.readline():
            answer = json.loads(line)
            yield answer
            if "done" in answer or "too_slow" in answer:
                return
        trouble = (await process.stderr.read()).decode(errors="replace").strip().rpartition("\n")[2]
        raise TrialError(f"the search in the past ended without a result: {trouble or 'killed'}")
    finally:
        await worker_process.end(process)
