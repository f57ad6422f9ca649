"""A report (contract.md) as text: what each hook did, printed and changed, and why others did not run."""

from __future__ import annotations

import json
from difflib import unified_diff
from textwrap import wrap
from typing import TYPE_CHECKING, Any

from rich.cells import cell_len
from textual.content import Content

from hooktui.catalog import listed_mods
from hooktui.core.events import GATES
from hooktui.core.model import FAILURES
from hooktui.core.report import what_went_on
from hooktui.core.text_sanitizer import one_line, visible
from hooktui.log.read import event_subject, rows
from hooktui.screens.keys.hints import hint
from hooktui.screens.widgets.cells import duration, fit
from hooktui.screens.widgets.decision_cells import NOT_CHECKED, OUTCOMES, UNKNOWN_HOOK
from hooktui.screens.widgets.lines import DECISION_SIGNS

if TYPE_CHECKING:
    import re
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from hooktui.core.report import LoggedReport, RunReport

    Part = tuple[str, str]

_MUTED = "$secondary"
_HEAD = "bold"
_MATCH = "$accent bold reverse"
_WIDE = 10_000  # columns: cuts nothing
_NAME, _LONG_NAME, _INDENT = 20, 32, 4  # columns
_LINES_SHOWN, _LETTERS_SHOWN = 200, 2000  # per text, and per line
_NOT_RUN = ("skipped", "would-run", "unrecorded")
_MISSED = {
    "tool-mismatch": "did not match",
    "pattern-mismatch": "did not match",
    "agent-mismatch": "did not match",
    "untrusted": "needs approval",
}
_DECIDING = ("deny", "stop", "ask")
_DENIALS = ("deny", "stop")
_RUN_SIGNS = {"ok": ("✔", "$success"), "started": ("┄", "$primary")}
_TROUBLE = ("▲", "$warning")
# What to do about a skipped hook, and how on this machine, by its skip code (contract.md, "Report").
_REMEDIES = {
    "disabled": ("turn it on", ": space on the Hooks screen"),
    "host-skips-file": ("fix the entry that invalidates the file", ": see Diagnostics"),
    "invalid": ("fix it", ": see Diagnostics"),
    "bad-matcher": ("fix the matcher", ": see Diagnostics"),
    "untrusted": ("review and approve it", ": p"),
    "gate-limit": ("raise [run] gate_limit to allow more", ""),
}
_EFFECTS = (
    ("additional context", "additional_context"),
    ("system message", "system_message"),
    ("log", "log"),
    ("problem", "problems"),
)


_DONE = {"deny": "denied", "allow": "allowed", "ask": "asked", "stop": "stopped", "rewrite": "rewritten"}


def title(report: LoggedReport) -> Content:
    """The decision, its hooks and reason, on one line."""
    text = (report["reason"] or "").strip().partition("\n")[0]
    head, style = _overruled(report) or _unknown_denial(report) or _failure(report) or _decided(report)
    return Content.assemble((head, style), f" ─ {one_line(text)}" if text else "")


def _decided(report: LoggedReport) -> Part:
    decision, effect = report["decision"], str(report["effect"])
    if effect == "none":
        return f"· {_nothing_decided(report)}", _MUTED
    glyph, style = DECISION_SIGNS.get(effect, ("·", ""))  # type: ignore[call-overload]  # a log may hold anything
    names = dict.fromkeys(one_line(run["label"]) for run in report["hooks"] if _took_part(run, decision, effect))
    word = _DONE.get(effect) or one_line(effect)
    return f"{glyph} {word} by {', '.join(names)}" if names else f"{glyph} {word}", style


def _overruled(report: LoggedReport) -> Part | None:
    names = ", ".join(dict.fromkeys(one_line(run["label"]) for run in report["hooks"] if run["decision"] in _DENIALS))
    said = f"▲ denied by {names or UNKNOWN_HOOK}, but {what_went_on(report['event'])}{listed_mods.overruled_by(report)}"
    return (said, "$warning") if report["overruled"] else None


def _unknown_denial(report: LoggedReport) -> Part | None:
    denied = report["decision"] in _DENIALS or report["outcome"] == "denied-by-hook"
    is_known = any(run["decision"] in _DENIALS for run in report["hooks"])
    return (f"✕ denied by {UNKNOWN_HOOK}", "$error") if denied and not is_known else None


def _failure(report: LoggedReport) -> Part | None:
    failed = [run for run in report["hooks"] if run["state"] in (*FAILURES, "interrupted")]
    if not failed or report["effect"] != "none":
        return None
    names = ", ".join(dict.fromkeys(one_line(run["label"]) for run in failed))
    return f"▲ {f'{NOT_CHECKED} ─ {names}' if report['event'] in GATES else f'failed: {names}'}", "$warning"


def _nothing_decided(report: LoggedReport) -> str:
    word = OUTCOMES.get(report["outcome"] or "", "")
    if word or ran(report):
        return word or "no objections"
    return {"all": "no hook ran", "some": "no recorded hook ran"}.get(report["hooks_recorded"], "nothing recorded")


