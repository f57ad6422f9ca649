"""What a number of reports come to: the summary that an export begins with."""

from __future__ import annotations

from collections import Counter
from operator import itemgetter
from typing import TYPE_CHECKING

from hooktui.log.read.sessions import hook_times

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from hooktui.log.read.sessions import HookTimes

    Report = dict[str, Any]


class Totals:
    """Counts reports as they come."""

    def __init__(self) -> None:
        self.decisions: Counter[str] = Counter()
        self.sessions: Counter[tuple[str, str, str]] = Counter()  # name, host, project
        self.hook_ms = 0.0
        self.first = ""
        self.last = ""
        self._runs: list[tuple[str, str, str, float, bool]] = []

    def add(self, report: Report) -> None:
        """Count one more; they come oldest first."""
        self.decisions[report["decision"]] += 1
        self.sessions[report["session_id"], report["host"], report["project"]] += 1
        self.hook_ms += report["duration_ms"]
        self.first = self.first or report["at"]
        self.last = report["at"]
        self._runs += _runs(report)

    def hooks(self) -> list[HookTimes]:
        """Each hook's runs, as a session's summary has them."""
        return hook_times(sorted(self._runs, key=itemgetter(0)))


def _runs(report: Report) -> Iterator[tuple[str, str, str, float, bool]]:
    for run in report["hooks"]:
        if run["state"] != "skipped":
            unwaited = run["state"] == "started" or run["started_ms"] + run["duration_ms"] > report["duration_ms"] + 0.001
            yield run["id"], run["name"], run["state"], run["duration_ms"], unwaited
