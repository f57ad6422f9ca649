"""Hashes in place of projects, for `hash_projects`: of their paths everywhere, of their names in what somebody wrote."""

from __future__ import annotations

import json
import os
import re
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

from hooktui.fleet.shipping_levels import is_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from hooktui.core.report import LoggedReport

_SHORT = 8  # characters of a path whose directory's name, such as `-tmp`, may be anything else


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
            values.update((name, mapped(values[name], self.hide_names)) for name in values if is_text(name))
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
