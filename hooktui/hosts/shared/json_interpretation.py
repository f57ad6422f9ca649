"""What the hosts of JSON hook files make of a hook that has ended (formats.md §3; seed 003; seen in Claude Code 2.1.197).

They differ as HostSpec.speech says.
"""

from __future__ import annotations

from hooktui.core import fast_json
from hooktui.core.events import GATES
from hooktui.core.model import Outcome
from hooktui.hosts.shared import json_answers
from hooktui.hosts.shared.interpretation import RunResult, blocked_by_exit_2, failed, failure, invalid, parse, unfenced

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hooktui.core.model import Event, Hook
    from hooktui.hosts.shared.interpretation import Ended
    from hooktui.hosts.shared.spec import HostSpec

_TEXT_IS_CONTEXT = ("pre-session", "pre-agent-turn")


def interpret(spec: HostSpec, hook: Hook, event: Event, ended: Ended) -> RunResult:
    """The host's view of a process that has ended; never raises."""
    if spec.speech.reads_stderr and hook.type == "command":
        return _either_stream(spec, hook, event, ended)
    if ended.exit_code and ended.exit_code == spec.speech.stop_exit and spec.denies_by_exit_2(event.name):
        reason = ended.stderr.decode(errors="replace").strip() or f"Blocked by hook {hook.label}"
        return RunResult(state="ok", outcome=Outcome(decision="stop", reason=reason))
    problem = failure(hook, ended)
    if problem and _fail_mode_denies(spec, hook):
        return _failed_closed(spec, hook, failed(ended, problem))
    if problem is None:
        return _denied(spec, hook, event, ended) if ended.exit_code == 2 else _answer(spec, hook, event, ended)
    if spec.speech.answers_at_any_exit and ended.exit_code is not None and ended.stdout.lstrip().startswith(b"{"):
        result = _answer(spec, hook, event, ended)
        if result.state == "ok":
            return result
        problem = f"{problem}, and {result.outcome.problems[0]}"
    result = failed(ended, problem)
    closed = spec.fails_closed(event.name) and hook.type == "command" and not ended.timed_out
    return _failed_closed(spec, hook, result) if closed else result


def _either_stream(spec: HostSpec, hook: Hook, event: Event, ended: Ended) -> RunResult:
    """The view of a host that reads stderr where stdout is empty, and obeys JSON at any exit code."""
    problem, speech = failure(hook, ended), spec.speech
    at_2 = ended.exit_code == 2
    if ended.exit_code is None or ended.timed_out or ended.overflow:
        return failed(ended, problem or "stdout is longer than 10 MiB")
    printed = b"" if at_2 and speech.stderr_alone_at_exit_2 else ended.stdout.strip()
    text = (printed or ended.stderr.strip()).decode(errors="replace")
    if answer := fast_json.parse_object(text):
        return _interpret(spec, hook, event, answer)
    if at_2 or (speech.failure_denies and ended.exit_code > 1):
        return _denied_by_text(spec, hook, event, ended, text)
    if problem:
        return failed(ended, problem)
    if text.startswith("{"):
        return parse(ended, text, lambda answer: _interpret(spec, hook, event, answer))
    is_context = speech.text_becomes_context and bool(printed) and event.name in _TEXT_IS_CONTEXT
    outcome = Outcome(additional_context=text or None) if is_context else Outcome(system_message=text or None)
    return RunResult(state="ok", outcome=outcome)


def _denied_by_text(spec: HostSpec, hook: Hook, event: Event, ended: Ended, reason: str) -> RunResult:
    """A denial by an exit code; one without a reason denies nothing."""
    if not spec.denies_by_exit_2(event.name):
        return _denied(spec, hook, event, ended)
    if not reason:
        problem = f"exit {ended.exit_code} printed no reason: {spec.title} takes that as no objection"
        return RunResult(state="ok", outcome=Outcome(problems=(problem,)))
    return RunResult(state="ok", outcome=Outcome(decision="deny", via="exit-2", reason=reason))


def _fail_mode_denies(spec: HostSpec, hook: Hook) -> bool:
    """Whether the entry makes its failures deny, and the host obeys that."""
    return hook.fail_mode == "block" and not hook.is_async and spec.obeys_fail_mode(hook.event_as_written)


def _failed_closed(spec: HostSpec, hook: Hook, result: RunResult) -> RunResult:
    """The failure as a denial, where exit 2 can deny the event."""
    if not spec.denies_by_exit_2(hook.event):
        return result
    reason = f"Hook {hook.label} {result.outcome.problems[0]}"
    return result.replace(outcome=result.outcome.replace(decision="deny", reason=reason))


def _denied(spec: HostSpec, hook: Hook, event: Event, ended: Ended) -> RunResult:
    if not spec.denies_by_exit_2(event.name):
        verb = "stops" if event.name in GATES else "continues"
        problem = f"no exit code can deny {hook.event_as_written} in {spec.title}: the agent {verb}"
        return RunResult(state="ok", outcome=Outcome(via="exit-2", problems=(problem,)))
    if excuse := _excuse(spec, event, ended):
        problem = f"{spec.title} takes “{excuse}” for a missing script, which denies nothing here: the agent stops"
        return RunResult(state="ok", outcome=Outcome(via="exit-2", problems=(problem,)))
    result = blocked_by_exit_2(hook, ended)
    printed = fast_json.parse_object(ended.stdout) if spec.speech.json_at_exit_2 else {}
    if reason := json_answers.permission_reason(printed):
        return result.replace(outcome=result.outcome.replace(reason=reason))
    return result


def _excuse(spec: HostSpec, event: Event, ended: Ended) -> str:
    """The text on stderr that makes the host ignore an exit 2, "" if there is none."""
    return "" if ended.stdout.strip() else spec.excuse(event.name, ended.stderr.decode(errors="replace"))


def _answer(spec: HostSpec, hook: Hook, event: Event, ended: Ended) -> RunResult:
    text = ended.stdout.decode(errors="replace")
    if spec.speech.progress:
        text = "".join(line for line in text.splitlines(keepends=True) if not _is_progress(line))
    text = unfenced(text) if hook.type == "prompt" else text.strip()
    if text.startswith("{") or ended.overflow:
        return parse(ended, text, lambda answer: _interpret(spec, hook, event, answer))
    is_read = event.name in _TEXT_IS_CONTEXT and spec.obeys(hook.event_as_written) != ()
    context = text if spec.speech.text_becomes_context and is_read else None
    return RunResult(state="ok", outcome=Outcome(additional_context=context or None))


def _interpret(spec: HostSpec, hook: Hook, event: Event, answer: dict[str, Any]) -> RunResult:
    if hook.type == "prompt":
        return json_answers.model_answer(spec, hook, event, answer)
    faults = json_answers.faults(answer, event, spec) if spec.speech.strict else ()
    if faults:
        rejected = invalid(*faults)
        return _failed_closed(spec, hook, rejected) if _fail_mode_denies(spec, hook) else rejected
    return RunResult(state="ok", outcome=json_answers.outcome(spec, hook, event, answer))


def _is_progress(line: str) -> bool:
    """Whether a line is `{"type": "progress", …}`, which Copilot shows and removes from the answer."""
    return '"progress"' in line and fast_json.parse_object(line).get("type") == "progress"
