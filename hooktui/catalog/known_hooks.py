"""Complete the reports of the log with the hooks of an agent's own files that no source tells of.

An agent that records only what its hooks say leaves open which silent hooks ran. A hook whose file is as it was then is known:
either its matcher did not match, or it may have run and nobody recorded it.
"""

from __future__ import annotations

import os
from datetime import datetime
from typing import TYPE_CHECKING, Any, cast

from hooktui import hosts
from hooktui.catalog import listed_mods
from hooktui.catalog.listings import Listing, Listings
from hooktui.core.model import Event, JsonEntry, Mod
from hooktui.formats.mods import debug_log
from hooktui.log.store.calls_without_id import recorded_as
from hooktui.runner import matching
from hooktui.runner.journal.entry import stored_name
from hooktui.runner.matching import Verdict

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from hooktui.core.model import Hook
    from hooktui.core.report import HooksRecorded, LoggedReport, RunReport
    from hooktui.log.read.rows import DispatchRow

_UNKNOWN_RUN: dict[str, Any] = {
    "via": None, "reason": None, "exit_code": None, "signal": None, "started_ms": 0.0, "duration_ms": None, "stdout": "",
    "stderr": "", "truncated": False, "modified_input": None, "additional_context": None, "system_message": None, "log": None,
    "problems": [],
}  # fmt: skip


class KnownHooks:
    """Completes reports and rows. Reading files takes milliseconds a project. `db` is the log that remembers hook files."""

    def __init__(self, db: str = "") -> None:
        self._db, self._listings = db, Listings(db)

    def quieted(self, rows: Iterable[DispatchRow], project: str) -> list[DispatchRow]:
        """Rows of calls, where all hooks count as recorded if none in the files of the row's agent could have run."""
        return [row._replace(hooks_recorded="all") if self._is_quiet(row, project) else row for row in rows]

    def _is_quiet(self, row: DispatchRow, project: str) -> bool:
        if row.project != project or row.ran or row.hooks_recorded == "all" or row.host not in hosts.names():
            return False
        return all(self._is_silent(event, self._listings.at(row.host, project, event.at)) for event in row.events or (row,))

    def _is_silent(self, row: DispatchRow, files: Listing) -> bool:
        """Whether no hook in an agent's files could run at an event, and its session ran none that is in no file."""
        if files.changed_last >= row.at or files.is_missing_hooks(self._db, row.host, row.session_name):
            return False
        key = row.event, row.tool
        if key not in files.silent:
            fired = recorded_as(row.event, row.host)
            hooks = (hook for hook in files.catalog.own_hooks if hook.event == fired)
            files.silent[key] = all(_is_for_others(hook, row) for hook in hooks)
        return files.silent[key]

    def completed(self, reports: Iterable[LoggedReport]) -> Iterator[LoggedReport]:
        """Reports with the hooks that did not match, or of which nobody recorded whether they ran."""
        return map(self._completed, reports)

    def _completed(self, report: LoggedReport) -> LoggedReport:
        event = None if _is_whole(report) else _event(report)
        logged = _in_debug_log(report, event) if event else ""
        if report["outcome"] == "invalid" and not report["hooks"] and not logged:  # a wrong tool or input: no hook hears of it
            return cast("LoggedReport", {**report, "hooks_recorded": "all"})
        if event is None:
            return report
        at = datetime.fromisoformat(report["at"]).timestamp()
        files = self._listings.at(report["host"], _started_in(report, event), at)
        listening = [hook for hook in files.catalog.own_hooks if _listens(hook, event)]
        known = [hook for hook in listening if files.changed_at(hook.file) < at]
        named = {run["id"] for run in report["hooks"]}
        secrets = files.catalog.settings.redact
        others = [hook for hook in known if stored_name(hook.identity, secrets) not in named]
        runs = [run for run in _runs(others, event, report) if run["state"] == "skipped" or report["hooks_recorded"] != "all"]
        own = {stored_name(hook.identity, secrets) for hook in files.catalog.hooks}
        foreign = [run for run in report["hooks"] if run["origin"] in ("observed", "transcript") and run["id"] not in own]
        is_known = len(known) == len(listening) and not foreign and files.changed_last < at
        is_known = is_known and not files.is_missing_hooks(self._db, report["host"], report["session_id"])
        report = cast("LoggedReport", {**report, "hooks": [*report["hooks"], *runs]})
        if report["overruled"] and report["event"] == "pre-tool-call":
            report["may_have_allowed"] = _allowing(files, report["tool_name"], at)
        if logged:
            report["debug_log"] = logged
        is_known = is_known or report["hooks_recorded"] == "all"
        return cast("LoggedReport", {**report, "hooks_recorded": _recorded(report, is_known=is_known)})


