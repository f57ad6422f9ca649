"""Dispatches as text: one line for `log`, a full report for `show` and `try`."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Mapping
from typing import Any

import click
from rich.cells import set_cell_size

from hooktui.catalog import listed_mods
from hooktui.cli.console import cut, print_json
from hooktui.cli.text_layout import say
from hooktui.core import events, ids, paths
from hooktui.core.model import FAILURES
from hooktui.core.report import effect_word, what_went_on
from hooktui.core.text_sanitizer import one_line, visible
from hooktui.log.read.rows import DispatchRow, spelled

COLOURS = {"allow": "green", "rewrite": "yellow", "ask": "yellow", "deny": "red", "stop": "red"}
DENIALS = ("deny", "stop")
UNCHECKED = "gate failed: not checked"
_SIGNS = {"ok": "✔", "skipped": "∅", "started": "…", "would-run": "·", "unrecorded": "?"}
_EVENT, _PROJECT, _MACHINE, _SESSION, _TOOK, _DETAIL = 19, 14, 14, 8, 8, 48  # columns
_EFFECTS = (
    "reason", "modified_input", "additional_context", "system_messages", "system_message", "log", "warnings", "problems",
)  # fmt: skip


def dispatch_line(row: DispatchRow, *, several: bool = False) -> str:
    """Format a dispatch as a line of a file or a pipe: id, local time, decision, event, tool and subject, duration, session,
    hooks and reason. A fleet's has the machine before the project.

    `several`: with the project. The last column is not cut.
    """
    cells = [ids.text(row.id), time.strftime("%m-%d %H:%M:%S", time.localtime(row.at)), f"{effect_word(row.effect):<7}"]
    cells += [cell(row.machine, _MACHINE)] if row.machine else []
    cells += [cell(paths.name(row.project) or paths.short(row.project), _PROJECT)] if several else []
    cells.append(cell(row.spelling, _EVENT))
    detail = " ".join(filter(None, ("try" if row.synthetic else "", row.tool, row.about)))
    cells += [cell(detail, _DETAIL), (in_ms(row.duration_ms) if row.duration_ms else "–").rjust(_TOOK)]
    why = ": ".join(filter(None, (" · ".join(row.ran), row.reason)))
    return "  ".join((*cells, cell(row.short_session, _SESSION), one_line(why or "–")))


def cell(text: str, width: int) -> str:
    """A text in so many columns, cut or padded."""
    return set_cell_size(cut(one_line(" ".join(text.split())), width), width)


def is_unchecked(report: Mapping[str, Any]) -> bool:
    """Whether a gate checked nothing: one of its hooks failed, and none held the agent."""
    has_failed = any(run["state"] in FAILURES for run in report["hooks"])
    return report["event"] in events.GATES and has_failed and report["decision"] not in DENIALS


def print_report(report: Mapping[str, Any], *, as_json: bool) -> None:
    """Print a report, as JSON or as text for people."""
    if as_json:
        print_json(report)
        return
    first, *rest = report_lines(report)
    click.echo(first)
    for line in rest:
        say(line, indent=2)


def report_lines(report: Mapping[str, Any]) -> Iterator[str]:
    """Format a report for people."""
    event = " ".join(one_line(part) for part in (spelled(report["event"], report["host"]), report["tool_name"]) if part)
    effect = report["effect"]
    decision = click.style(effect_word(effect), fg=COLOURS.get(effect), bold=True)
    kind = ", a try" if report.get("synthetic") else ""
    took = "" if report["duration_ms"] is None else f" in {in_ms(report['duration_ms'])}"
    yield f"{event}: {decision}{took}  ({report['id']}{kind})"
    place = one_line(paths.short(report["project"]))
    machine = f", machine {one_line(report['machine'])}" if "machine" in report else ""
    if report.get("overruled"):
        deniers = ", ".join(run["label"] for run in report["hooks"] if run["decision"] in DENIALS)
        yield f"  denied by {one_line(deniers)}, but {what_went_on(report['event'])}{listed_mods.overruled_by(report)}"
    elif report.get("debug_log"):
        yield f"  the debug log says {one_line(report['debug_log'])}"
    if is_unchecked(report):
        yield f"  {UNCHECKED}"
    yield f"session {one_line(report['session_id']) or '–'}, host {one_line(report['host'])}, project {place}{machine}"
    yield from _details(report, "  ")
    for run in report["hooks"]:
        yield from _run_lines(run)
    if "payload" in report:
        yield "input"
        yield from _indented(_shown(report["payload"]), "  ")


def _run_lines(run: Mapping[str, Any]) -> Iterator[str]:
    sign = _SIGNS.get(run["state"], "✖")
    yield f"{sign} {one_line(run['label'])} ({run['scope']}): {_ending(run)}"
    if run["why"]:
        yield f"    {one_line(run['why'])}"
    yield from _details(run, "    ")
    for stream in ("stdout", "stderr"):
        if run[stream]:
            yield f"    {stream}"
            yield from _indented(run[stream].rstrip("\n"), "      ")


def _ending(run: Mapping[str, Any]) -> str:
    if run["state"] == "unrecorded":
        return "not recorded"
    if run["state"] in ("skipped", "would-run"):
        return ", ".join(part for part in (run["state"], (run["skip"] or "").replace("-", " ")) if part)
    by = f" by {run['via']}" if run["via"] else ""
    decision = f", {run['decision']}{by}" if by or run["decision"] != "none" else ""
    code = f", exit {run['exit_code']}" if run["exit_code"] is not None else ""
    killed = f", signal {run['signal']}" if run["signal"] is not None else ""
    took = "" if run["duration_ms"] is None else f", {in_ms(run['duration_ms'])}"
    return f"{run['state']}{decision}{code}{killed}{took}"


def in_ms(milliseconds: float) -> str:
    """A duration, such as `12 ms`."""
    return f"{milliseconds:.0f} ms"


def _details(effects: Mapping[str, Any], indent: str) -> Iterator[str]:
    for name in _EFFECTS:
        if effects.get(name):
            first, *rest = list(_indented(_shown(effects[name]), ""))
            yield f"{indent}{name.replace('_', ' ')}: {first}"
            yield from (f"{indent}  {line}" for line in rest)


def _shown(value: Any) -> str:
    """Format text as it is, a list of texts as lines, and anything else as JSON."""
    if isinstance(value, str):
        return value
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        return "\n".join(value)
    return json.dumps(value, indent=2, ensure_ascii=False)


def _indented(text: str, indent: str) -> Iterator[str]:
    return (f"{indent}{line}" for line in visible(text).split("\n"))
