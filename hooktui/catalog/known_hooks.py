"""Complete the reports of the log with the hooks of an agent's own files that no source tells of.

An agent that records only what its hooks say leaves open which silent hooks ran. A hook whose file is as it was then is known:
either its matcher did not match, or it may have run and nobody recorded it.
"""

from __future__ import annotations

import os
import time
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any, cast

from hooktui import hosts
from hooktui.catalog import catalog, matching
from hooktui.catalog.matching import Verdict
from hooktui.core.model import JsonEntry
from hooktui.log.write.entry import stored_name

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from hooktui.catalog.catalog import Catalog
    from hooktui.core.model import Event, Hook
    from hooktui.core.report import LoggedReport, RunReport

_FRESH_S = 2.0  # until the files of a project are looked at again
_UNKNOWN_RUN: dict[str, Any] = {
    "via": None, "reason": None, "exit_code": None, "signal": None, "started_ms": 0.0, "duration_ms": None, "stdout": "",
    "stderr": "", "truncated": False, "modified_input": None, "additional_context": None, "system_message": None, "log": None,
    "problems": [],
}  # fmt: skip


@dataclass(slots=True)
class _Files:
    """The hooks of an agent in a project, when they were looked at, and when their files were changed last."""

    catalog: Catalog
    looked_at: float
    changed: dict[str, float] = field(default_factory=dict)

    def changed_at(self, path: str) -> float:
        """When a file, or the directory of one that is missing, was changed last, in seconds since 1970."""
        if path not in self.changed:
            try:
                self.changed[path] = os.stat(path).st_mtime
            except OSError:
                self.changed[path] = time.time()
        return self.changed[path]


class KnownHooks:
    """Completes reports; keeps the catalogs of projects for the next one. Reading files takes milliseconds a project."""

    def __init__(self) -> None:
        self._files: dict[tuple[str, str], _Files] = {}

    def completed(self, reports: Iterable[LoggedReport]) -> Iterator[LoggedReport]:
        """Reports with the hooks that did not match, or of which nobody recorded whether they ran."""
        return map(self._completed, reports)

    def _completed(self, report: LoggedReport) -> LoggedReport:
        event = None if _is_whole(report) else _event(report)
        if event is None:
            return report
        files = self._of(report["host"], report["project"])
        at = datetime.fromisoformat(report["at"]).timestamp()
        listening = [hook for hook in files.catalog.own_hooks if _listens(hook, report)]
        known = [hook for hook in listening if files.changed_at(hook.file) < at]
        named = {run["id"] for run in report["hooks"]}
        secrets = files.catalog.settings.redact
        others = [hook for hook in known if stored_name(hook.identity, secrets) not in named]
        runs = [run for run in _runs(others, event, report) if run["state"] == "skipped" or report["hooks_recorded"] != "all"]
        own = {stored_name(hook.identity, secrets) for hook in files.catalog.hooks}
        foreign = [run for run in report["hooks"] if run["origin"] in ("observed", "transcript") and run["id"] not in own]
        is_known = len(known) == len(listening) and not foreign and _is_unchanged(files, at)
        is_whole = is_known and all(run["state"] == "skipped" for run in runs)
        recorded = "all" if is_whole else report["hooks_recorded"]
        return cast("LoggedReport", {**report, "hooks": [*report["hooks"], *runs], "hooks_recorded": recorded})

    def _of(self, host: str, directory: str) -> _Files:
        known, now = self._files.get((host, directory)), time.monotonic()
        if known is None or now - known.looked_at > _FRESH_S:
            known = _Files(catalog.load(directory, (host,), known.catalog if known else None), now)
            self._files[host, directory] = known
        return known


def _is_whole(report: LoggedReport) -> bool:
    """Whether a report has all hooks by itself: of tries, other machines, and hosts without hooks of their own."""
    host = report["host"]
    return report["synthetic"] or "machine" in report or host not in hosts.names() or not hosts.spec(host).connect


def _event(report: LoggedReport) -> Event | None:
    """The event of a report, for matchers; None if its payload was cut."""
    payload = report["payload"]
    if not isinstance(payload, dict):
        return None
    try:
        return hosts.read(report["host"], dict(payload), report["event"], report["at"])
    except (hosts.UnreadableEvent, AssertionError):
        return None


def _listens(hook: Hook, report: LoggedReport) -> bool:
    return hook.format == report["host"] and hook.event == report["event"]


def _is_unchanged(files: _Files, at: float) -> bool:
    """Whether all files with hooks are as they were, and in the project none came or went."""
    inside = os.path.join(files.catalog.project, "")
    directories = {os.path.dirname(path) for path in files.catalog.watched if path.startswith(inside)}
    here = [path for path in directories if os.path.isdir(path) and path + "/" != inside]
    return all(files.changed_at(path) < at for path in (*files.catalog.files, *here))


def _runs(hooks: Sequence[Hook], event: Event, report: LoggedReport) -> Iterator[RunReport]:
    started = {(run["label"], run["format"]) for run in report["hooks"] if run["state"] != "skipped"}
    for hook in hooks:
        verdict = _verdict(hook, event)
        if verdict is None or ((hook.label, hook.format) in started and not verdict.skip):
            continue  # a copy in another file, of which the agent runs one
        about = {
            "id": hook.identity, "name": hook.name, "label": hook.label, "origin": "transcript", "format": hook.format,
            "scope": hook.scope, "file": hook.file, "line": hook.line, "state": "skipped" if verdict.skip else "unrecorded",
            "skip": verdict.skip, "why": verdict.why, "decision": "none",
        }  # fmt: skip
        yield cast("RunReport", {**about, **_UNKNOWN_RUN})


def _verdict(hook: Hook, event: Event) -> Verdict | None:
    """Whether an agent ran a hook of its own; None for one that runs only while a skill or an agent is in use."""
    if isinstance(hook.source, JsonEntry) and hook.source.part:
        return None
    if not hook.enabled:
        return Verdict(skip="disabled", why=hook.why_disabled or "it is disabled")
    if hook.obstacle:
        return Verdict(skip=hook.obstacle.skip, why=hook.obstacle.why)
    return matching.match(hook, event)
