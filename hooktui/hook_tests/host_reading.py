"""What a host makes of a dispatch: it reads hooktui's answer for HOOK.md hooks, and the answers of its own hooks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hooktui import formats, hosts
from hooktui.core import ids
from hooktui.core.model import Hook, Run
from hooktui.hosts.shared.interpretation import Ended
from hooktui.runner import dispatch as dispatching

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hooktui.core.model import Dispatch

_OURS = "hooktui"


def as_read(hook_md: Dispatch, own: Dispatch) -> tuple[Dispatch, tuple[str, ...]]:
    """The dispatch with the decision and effects that the event's host obeys, and why it does not obey the rest.

    `hook_md` is that of HOOK.md hooks, which get one answer of hooktui; `own` that of the hooks of the host itself, which see
    the event as it was. An agent that reads HOOK.md obeys the first as it is.
    """
    if hook_md.event.host == hosts.DEFAULT:
        return hook_md, ()
    answers = (_read_answer(hook_md),) if hook_md.runs else ()
    read = _merged(own, (*answers, *own.runs)).replace(
        runs=(*hook_md.runs, *own.runs),
        warnings=tuple(dict.fromkeys((*hook_md.warnings, *own.warnings))),
        duration_ms=max(hook_md.duration_ms, own.duration_ms),
    )
    return read, tuple(problem for answer in answers for problem in answer.outcome.problems)


def _read_answer(dispatch: Dispatch) -> Run:
    """The run of our own entry in the host's configuration, as the host judges it."""
    event = dispatch.event
    given = hosts.answer(event.host, dispatch)
    entry = Hook(
        id="",
        name=_OURS,
        event=event.name,
        event_as_written=event.as_written,
        format=event.host,
        scope="project",
        file="",
        line=1,
        source=formats.detached_source(event.host),
    )
    printed, reported = (text.encode(errors="replace") for text in (given.stdout, given.stderr))
    judged = hosts.judge(event.host, entry, event, Ended(exit_code=given.exit_code, stdout=printed, stderr=reported))
    ends = max((run.started_ms + run.duration_ms for run in dispatch.runs), default=0.0)
    return Run(id=ids.new(), hook=entry, state=judged.state, outcome=judged.outcome, duration_ms=ends)


def _merged(dispatch: Dispatch, runs: Sequence[Run]) -> Dispatch:
    """The dispatch as if these had been all runs."""
    decision = dispatching.merged_decision(runs)
    return dispatch.replace(
        runs=tuple(runs),
        decision=decision,
        reason=dispatching.merged_reason(runs, decision),
        modified_input=dispatching.merged_input(runs, decision),
        additional_context=dispatching.merged_context(runs),
        system_messages=tuple(run.outcome.system_message for run in runs if run.outcome.system_message),
        logs=tuple(run.outcome.log for run in runs if run.outcome.log),
    )