def _took_part(run: RunReport, decision: str, effect: str) -> bool:
    """Whether a run is a reason for what its event did."""
    if effect == "rewrite":
        return run["modified_input"] is not None
    return bool(run["additional_context"]) if effect == "context" else run["decision"] == decision != "none"


def about(report: LoggedReport) -> Content:
    """The tool and its command or file, or the event's subject."""
    tool, subject = one_line(report["tool_name"] or ""), event_subject.of_payload(report["payload"])
    shown = event_subject.near(subject, report["project"])
    return Content.assemble((f"{tool} ", "bold") if tool else "", one_line(shown))


def hook_line(run: RunReport, width: int) -> Content:
    """A hook that ran: outcome, decision, duration, why it ran; below, its reason."""
    glyph, style = _RUN_SIGNS.get(run["state"], _TROUBLE)
    decided = DECISION_SIGNS.get(run["decision"], ("", ""))[1]
    took = "" if run["state"] == "started" else duration(run["duration_ms"])
    head = Content.assemble(
        (f"{glyph} ", style),
        (fit(one_line(run["label"]), _name_width(width)), "bold"),
        (f" {fit(_ending(run), 16)}", style),
        (f" {fit('' if run['decision'] == 'none' else one_line(run['decision']), 5)}", decided),
        (fit(took, 9, right=True), _MUTED),
    )
    reason = [(run["reason"], decided)] if run["reason"] else []
    return _below(head, (run["why"], _MUTED), [*reason, *((problem, "$warning") for problem in run["problems"])], width)


def missed_line(run: RunReport, width: int, *, is_here: bool = True) -> Content:
    """A hook that did not run or was not recorded: the reason, and the remedy on this machine or on its own."""
    remedy, how = _REMEDIES.get(run["skip"] or "", ("", ""))
    remedy += how if is_here or not remedy else " on its machine"
    is_unknown = run["state"] == "unrecorded"
    word = "not recorded" if is_unknown else _MISSED.get(run["skip"] or "", (run["skip"] or "").replace("-", " "))
    head = Content.assemble(
        ("? " if is_unknown else "∅ ", _MUTED),
        (fit(one_line(run["label"]), _name_width(width)), "bold"),
        (f" {fit(word, 16)}", "$warning" if remedy else _MUTED),
    )
    return _below(head, (run["why"], ""), [(remedy, "$accent")] if remedy else [], width)


def ran(report: LoggedReport) -> list[RunReport]:
    """The hooks that ran: those that decided first, then those that failed."""
    runs = [run for run in report["hooks"] if run["state"] not in _NOT_RUN]
    return sorted(runs, key=lambda run: (run["decision"] not in _DECIDING, run["state"] not in (*FAILURES, "interrupted")))


def missed(report: LoggedReport) -> list[RunReport]:
    """The hooks that did not run: those first that the user can do something about, then those that may have run."""
    runs = [run for run in report["hooks"] if run["state"] in _NOT_RUN]
    return sorted(runs, key=lambda run: (run["skip"] not in _REMEDIES, run["state"] != "unrecorded"))


def unapproved(report: LoggedReport) -> list[RunReport]:
    """The hooks that did not run because they need approval."""
    return [run for run in missed(report) if run["skip"] == "untrusted"]


def missed_note(report: LoggedReport, *, is_here: bool = True) -> Content:
    """How many hooks did not run, with the keys for them unless they are on another machine; empty if all ran."""
    skipped, waiting = len(missed(report)), len(unapproved(report))
    if report.get("synthetic"):
        return Content.styled("A try: only this hook ran.", _MUTED)
    if not report["hooks"] and report["hooks_recorded"] == "all":
        return Content.styled("No hooks listen to this event.", _MUTED)
    if not ran(report) and report["hooks_recorded"] != "all":
        note = Content.styled(not_recorded(report["host"]), _MUTED)
    else:
        note = Content.styled(hint(f"∅ {skipped} skipped · {{why-not}} why") if skipped else "", _MUTED)
    noun = "hook needs" if waiting == 1 else "hooks need"
    review = hint(" · {approve} review") if is_here else ""
    return Content.assemble(note, (f"  ◌ {waiting} {noun} approval{review}" if waiting else "", "$warning"))


def not_recorded(host: str) -> str:
    """The note in place of hooks whose runs the host does not record."""
    return f"Not recorded: {rows.host_title(host)} does not record hooks that say nothing."


def has_content(report: LoggedReport, tab: str) -> bool:
    """Whether a tab has something to show."""
    match tab:
        case "hooks":
            return bool(ran(report))
        case "why-not":
            return bool(missed(report))
        case "output":
            return any(True for _ in _printed(report["hooks"]))
        case "effects":
            return any(True for _ in _changed(report))
    return bool(report["payload"])


