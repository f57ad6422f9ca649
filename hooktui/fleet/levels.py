"""How much of a report leaves the machine (docs/fleet.md, "Levels").

A list of what may leave, never of what may not: a field that hooktui gains later stays until somebody adds it here. A field
that stays keeps its key, with an empty value, so that every reader finds a report.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    from hooktui.core.report import LoggedReport, RunReport
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
# What leaves at each level; everything at `full`.
_FIELDS: Mapping[Level, tuple[str, ...]] = {"metadata": _METADATA, "reasons": (*_METADATA, "reason"), "full": ()}
_RUN_FIELDS: Mapping[Level, tuple[str, ...]] = {
    "metadata": _RUN_METADATA,
    "reasons": (*_RUN_METADATA, "reason", "why"),
    "full": (),
}


def reduced(report: LoggedReport, level: Level) -> dict[str, Any]:
    """The report as it leaves at a level, with `level` added, and without its hooks."""
    values = {**_only(report, _FIELDS[level]), "level": level}
    del values["hooks"]
    return values


def reduced_run(run: RunReport, level: Level) -> dict[str, Any]:
    """A run as it leaves at a level."""
    return _only(run, _RUN_FIELDS[level])


def _only(values: Mapping[str, Any], fields: tuple[str, ...]) -> dict[str, Any]:
    if not fields:
        return dict(values)
    return {name: value if name in fields else _empty(value) for name, value in values.items()}


def _empty(value: Any) -> Any:
    """The empty value sent in place of one that may not leave."""
    return type(value)() if isinstance(value, str | list) else None
