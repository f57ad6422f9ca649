"""How much of a report leaves the machine (docs/fleet.md, "Levels").

A list of what may leave, never of what may not: a field that hooktui gains later stays until somebody adds it here. A field
that stays keeps its key, with an empty value, so that every reader finds a report.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    from hooktui.core.report import LoggedReport
    from hooktui.fleet.fleet_settings import Level

# Names, numbers and members of closed sets: nothing that a person, a model or a hook wrote.
_METADATA = (
    "id", "at", "event", "host", "session_id", "project", "tool_name", "decision", "effect", "origin", "outcome",
    "hooks_recorded", "duration_ms", "synthetic",
)  # fmt: skip
_RUN_METADATA = (
    "id", "name", "label", "origin", "format", "scope", "file", "line", "state", "skip", "decision", "via", "exit_code",
    "signal", "started_ms", "duration_ms", "truncated",
)  # fmt: skip
_REASONS = (*_METADATA, "reason")
_RUN_REASONS = (*_RUN_METADATA, "reason", "why")


def reduced(report: LoggedReport, level: Level) -> dict[str, Any]:
    """The report as it leaves at a level, with `level` added."""
    if level == "full":
        return {**report, "level": level}
    fields, run_fields = (_REASONS, _RUN_REASONS) if level == "reasons" else (_METADATA, _RUN_METADATA)
    hooks = [_only(run, run_fields) for run in report["hooks"]]
    return {**_only(report, fields), "hooks": hooks, "level": level}


def _only(values: Mapping[str, Any], fields: tuple[str, ...]) -> dict[str, Any]:
    return {name: value if name in fields else _empty(value) for name, value in values.items()}


def _empty(value: Any) -> Any:
    """What stands in for a value that stays."""
    return type(value)() if isinstance(value, str | list) else None
