"""How often the rules of the gallery would have acted on past calls, counted in one search of the log."""

from __future__ import annotations

import asyncio
from collections import Counter
from contextlib import aclosing, suppress
from typing import TYPE_CHECKING

from hooktui.edit.gallery import rule_drafts
from hooktui.edit.gallery.gallery_rules import RULES
from hooktui.edit.new_hook_places import default_place
from hooktui.formats.agenthooks.hook_file import FORMAT
from hooktui.log.read.query import Query
from hooktui.trials.backtest_search import PastCount, answers, conditions

if TYPE_CHECKING:
    from collections.abc import Mapping

    from hooktui.core.model import Hook

PATIENCE_S = 1.0  # of a command; what takes longer is not counted
_EVENT = "pre-tool-call"


async def counts(project: str, db: str | None, patience_s: float) -> Mapping[str, PastCount]:
    """For each rule that has a pattern, how many past calls it accepts: those of the project or, if it has none, of all.

    Empty without past calls, and if counting takes more than `patience_s`. Raises LogError, TrialError.
    """
    with suppress(TimeoutError):
        async with asyncio.timeout(patience_s):
            return await _counts(project, db) or await _counts(None, db)
    return {}


async def _counts(project: str | None, db: str | None) -> Mapping[str, PastCount]:
    hooks = _listeners()
    where, values = conditions(_EVENT, project, Query())
    searched, oldest, is_done, matched = 0, None, False, Counter[str]()
    async with aclosing(answers(hooks, db, where=where, params=values, each=True)) as lines:
        async for line in lines:
            oldest = line.get("oldest", oldest)
            searched += line.get("searched", 0)
            is_done = "done" in line
            matched.update(rule for rules in line.get("each", {}).values() for rule in rules)
    if not (searched and is_done):
        return {}
    count = PastCount(_EVENT, searched, oldest, searched=searched, is_done=True, elsewhere=project is None)
    return {hook.id: count.matching(matched[hook.id]) for hook in hooks}


def _listeners() -> tuple[Hook, ...]:
    """The rules as hooks for any agent, with the pattern that their scripts check more exactly."""
    place = default_place("/", FORMAT, "user")
    drafts = [rule_drafts.draft(rule, place) for rule in RULES.values() if rule.pattern and _EVENT in rule.events]
    return tuple(
        draft.listener.replace(id=draft.rule.name, pattern=draft.rule.pattern) for draft in drafts if draft.rule is not None
    )