def _name_width(width: int) -> int:
    return min(max(width // 4, _NAME), _LONG_NAME)


def _below(head: Content, beside: Part, below: Iterable[Part], width: int) -> Content:
    """A head with a text beside it if it fits, else below it with the others."""
    text, style = one_line(beside[0].strip()), beside[1]
    fits = head.cell_length + 2 + cell_len(text) <= width
    first = Content.assemble(head, "  ", (text, style)) if fits else head
    parts = ([] if fits else [beside]) + list(below)
    lines = [(one_line(line), style) for part, style in parts for line in part.strip().splitlines()]
    wrapped = [(line, style) for text, style in lines for line in wrap(text, max(width - _INDENT, 20))]
    return Content("\n").join([first, *(Content.assemble(" " * _INDENT, part) for part in wrapped)])


def output(report: LoggedReport) -> Content:
    """What each hook printed, by stream."""
    return _joined(_printed(report["hooks"])) or Content.styled("The hooks printed nothing.", _MUTED)


def effects(report: LoggedReport) -> Content:
    """What the hooks changed or told the agent, in order."""
    return _joined(_changed(report)) or Content.styled("No hook changed the input or sent anything to the agent.", _MUTED)


def marked(content: Content, shown: re.Pattern[str] | None) -> Content:
    """Highlight what was searched for."""
    return content.highlight_regex(shown, style=_MATCH) if shown else content


def holding(report: LoggedReport, shown: re.Pattern[str]) -> list[str]:
    """The tabs that contain what was searched for."""
    runs = {"hooks": (hook_line, ran(report)), "why-not": (missed_line, missed(report))}
    texts = {name: "\n".join(line(run, _WIDE).plain for run in of_tab) for name, (line, of_tab) in runs.items()}
    texts |= {"input": "\n".join(_leaves(report["payload"])), "output": output(report).plain, "effects": effects(report).plain}
    return [name for name, text in texts.items() if shown.search(text)]


def _leaves(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        for key, child in value.items():
            yield str(key)
            yield from _leaves(child)
    elif isinstance(value, list):
        for child in value:
            yield from _leaves(child)
    else:
        yield value if isinstance(value, str) else json.dumps(value)


def _ending(run: RunReport) -> str:
    state = str(run["state"])
    if state not in ("ok", "failed") or not (run["exit_code"] or run["signal"]):
        return state
    how = f"signal {run['signal']}" if run["signal"] else f"exit {run['exit_code']}"
    return how if state == "ok" else f"{state} {how}"


def _printed(runs: Iterable[RunReport]) -> Iterator[Content]:
    for run in runs:
        for stream in ("stdout", "stderr"):
            if run[stream].strip():
                cut = " (truncated)" if run["truncated"] else ""
                yield _section(f"{run['label']} {stream}{cut}", shortened(run[stream]))


def _changed(report: LoggedReport) -> Iterator[Content]:
    before = event_subject.tool_input_of(report["payload"])
    for run in report["hooks"]:
        if run["modified_input"] is not None:
            lines = unified_diff(_json_lines(before), _json_lines(run["modified_input"]), lineterm="", n=3)
            yield _section(f"{run['label']} rewrote the input", "", difference_text("\n".join(lines)))
            before = run["modified_input"]
        values: Mapping[str, object] = run
        for label, name in _EFFECTS:
            for text in _texts(values[name]):
                yield _section(f"{run['label']} {label}", shortened(text))
    for text in report["warnings"]:
        yield _section("warning", shortened(text))


def _texts(value: object) -> Sequence[str]:
    return [str(text) for text in value] if isinstance(value, list) else [str(value)] if value else []


def difference_text(unified: str) -> Content:
    """A unified diff without the lines that name the files."""
    lines = shortened("\n".join(unified.split("\n")[2:])).split("\n")
    return Content("\n").join(map(_difference_line, lines))


def _difference_line(line: str) -> Content:
    style = {"+": "$success", "-": "$error", "@": "$primary"}.get(line[:1], "")
    return Content.styled(line, style) if style else Content(line)


def _json_lines(value: Any) -> list[str]:
    return json.dumps(value, indent=2, ensure_ascii=False).splitlines()


def shortened(text: str) -> str:
    """Make a text safe to show; the middle of a very long one is left out."""
    lines = [line[:_LETTERS_SHOWN] + ("…" if len(line) > _LETTERS_SHOWN else "") for line in visible(text.rstrip()).split("\n")]
    left_out = len(lines) - _LINES_SHOWN
    if left_out > 0:
        half = _LINES_SHOWN // 2
        lines[half:-half] = [f"… {left_out:,} lines left out (`hooktui show` prints all) …"]
    return "\n".join(lines)


def _section(head: str, text: str, body: Content | None = None) -> Content:
    return Content.assemble((one_line(head), _HEAD), "\n", body or Content(text))


def _joined(sections: Iterable[Content]) -> Content | None:
    parts = list(sections)
    return Content("\n\n").join(parts) if parts else None
