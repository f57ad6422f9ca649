"""What the hosts of JSON hook files make of a hook that has ended (formats.md §3; seed 003; seen in Claude Code 2.1.197).

They differ in the facts and methods of Host.
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
    from hooktui.hosts.base import Host
    from hooktui.hosts.shared.interpretation import Ended

_TEXT_IS_CONTEXT = ("pre-session", "pre-agent-turn")


def interpret(host: Host, hook: Hook, event: Event, ended: Ended) -> RunResult:
    """The host's view of a process that has ended; never raises."""
    problem = failure(hook, ended)
    if problem and _fail_mode_denies(host, hook):
        return _failed_closed(host, hook, failed(ended, problem))
    if problem is None:
        return _denied(host, hook, event, ended) if ended.exit_code == 2 else _answer(host, hook, event, ended)
    if host.answers_at_any_exit and ended.exit_code is not None and _text(host, ended.stdout).startswith("{"):
        result = _answer(host, hook, event, ended)
        if result.state == "ok":
            return result
        problem = f"{problem}, and {result.outcome.problems[0]}"
    result = failed(ended, problem)
    closed = host.fails_closed(event.name) and hook.type == "command" and not ended.timed_out
    return _failed_closed(host, hook, result) if closed else result


def either_stream(
    host: Host, hook: Hook, event: Event, ended: Ended, *, failure_denies: bool = False, stdout_at_exit_2: bool = False
) -> RunResult:
    """The view of a host that reads stderr where stdout is empty, and obeys JSON at any exit code.

    An exit 2 without a text denies nothing. With `failure_denies`, text denies at every exit code but 0 and 1;
    `stdout_at_exit_2`: stdout is read there, too.
    """
    problem, at_2 = failure(hook, ended), ended.exit_code == 2
    if ended.exit_code is None or ended.timed_out or ended.overflow:
        return failed(ended, problem or "stdout is longer than 10 MiB")
    printed = "" if at_2 and not stdout_at_exit_2 else _text(host, ended.stdout)
    text = printed or _text(host, ended.stderr)
    if answer := fast_json.parse_object(text):
        return _interpret(host, hook, event, answer)
    if at_2 or (failure_denies and ended.exit_code > 1):
        return _denied_by_text(host, hook, event, ended, text)
    if problem:
        return failed(ended, problem)
    if text.startswith("{"):
        return parse(ended, text, lambda answer: _interpret(host, hook, event, answer))
    is_context = host.text_becomes_context and bool(printed) and event.name in _TEXT_IS_CONTEXT
    outcome = Outcome(additional_context=text or None) if is_context else Outcome(system_message=text or None)
    return RunResult(state="ok", outcome=outcome)


def _denied_by_text(host: Host, hook: Hook, event: Event, ended: Ended, reason: str) -> RunResult:
    """A denial by an exit code; one without a reason denies nothing."""
    if not host.denies_by_exit_2(event.name):
        return _denied(host, hook, event, ended)
    if not reason:
        problem = f"exit {ended.exit_code} printed no reason: {host.title} takes that as no objection"
        return RunResult(state="ok", outcome=Outcome(problems=(problem,)))
    return RunResult(state="ok", outcome=Outcome(decision="deny", via="exit-2", reason=reason))


def _fail_mode_denies(host: Host, hook: Hook) -> bool:
    """Whether the entry makes its failures deny, and the host obeys that."""
    return hook.fail_mode == "block" and not hook.is_async and host.obeys_fail_mode(hook.event_as_written)


def _failed_closed(host: Host, hook: Hook, result: RunResult) -> RunResult:
    """The failure as a denial, where exit 2 can deny the event."""
    if not host.denies_by_exit_2(hook.event):
        return result
    reason = f"Hook {hook.label} {result.outcome.problems[0]}"
    return result.replace(outcome=result.outcome.replace(decision="deny", reason=reason))


def _denied(host: Host, hook: Hook, event: Event, ended: Ended) -> RunResult:
    if not host.denies_by_exit_2(event.name):
        verb = "stops" if event.name in GATES else "continues"
        problem = f"no exit code can deny {hook.event_as_written} in {host.title}: the agent {verb}"
        return RunResult(state="ok", outcome=Outcome(via="exit-2", problems=(problem,)))
    if excuse := _excuse(host, event, ended):
        problem = f"{host.title} takes “{excuse}” for a missing script, which denies nothing here: the agent stops"
        return failed(ended, problem)
    return blocked_by_exit_2(hook, ended)


def _excuse(host: Host, event: Event, ended: Ended) -> str:
    """The text on stderr that makes the host ignore an exit 2, "" if there is none."""
    return "" if ended.stdout.strip() else host.excuse(event.name, ended.stderr.decode(errors="replace"))


def _text(host: Host, output: bytes) -> str:
    return host.answer_text(output.decode(errors="replace")).strip(host.blanks)


def _answer(host: Host, hook: Hook, event: Event, ended: Ended) -> RunResult:
    text = _text(host, ended.stdout)
    text = unfenced(text) if hook.type == "prompt" else text
    if text.startswith("{") or ended.overflow:
        return parse(ended, text, lambda answer: _interpret(host, hook, event, answer))
    is_read = event.name in _TEXT_IS_CONTEXT and host.obeys(hook.event_as_written) != ()
    context = text if host.text_becomes_context and is_read else None
    return RunResult(state="ok", outcome=Outcome(additional_context=context or None))


def _interpret(host: Host, hook: Hook, event: Event, answer: dict[str, Any]) -> RunResult:
    if hook.type == "prompt":
        return json_answers.model_answer(host, hook, event, answer)
    if faults := host.answer_faults(answer, event):
        rejected = invalid(*faults)
        return _failed_closed(host, hook, rejected) if _fail_mode_denies(host, hook) else rejected
    return RunResult(state="ok", outcome=json_answers.outcome(host, hook, event, answer))
