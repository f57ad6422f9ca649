"""A summary of the played events."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from hooktui.demo.player import Played

_FAILURES = ("failed", "timeout", "invalid-output")


def summary(played: Sequence[Played]) -> list[str]:
    """Summarize events, denials, rewrites, failures and skips."""
    runs = [run for result in played for run in result.report["hooks"]]
    denials = Counter(run["name"] for run in runs if run["decision"] in ("deny", "stop"))
    failures = Counter(f"{run['name']} {run['state']}" for run in runs if run["state"] in _FAILURES)
    rewrites = Counter(run["name"] for run in runs if run["modified_input"])
    skips = Counter(run["skip"] for run in runs if run["skip"])
    sessions = len({result.event.session for result in played})
    return [
        f"{len(played)} events in {sessions} sessions",
        f"denied    {_counted(denials)}",
        f"rewritten {_counted(rewrites)}",
        f"failed    {_counted(failures)}",
        f"skipped   {_counted(skips)}",
    ]


def differences(played: Iterable[Played]) -> list[str]:
    """List differences from the expected results."""
    return [difference for result in played for difference in result.differences()]


def _counted(counts: Counter[str]) -> str:
    return ", ".join(f"{name} {count}" for name, count in counts.most_common()) or "none"
