"""What a played story came to, in a few lines."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from hooktui.demo.player import Played

_FAILURES = ("failed", "timeout", "invalid-output")


def summary(played: Sequence[Played]) -> list[str]:
    """Events, denials, failures, skips by reason, and where it went otherwise than told."""
    runs = [run for one in played for run in one.report["hooks"]]
    denials = Counter(run["name"] for run in runs if run["decision"] in ("deny", "stop"))
    failures = Counter(f"{run['name']} {run['state']}" for run in runs if run["state"] in _FAILURES)
    rewrites = Counter(run["name"] for run in runs if run["modified_input"])
    skips = Counter(run["skip"] for run in runs if run["skip"])
    sessions = len({one.moment.session for one in played})
    return [
        f"{len(played)} events in {sessions} sessions",
        f"denied    {_counted(denials)}",
        f"rewritten {_counted(rewrites)}",
        f"failed    {_counted(failures)}",
        f"skipped   {_counted(skips)}",
    ]


def surprises(played: Iterable[Played]) -> list[str]:
    """Everything that is not as the story says."""
    return [surprise for one in played for surprise in one.surprises()]


def _counted(counts: Counter[str]) -> str:
    return ", ".join(f"{name} {count}" for name, count in counts.most_common()) or "none"