def _started_in(report: LoggedReport, event: Event) -> str:
    """The directory for which the agent read its files: the project, unless events always have the one that it started in."""
    is_below = event.work_dir.startswith(os.path.join(report["project"], "")) and os.path.isdir(event.work_dir)
    return event.work_dir if is_below and not hosts.spec(report["host"]).runs_in_session_dir else report["project"]


def _allowing(files: Listing, tool: str | None, at: float) -> list[str]:
    """The mods that were there and could let a call run that a hook denied."""
    answering = listed_mods.answering(files.catalog.hooks, *listed_mods.BEFORE_CALL)
    allowing = [mod for mod in answering if isinstance(mod.source, Mod) and mod.source.allows]
    able = [mod for mod in allowing if mod.tool in (None, tool) and files.changed_at(mod.file) < at]
    return list(dict.fromkeys(mod.label for mod in able))


def _in_debug_log(report: LoggedReport, event: Event) -> str:
    """What the agent's debug log says that mods did with a call before its tool, "" if nothing."""
    if event.name != "pre-tool-call":
        return ""
    log = debug_log.of_session(hosts.spec(report["host"]), report["session_id"])
    return log.calls.get(str(report["payload"].get("tool_use_id")), "")


def _is_whole(report: LoggedReport) -> bool:
    """Whether a report has all hooks by itself: of tries, other machines, and hosts without hooks of their own."""
    host = report["host"]
    return report["synthetic"] or "machine" in report or host not in hosts.names() or not hosts.spec(host).connect_scopes


def _recorded(report: LoggedReport, *, is_known: bool) -> HooksRecorded:
    """How many hooks of a complete list are known; `is_known` if no other can have run."""
    states = {run["state"] for run in report["hooks"]}
    decided = {"none", *(run["decision"] for run in report["hooks"])}
    if is_known and "unrecorded" not in states and report["decision"] in decided:
        return "all"
    return "some" if states - {"skipped", "unrecorded"} else "none"


def _event(report: LoggedReport) -> Event | None:
    """The event of a report, for matchers; None if its payload was cut."""
    payload = report["payload"]
    if not isinstance(payload, dict):
        return None
    try:
        return hosts.read(report["host"], dict(payload), recorded_as(report["event"], report["host"]), report["at"])
    except (hosts.UnreadableEventError, AssertionError):
        return None


def _listens(hook: Hook, event: Event) -> bool:
    return hook.event == event.name and hook.type != "mod"


def _is_for_others(hook: Hook, row: DispatchRow) -> bool:
    """Whether a hook cannot run at an event, for its tool or because it is off. Matchers of other events need the payload."""
    event = Event(
        name=row.event, as_written=row.spelling, known=True, host=row.host, session_id="", work_dir=row.project, timestamp="",
        tool_name=row.tool,
    )  # fmt: skip
    verdict = _verdict(hook, event)
    return verdict is not None and (verdict.skip == "disabled" or (row.tool is not None and verdict.skip == "tool-mismatch"))


def _runs(hooks: Sequence[Hook], event: Event, report: LoggedReport) -> Iterator[RunReport]:
    started = {(run["label"], run["format"]) for run in report["hooks"] if run["state"] != "skipped"}
    for hook in hooks:
        verdict = _verdict(hook, event)
        if verdict is None or ((hook.label, hook.format) in started and not verdict.skip):
            continue  # a copy in another file, of which the agent runs one
        about = {
            "id": hook.identity, "name": hook.name, "label": hook.label, "version": hook.content, "origin": "transcript",
            "format": hook.format, "scope": hook.scope, "file": hook.file, "line": hook.line,
            "state": "skipped" if verdict.skip else "unrecorded", "skip": verdict.skip, "why": verdict.why, "decision": "none",
        }  # fmt: skip
        yield cast("RunReport", {**about, **_UNKNOWN_RUN})


def _verdict(hook: Hook, event: Event) -> Verdict | None:
    """Whether an agent ran a hook of its own; None for one that runs only while a skill or an agent is in use."""
    if isinstance(hook.source, JsonEntry) and hook.source.part:
        return None
    if not hook.enabled:
        return Verdict(skip="disabled", why=hook.why_disabled or "it is disabled")
    if hook.obstacle and not hook.obstacle.host_runs:
        return Verdict(skip=hook.obstacle.skip, why=hook.obstacle.why)
    return matching.match(hook, event, hosts.spec(event.host))
