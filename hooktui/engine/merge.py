"""What several hooks said, as one answer: stop > deny > ask > allow > none (formats.md, head)."""

from __future__ import annotations

from hooktui import hosts
from hooktui.core.model import DECISIONS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from hooktui.core.model import DecisionName, Run


def decision(runs: Sequence[Run]) -> DecisionName:
    """The strictest that any hook said."""
    return max((run.outcome.decision for run in runs), key=DECISIONS.index, default="none")


def reason(runs: Sequence[Run], merged: DecisionName) -> str | None:
    """The reasons behind the merged decision, joined by newlines."""
    return "\n".join(run.outcome.reason for run in runs if run.outcome.decision == merged and run.outcome.reason) or None


def modified_input(runs: Sequence[Run], merged: DecisionName) -> Mapping[str, Any] | None:
    """The rewrite of the hook that finished last; none with a deny or stop."""
    rewrites = [run for run in runs if run.outcome.modified_input is not None]
    if not rewrites or merged in ("deny", "stop"):
        return None
    return max(rewrites, key=lambda run: run.started_ms + run.duration_ms).outcome.modified_input


def additional_context(runs: Sequence[Run]) -> tuple[str, ...]:
    """All contexts in order; of some hosts' hooks only the last one counts (formats.md §4)."""
    spoken = [run for run in runs if run.outcome.additional_context]
    limited = [run for run in spoken if hosts.spec(run.hook.format).speech.last_context_only]
    return tuple(run.outcome.additional_context or "" for run in spoken if run not in limited[:-1])
