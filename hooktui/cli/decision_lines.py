"""Dispatches as text: one line for `log`, a full report for `show` and `try`."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING, Any

import click
from rich.cells import set_cell_size

from hooktui.cli.console import cut, print_json
from hooktui.core import ids, paths
from hooktui.core.model import effect_word
from hooktui.core.text_sanitizer import one_line, visible
from hooktui.log.read.rows import spelled

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from hooktui.log.read.rows import DispatchRow

_COLOURS = {"allow": "green", "rewrite": "yellow", "ask": "yellow", "deny": "red", "stop": "red"}
_SIGNS = {"ok": "✔", "skipped": "∅", "started": "…", "would-run": "·"}
_PIPED = 180  # columns of a line that goes to a file or a pipe; its last column is not cut
_WITH_SESSION, _WITH_DURATION = 100, 140  # columns of the terminal from which a line has them
_EVENT, _SHORT_EVENT, _PROJECT, _MACHINE, _SESSION, _TOOK, _DETAIL = 19, 16, 14, 14, 8, 8, 48  # columns
_EFFECTS = (
    "reason", "modified_input", "additional_context", "system_messages", "system_message", "log", "warnings", "problems",
)  # fmt: skip


def dispatch_line(row: DispatchRow, width: int | None = None, *, several: bool = False) -> str:
    """Format a dispatch as one line: id, local time, decision, event, tool and subject, duration, session, hooks and reason.
    A fleet's has the machine before the project.

    `width` is the terminal's, None for a line that must not be cut; `several`: with the project.
    """
    columns = width or _PIPED
    is_narrow = columns < _WITH_SESSION
    moment = time.strftime("%m-%d %H:%M" if is_narrow else "%m-%d %H:%M:%S", time.localtime(row.at))
    cells = [ids.text(row.id), moment, f"{effect_word(row.effect):<7}"]
    cells += [_cell(row.machine, _MACHINE)] if row.machine else []
    cells += [_cell(paths.name(row.project) or paths.short(row.project), _PROJECT)] if several else []
    cells.append(_cell(row.spelling, _SHORT_EVENT if is_narrow else _EVENT))
    after = [(_took(row.duration_ms) if row.duration_ms else "–").rjust(_TOOK)] if columns >= _WITH_DURATION else []
    after += [_cell(row.short_session, _SESSION)] if not is_narrow else []
    room = columns - sum(len(cell) + 2 for cell in (*cells, *after))
    detail = " ".join(filter(None, ("try" if row.synthetic else "", row.tool, row.about)))
    why = " · ".join(row.ran) + (f": {row.reason}" if row.reason else "")
    return cut("  ".join((*cells, _cell(detail, min(room * 3 // 5, _DETAIL)), *after, one_line(why or "–"))), width)


def _cell(text: str, width: int) -> str:
    """A text in so many columns, cut or padded."""
    return set_cell_size(cut(one_line(" ".join(text.split())), width), width)


def print_report(report: Mapping[str, Any], *, as_json: bool) -> None:
    """Print a report, as JSON or as text for people."""
    if as_json:
        print_json(report)
        return
    for line in report_lines(report):
        click.echo(line)


def report_lines(report: Mapping[str, Any]) -> Iterator[str]:
    """Format a report for people."""
    event = " ".join(one_line(part) for part in (spelled(report["event"], report["host"]), report["tool_name"]) if part)
    effect = report["effect"]
    decision = click.style(effect_word(effect), fg=_COLOURS.get(effect), bold=True)
    kind = ", a try" if report.get("synthetic") else ""
    took = "" if report["duration_ms"] is None else f" in {_took(report['duration_ms'])}"
    yield f"{event}: {decision}{took}  ({report['id']}{kind})"
    place = one_line(paths.short(report["project"]))
    machine = f", machine {one_line(report['machine'])}" if "machine" in report else ""
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
    if run["state"] in ("skipped", "would-run"):
        return ", ".join(part for part in (run["state"], run["skip"]) if part)
    decision = f", {run['decision']} by {run['via']}" if run["via"] else ""
    code = f", exit {run['exit_code']}" if run["exit_code"] is not None else ""
    killed = f", signal {run['signal']}" if run["signal"] is not None else ""
    took = "" if run["duration_ms"] is None else f", {_took(run['duration_ms'])}"
    return f"{run['state']}{decision}{code}{killed}{took}"


def _took(milliseconds: float) -> str:
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
