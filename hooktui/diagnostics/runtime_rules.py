"""Problems that the log shows (experience.md §4): hooks that run without effect.

The rules look at a hook and its history as plain data; `merged` adds their results to those without a log.
"""

from __future__ import annotations

import re
import time
from operator import attrgetter
from typing import TYPE_CHECKING, Any, NamedTuple

from hooktui import hosts
from hooktui.core import fast_json
from hooktui.core.events import GATE
from hooktui.core.model import AzureEntry, HookDirectory
from hooktui.diagnostics import exit_rules, output_rules, script_text
from hooktui.diagnostics.codes import CODES
from hooktui.diagnostics.exit_rules import BLOCK_WORDS, OVER
from hooktui.diagnostics.output_rules import Fault
from hooktui.diagnostics.rule_context import HostPlaces, at_field
from hooktui.diagnostics.script_text import texts
from hooktui.formats.diagnostic_collector import shortened

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

    from hooktui.core.model import Diagnostic, Hook
    from hooktui.formats.source_cache import Sources
    from hooktui.log.read.hook_history import LoggedRun, RunHistory

    _Rule = Callable[[Hook, LoggedRun], Fault | None]

RUNS = 3  # runs that must all have failed before a hook is reported
EVENTS = 500  # unmatched events before a matcher is reported
_TOOLS = 5
_NOT_STARTED = (126, 127)  # a shell's exit codes for a command that it cannot start
_WHERE = attrgetter("file", "line", "column")
_FIRST_LINE = re.compile(r"[^\r\n]*")
# Codes of possible causes.
_CAUSES: Mapping[str, tuple[str, ...]] = {
    "bad-command": ("missing-script", "missing-program", "not-executable", "no-shebang"),
    "never-fires": ("weak-exit", "missing-script", "missing-program", "bad-command", "unit-suspect"),
}
_QUOTED = 80
# System errors that contain words of blocking.
_SYSTEM_ERROR = re.compile(
    r"(?:permission|access) denied|connection refused|operation not permitted|non-?blocking", re.IGNORECASE
)


class LastSeen(NamedTuple):
    """A problem seen in the log, located in the hook's files, with its frequency in words."""

    fault: Fault
    diagnostic: Diagnostic
    often: str


def sightings(hooks: Iterable[Hook], histories: Mapping[str, RunHistory]) -> Iterator[LastSeen]:
    """The problems in the histories (by hook ID) of hooks that are enabled and can run; each code once per hook."""
    places = HostPlaces()
    for hook in hooks:
        history = histories.get(hook.id)
        if history and hook.enabled and not hook.obstacle:
            for fault, often in _faults(hook, history):
                yield LastSeen(fault, _placed(hook, fault, places), often)


def again(seen: Iterable[LastSeen], hooks: Iterable[Hook], paths: Collection[str], sources: Sources) -> Iterator[LastSeen]:
    """Sightings with the positions updated for hooks whose file is among `paths`."""
    by_id, places = {hook.id: hook for hook in hooks}, HostPlaces(sources)
    for sighting in seen:
        hook = by_id.get(sighting.diagnostic.hook or "")
        if hook is None or hook.file not in paths:
            yield sighting
        else:
            yield sighting._replace(diagnostic=_placed(hook, sighting.fault, places))


def merged(diagnostics: Iterable[Diagnostic], seen: Iterable[LastSeen]) -> list[Diagnostic]:
    """Merge diagnostics and sightings. A problem found both ways is reported once, with its frequency."""
    result = list(diagnostics)
    for sighting in seen:
        new = sighting.diagnostic
        at = next((at for at, diagnostic in enumerate(result) if _is_same(diagnostic, new)), None)
        if at is None:
            result.append(_counted(new, sighting))
        elif result[at].hook == new.hook:  # another hook may run the same script
            result[at] = _counted(result[at], sighting)
    return result


