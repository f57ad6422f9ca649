"""How much of a report leaves the machine (docs/fleet.md, "Levels"), and hashes in place of projects, for `hash_projects`.

A list of what may leave, never of what may not: a field that hooktui gains later stays until somebody adds it here. A field
that stays keeps its key, with an empty value, so that every reader finds a report. Projects are hashed in their paths
everywhere, in their names in what somebody wrote.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Collection, Iterator, Mapping
from hashlib import blake2b
from typing import Any

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
_NO_TEXTS = (*_METADATA, *_RUN_METADATA, "hooks", "level")
_NAME = re.compile(r"[\w.@+-]+(?: \(\d+\))?")  # of a hook, a script or a program, with the number that tells equal ones apart
_PROGRAM = re.compile(r"[a-z0-9][\w.+-]*", re.ASCII)
_OBSERVED = ":observed:"  # in the id of a command that no file has
_SHORT = 8  # characters of a path whose directory's name, such as `-tmp`, may be anything else


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


class ProjectHashes:
    """The hashes for one dispatch: of its project, and of others that its hooks are from. `salt` is the machine's secret."""

    def __init__(self, report: LoggedReport, salt: bytes) -> None:
        self._salt = salt[:64]
        projects = set(_projects(report))
        self._hashes = {spelling: self._hash(path) for path in projects for spelling in _spellings(path)}
        links = set(_links(report["project"], report["payload"])) if report["project"] in projects else set()
        self._hashes |= {spelling: self._hash(report["project"]) for link in links for spelling in _spellings(link)}
        names = filter(None, map(os.path.basename, projects | links))
        self._names = re.compile(rf"(?:(?<!\w)|(?<=\dm))(?:{'|'.join(map(re.escape, names))})(?!\w)")  # \dm ends a color

    def hide_paths(self, text: str) -> str:
        for spelling in sorted(self._hashes, key=len, reverse=True):
            text = text.replace(spelling, self._hashes[spelling])
        return text

    def hide_names(self, text: str) -> str:
        return self._names.sub(lambda name: self._hash(name[0]), text) if self._hashes else text

    def hide_names_in(self, body: str) -> str:
        """The JSON of a report without names in its texts; the other fields must stay what they are."""
        report = json.loads(body)
        for values in (report, *report["hooks"]):
            values.update((name, mapped(values[name], self.hide_names)) for name in values if name not in _NO_TEXTS)
        return json.dumps(report, ensure_ascii=False, separators=(",", ":"))

    def _hash(self, path: str) -> str:
        return "project-" + blake2b(path.encode(errors="replace"), key=self._salt, digest_size=6).hexdigest()


def _projects(report: LoggedReport) -> Iterator[str]:
    """The project of a dispatch, and others that its hooks are from: the main checkout of a linked worktree."""
    files = (run["file"] for run in report["hooks"] if run["scope"] in ("project", "local"))
    roots = (file.partition("/.")[0] for file in files if not file.startswith(report["project"]))
    yield from (path for path in (report["project"], *roots) if len(path) > 1)


def _links(project: str, payload: Any) -> Iterator[str]:
    """How the agent spells the project's path in its payload, if through links."""
    values = payload.values() if isinstance(payload, dict) else ()
    for path in (value for value in values if isinstance(value, str) and value.startswith("/") and "\0" not in value):
        real = os.path.realpath(path)
        inside = real.removeprefix(project)
        if real != inside and inside[:1] in ("", "/") and path.endswith(inside) and not path.startswith(project):
            yield path.removesuffix(inside)


def _spellings(path: str) -> set[str]:
    """How a path is spelled: in JSON, and in the names of directories that agents keep for a project."""
    directory = re.sub(r"[^A-Za-z0-9]", "-", path)
    return {path, json.dumps(path, ensure_ascii=False)[1:-1], directory if len(path) > _SHORT else path}


def mapped(value: Any, change: Callable[[str], str]) -> Any:
    """A value of JSON with each text in it changed."""
    if isinstance(value, str):
        return change(value)
    if isinstance(value, list):
        return [mapped(item, change) for item in value]
    if isinstance(value, dict):
        return {change(name): mapped(item, change) for name, item in value.items()}
    return value
