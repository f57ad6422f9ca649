"""`hooktui try --past N`: run a hook on logged events and compare its decisions with those of the log."""

from __future__ import annotations

import asyncio
import time
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import click

from hooktui.cli.console import Refused, columns, cut, print_json, shell_word
from hooktui.core import ids
from hooktui.core.text_sanitizer import one_line
from hooktui.log.read.connection import LogError
from hooktui.log.read.rows import iso
from hooktui.simulate import CannotTry, NotApproved, past_events

if TYPE_CHECKING:
    from hooktui.catalog.catalog import Catalog
    from hooktui.core.model import Hook
    from hooktui.log.read.recent_events import LoggedOutcome
    from hooktui.simulate.past_events import PastEvent, PastTrial

_SIGNS = {"decision": "≠", "otherwise": "~", "none": " "}


def refusal(error: Exception, hook: Hook) -> str:
    """Explain why a hook cannot be tried, with the command that approves it if that helps."""
    remedy = f"; review and approve it with `hooktui trust --hook {shell_word(hook.name)}`"
    return f"{error}{remedy if isinstance(error, NotApproved) else ''}"


def try_past(loaded: Catalog, hook: Hook, events: int, *, as_json: bool) -> None:
    """Try a hook on its last events. Prints a line for each result, or one JSON object."""
    rows: list[PastEvent] = []
    begun = time.monotonic()
    try:
        plan = asyncio.run(_played(loaded, hook, events, rows, as_json=as_json))
    except (CannotTry, LogError) as error:
        raise Refused(refusal(error, hook)) from error
    seconds = time.monotonic() - begun
    changed = sum(row.change == "decision" for row in rows)
    if as_json:
        rows.sort(key=lambda row: row.event.id)
        about = {"hook": hook.id, "events": len(rows), "changed": changed, "left_out": plan.left_out}
        print_json({**about, "runs": plan.runs, "duration_ms": round(seconds * 1000, 3), "rows": list(map(_row_json, rows))})
        return
    left_out = f"; {plan.left_out} left out, logged only in part" if plan.left_out else ""
    click.echo(f"{changed} of {len(rows)} decisions differ ({plan.runs} runs in {seconds:.1f} s){left_out}")


async def _played(loaded: Catalog, hook: Hook, events: int, rows: list[PastEvent], *, as_json: bool) -> PastTrial:
    def report(row: PastEvent) -> None:
        rows.append(row)
        if not as_json:
            click.echo(cut(_line(row), columns()))

    plan = await past_events.plan(loaded, hook, limit=events)
    await past_events.play(plan, report)
    return plan


def _line(row: PastEvent) -> str:
    moment = time.strftime("%m-%d %H:%M:%S", time.localtime(row.event.at))
    decisions = f"{_word(row.before)} → {_word(row.after)}"
    return f"{_SIGNS[row.change]} {moment}  {decisions:<15} {row.event.tool or '–':<10} {one_line(row.about)}"


def _word(outcome: LoggedOutcome | None) -> str:
    """Return the decision, or a dash if the hook did not run."""
    return outcome.decision if outcome and outcome.state != "skipped" else "–"


def _row_json(row: PastEvent) -> dict[str, Any]:
    when = {"id": ids.text(row.event.id), "at": iso(row.event.at), "tool_name": row.event.tool, "about": row.about}
    then, now = (outcome and asdict(outcome) for outcome in (row.before, row.after))
    return {**when, "then": then, "now": now, "changed": row.change == "decision"}