def _is_same(old: Diagnostic, new: Diagnostic) -> bool:
    """Whether both are the same problem: same code for the same hook or place, or cause and effect."""
    codes = (new.code, *_CAUSES.get(new.code, ()))
    return (old.hook == new.hook and old.code in codes) or (old.code == new.code and _WHERE(old) == _WHERE(new))


def _counted(diagnostic: Diagnostic, sighting: LastSeen) -> Diagnostic:
    return diagnostic.replace(message=f"{shortened(diagnostic.message)}; {sighting.often}")


def _faults(hook: Hook, history: RunHistory) -> Iterator[tuple[Fault, str]]:
    faulty: dict[str, list[tuple[Fault, LoggedRun]]] = {}
    for run in history.runs:
        fault = next(filter(None, (rule(hook, run) for rule in _RULES)), None)  # a failure alone is none
        if fault:
            faulty.setdefault(fault.code, []).append((fault, run))
    for seen in faulty.values():
        fault, newest = seen[0]
        yield fault, _often(len(seen), history.runs, newest)
    if not faulty:
        yield from _never_works(hook, history)
    yield from _never_matches(history)
    if count := history.skips.get("bad-matcher"):  # a matcher that is not valid is an obstacle, and not looked for here
        message, hint = "matching took too long, so the hook did not run", "rewrite it without nested repetitions"
        field = "matcher.pattern" if hook.pattern is not None else "matcher.tool"
        often = "seen at 1 event" if count == 1 else f"seen at {count} events"
        yield Fault("slow-regex", message, hint, field=field), often


def _never_works(hook: Hook, history: RunHistory) -> Iterator[tuple[Fault, str]]:
    """Every run failed or could not start. Transcripts leave out runs that succeeded in silence, but none that never start."""
    ran = history.runs
    if len(ran) < RUNS or any(run.state not in ("failed", "timeout") for run in ran):
        return
    why = f"{'; '.join(ran[0].problems)}{f', stderr {_quoted(ran[0].stderr)}' if ran[0].stderr.strip() else ''}"
    often = _often(len(ran), ran, ran[0], "it failed")
    if hook.type == "command" and all(map(_not_started, ran)):
        yield Fault("bad-command", f"the hook cannot start: {why}", "fix the command or install what it needs"), often
    elif not any(run.is_told for run in ran):
        yield Fault("never-fires", f"every run of the hook fails: {why}", "run `hooktui try` to see the error"), often


def _not_started(run: LoggedRun) -> bool:
    ended = run.exit_code is not None or run.signal is not None
    return run.state == "failed" and (not ended or run.exit_code in _NOT_STARTED)


def _never_matches(history: RunHistory) -> Iterator[tuple[Fault, str]]:
    """No event matched. A pattern may guard against something rare, so that is only info."""
    if history.matched or history.unmatched < EVENTS:
        return
    often = f"0 of the last {history.unmatched} events, the latest on {_moment(history.unmatched_at)}"
    if history.skips.get("pattern-mismatch"):
        yield Fault("matches-nothing", "the pattern has matched nothing so far", field="matcher.pattern"), often
        return
    hint = f"tools in these events: {', '.join(history.tools[:_TOOLS])}" if history.tools else ""
    yield Fault("matches-nothing", "the matcher has matched nothing so far", hint, field="matcher.tool"), often


def _often(count: int, ran: Sequence[LoggedRun], newest: LoggedRun, what: str = "seen") -> str:
    total, kind = len(ran), "reported runs" if any(run.is_told for run in ran) else "runs"
    share = f"all of its last {total} {kind}" if count == total else f"{count} of its last {total} {kind}"
    only = f"its only {kind.removesuffix('s')}"
    return f"{what} in {only if total == 1 else share}, most recently on {_moment(newest.at)}"


def _moment(seconds: float) -> str:
    return time.strftime("%Y-%m-%d %H:%M", time.localtime(seconds))


