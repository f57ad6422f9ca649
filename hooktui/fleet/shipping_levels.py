"""How much of a report leaves the machine (docs/fleet.md, "Levels").

A list of what may leave, never of what may not: a field that hooktui gains later stays until somebody adds it here. A field
that stays keeps its key, with an empty value, so that every reader finds a report.
"""

from __future__ import annotations

import re
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from hooktui.core.report import LoggedReport, RunReport
    from hooktui.fleet.fleet_settings import Level

# Names, numbers and members of closed sets: nothing that a person, a model or a hook wrote.
_METADATA = (
    "id", "at", "event", "host", "session_id", "project", "tool_name", "decision", "effect", "origin", "outcome",
    "overruled", "hooks_recorded", "duration_ms", "synthetic",
)  # fmt: skip
_RUN_METADATA = (
    "id", "name", "label", "version", "origin", "format", "scope", "file", "line", "state", "skip", "decision", "via",
    "exit_code", "signal", "started_ms", "duration_ms", "truncated",
)  # fmt: skip
# What leaves at each level; everything at `full`.
_FIELDS: Mapping[Level, tuple[str, ...]] = {"metadata": _METADATA, "reasons": (*_METADATA, "reason"), "full": ()}
_RUN_FIELDS: Mapping[Level, tuple[str, ...]] = {
    "metadata": _RUN_METADATA,
    "reasons": (*_RUN_METADATA, "reason", "why"),
    "full": (),
}
_NAME = re.compile(r"[\w.@+-]+(?: \(\d+\))?")  # of a hook, a script or a program, with the number that tells equal ones apart
_PROGRAM = re.compile(r"[a-z0-9][\w.+-]*", re.ASCII)
_OBSERVED = ":observed:"  # in the id of a command that no file has


def is_text(field: str) -> bool:
    """Whether a field of a report or a run has what a person, a model or a hook wrote."""
    return field not in (*_METADATA, *_RUN_METADATA, "hooks", "level")


def reduced(report: LoggedReport, level: Level) -> dict[str, Any]:
    """The report as it leaves at a level, with `level` added, and without its hooks."""
    values = {**_only(report, _FIELDS[level]), "level": level}
    del values["hooks"]
    return values


def reduced_run(run: RunReport, level: Level, prompts: Collection[str] = ()) -> dict[str, Any]:
    """A run as it leaves at a level."""
    return {**_only(run, _RUN_FIELDS[level]), **naming(run, level, prompts)}


def naming(run: RunReport, level: Level, prompts: Collection[str] = ()) -> dict[str, str]:
    """The id, name and label of a run's hook as they leave at a level; `prompts` are the ids of hooks with a prompt.

    A hook without a name is labelled by the beginning of its command, URL or prompt, which may hold a secret. Only its program
    or server leaves, with a hash that tells hooks apart; of a prompt not even a word that looks like a name.
    """
    names = {"id": run["id"], "name": run["name"], "label": run["label"]}
    if level == "full":
        return names
    if _OBSERVED in run["id"]:
        title = _without_words(run["label"], blake2b(run["id"].encode(errors="replace"), digest_size=6).hexdigest())
        return {"id": run["id"].partition(_OBSERVED)[0] + _OBSERVED + title, "name": title, "label": title}
    if run["label"] != run["name"] and (run["id"] in prompts or not _NAME.fullmatch(run["label"])):
        names["label"] = _without_words("" if run["id"] in prompts else run["label"], run["id"].rpartition(":")[2])
    return names


def _without_words(label: str, digest: str) -> str:
    """The program that a label begins with, and the beginning of a digest."""
    program = _PROGRAM.match(label)
    return f"{program[0] if program else 'hook'} {digest[:6]}"


def _only(values: Mapping[str, Any], fields: tuple[str, ...]) -> dict[str, Any]:
    if not fields:
        return dict(values)
    return {name: value if name in fields else _empty(value) for name, value in values.items()}


def _empty(value: Any) -> Any:
    """The empty value sent in place of one that may not leave."""
    return type(value)() if isinstance(value, str | list) else None