def _placed(hook: Hook, fault: Fault, places: HostPlaces) -> Diagnostic:
    rare = fault.code == "matches-nothing" and fault.field == "matcher.pattern"
    severity = "info" if rare else CODES[fault.code].severity
    if not fault.field:
        diagnostic = _at_action(hook, fault, places)
    elif isinstance(hook.source, HookDirectory):
        diagnostic = at_field(hook, fault.field, severity, fault.code, fault.message, fault.hint)
    else:
        diagnostic = places.at(hook, places.node(hook, "matcher"), severity, fault.code, fault.message, hint=fault.hint)
    return diagnostic.replace(severity=severity, hosts=fault.hosts)


def _at_action(hook: Hook, fault: Fault, places: HostPlaces) -> Diagnostic:
    """A diagnostic at the `exit 1`, else at the start of the script or command, else at the event."""
    script = script_text.read(hook)
    run = [script] if script else [] if isinstance(hook.source, HookDirectory) else list(texts(hook, places))
    exits = ((text, exit_rules.EXIT_1.search(text.text)) for text in run if fault.code == "weak-exit")
    begin = ((text, _FIRST_LINE.match(text.text)) for text in run)
    for text, match in (*exits, *begin):
        if match:
            return text.warn(fault.code, fault.message, match.span(), fault.hint)
    return at_field(hook, "trigger", "warning", fault.code, fault.message, fault.hint)


# What a single run shows -----------------------------------------------------------------------------------------------------


def _quoted(text: str) -> str:
    """The start of a hook's output on one line."""
    return f"“{shortened(' '.join(text.split()), _QUOTED)}”"


def _unusable(hook: Hook, run: LoggedRun) -> Fault | None:
    if run.state != "invalid-output":
        return None
    message = f"the answer has no effect: {'; '.join(run.problems)}; the hook printed {_quoted(run.stdout)}"
    return Fault("host-rejects-output", message, "print one JSON object that the host accepts, or nothing", _own_host(hook))


def _weak_exit(hook: Hook, run: LoggedRun) -> Fault | None:
    """Exit 1 with words of blocking, unless a failure denies."""
    failed_open = run.state == "failed" and run.exit_code == 1 and run.decision == "none"
    if not failed_open or hook.is_async or hook.event in OVER or not BLOCK_WORDS.search(_SYSTEM_ERROR.sub("", run.stderr)):
        return None
    message = f"exit 1 is a failure and allows the action; only exit 2 blocks; stderr was {_quoted(run.stderr)}"
    return Fault("weak-exit", message, "exit 2 with the reason on stderr", _own_host(hook))


def _missed(hook: Hook, run: LoggedRun) -> Fault | None:
    """A Stop block where a host does not look."""
    if hook.event != GATE:
        return None
    top = _answer(hook, run).get("decision") == "block"
    nested = _specific(hook, run).get("decision") == "block"
    return output_rules.missing_block(hosts.readers(hook.format), at_top=top, nested=nested)


def _dropped(hook: Hook, run: LoggedRun) -> Fault | None:
    if run.state != "ok" or not run.problems:
        return None
    if isinstance(hook.source, AzureEntry):
        return Fault("host-misses-block", run.problems[0], "give a reason, on stderr with exit 2", _own_host(hook))
    message = f"part of the answer is ignored: {'; '.join(run.problems)}"
    return Fault("host-rejects-output", message, "print only fields that this event supports", _own_host(hook))


_RULES: tuple[_Rule, ...] = (_unusable, _weak_exit, _missed, _dropped)


def _own_host(hook: Hook) -> tuple[str, ...]:
    """The hook's host; AgentHooks has none."""
    return () if isinstance(hook.source, HookDirectory) else (hook.format,)


def _specific(hook: Hook, run: LoggedRun) -> dict[str, Any]:
    specific = _answer(hook, run).get("hookSpecificOutput")
    return specific if isinstance(specific, dict) else {}


def _answer(hook: Hook, run: LoggedRun) -> dict[str, Any]:
    """The JSON that a hook printed; empty if it is not JSON or was too long for the log."""
    readable = hosts.json_spec(hook.format) and run.state == "ok"
    return fast_json.parse_object(run.stdout) if readable else {}
