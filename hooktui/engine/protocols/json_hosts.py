"""The stdin and answers of hooks in JSON files (formats.md §3; seed 003; seen in Claude Code 2.1.197).

One protocol for all their hosts, which differ as HostSpec.speech says.
"""

from __future__ import annotations

import time

from hooktui import hosts
from hooktui.core import fast_json
from hooktui.core.events import GATES
from hooktui.core.model import Outcome
from hooktui.core.records import Record
from hooktui.engine.protocols import RunResult, blocked_by_exit_2, failed, failure, invalid, json_answers, parse, unfenced

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hooktui.core.model import Event, Hook
    from hooktui.engine.process import Ended
    from hooktui.hosts import HostSpec

_TEXT_IS_CONTEXT = ("pre-session", "pre-agent-turn")


class _Protocol(Record):
    """The protocol of one host."""

    spec: HostSpec

    def stdin(self, hook: Hook, event: Event) -> dict[str, Any]:
        """The host's payload for an event."""
        if self.spec.speech.camel_payloads and hook.event_as_written[:1].islower():
            return camel_case(event, self.spec)
        return snake_case(self.spec, hook, event)

    def read(self, hook: Hook, event: Event, ended: Ended) -> RunResult:
        """The host's view of a process that has ended; never raises."""
        if self.spec.speech.reads_stderr and hook.type == "command":
            return self._either_stream(hook, event, ended)
        if ended.exit_code and ended.exit_code == self.spec.speech.stop_exit and self.spec.denies_by_exit_2(event.name):
            reason = ended.stderr.decode(errors="replace").strip() or f"Blocked by hook {hook.label}"
            return RunResult(state="ok", outcome=Outcome(decision="stop", reason=reason))
        problem = failure(hook, ended)
        if problem and self._fail_mode_denies(hook):
            return self._failed_closed(hook, failed(ended, problem))
        if problem is None:
            return self._denied(hook, event, ended) if ended.exit_code == 2 else self._answer(hook, event, ended)
        if self.spec.speech.answers_at_any_exit and ended.exit_code is not None and ended.stdout.lstrip().startswith(b"{"):
            result = self._answer(hook, event, ended)
            if result.state == "ok":
                return result
            problem = f"{problem}, and {result.outcome.problems[0]}"
        result = failed(ended, problem)
        closed = self.spec.fails_closed(event.name) and hook.type == "command" and not ended.timed_out
        return self._failed_closed(hook, result) if closed else result

    def _either_stream(self, hook: Hook, event: Event, ended: Ended) -> RunResult:
        """The view of a host that reads stderr where stdout is empty, and obeys JSON at any exit code."""
        problem, speech = failure(hook, ended), self.spec.speech
        at_2 = ended.exit_code == 2
        if ended.exit_code is None or ended.timed_out or ended.overflow:
            return failed(ended, problem or "stdout is longer than 10 MiB")
        printed = b"" if at_2 and speech.stderr_alone_at_exit_2 else ended.stdout.strip()
        text = (printed or ended.stderr.strip()).decode(errors="replace")
        if answer := fast_json.parse_object(text):
            return self._interpret(hook, event, answer)
        if at_2 or (speech.failure_denies and ended.exit_code > 1):
            return self._denied_by_text(hook, event, ended, text)
        if problem:
            return failed(ended, problem)
        if text.startswith("{"):
            return parse(ended, text, lambda answer: self._interpret(hook, event, answer))
        is_context = speech.text_becomes_context and bool(printed) and event.name in _TEXT_IS_CONTEXT
        outcome = Outcome(additional_context=text or None) if is_context else Outcome(system_message=text or None)
        return RunResult(state="ok", outcome=outcome)

    def _denied_by_text(self, hook: Hook, event: Event, ended: Ended, reason: str) -> RunResult:
        """A denial by an exit code; one without a reason denies nothing."""
        if not self.spec.denies_by_exit_2(event.name):
            return self._denied(hook, event, ended)
        if not reason:
            problem = f"exit {ended.exit_code} printed no reason: {self.spec.title} takes that as no objection"
            return RunResult(state="ok", outcome=Outcome(problems=(problem,)))
        return RunResult(state="ok", outcome=Outcome(decision="deny", via="exit-2", reason=reason))

    def _fail_mode_denies(self, hook: Hook) -> bool:
        """Whether the entry makes its failures deny, and the host obeys that."""
        return hook.fail_mode == "block" and not hook.is_async and self.spec.obeys_fail_mode(hook.event_as_written)

    def _failed_closed(self, hook: Hook, result: RunResult) -> RunResult:
        """The failure as a denial, where exit 2 can deny the event."""
        if not self.spec.denies_by_exit_2(hook.event):
            return result
        reason = f"Hook {hook.label} {result.outcome.problems[0]}"
        return result.replace(outcome=result.outcome.replace(decision="deny", reason=reason))

    def _denied(self, hook: Hook, event: Event, ended: Ended) -> RunResult:
        if not self.spec.denies_by_exit_2(event.name):
            verb = "stops" if event.name in GATES else "continues"
            problem = f"no exit code can deny {hook.event_as_written} in {self.spec.title}: the agent {verb}"
            return RunResult(state="ok", outcome=Outcome(via="exit-2", problems=(problem,)))
        if excuse := self._excuse(event, ended):
            problem = f"{self.spec.title} takes “{excuse}” for a missing script, which denies nothing here: the agent stops"
            return RunResult(state="ok", outcome=Outcome(via="exit-2", problems=(problem,)))
        result = blocked_by_exit_2(hook, ended)
        printed = fast_json.parse_object(ended.stdout) if self.spec.speech.json_at_exit_2 else {}
        if reason := json_answers.permission_reason(printed):
            return result.replace(outcome=result.outcome.replace(reason=reason))
        return result

    def _excuse(self, event: Event, ended: Ended) -> str:
        """The text on stderr that makes the host ignore an exit 2, "" if there is none."""
        return "" if ended.stdout.strip() else self.spec.excuse(event.name, ended.stderr.decode(errors="replace"))

    def _answer(self, hook: Hook, event: Event, ended: Ended) -> RunResult:
        text = ended.stdout.decode(errors="replace")
        if self.spec.speech.progress:
            text = "".join(line for line in text.splitlines(keepends=True) if not _is_progress(line))
        text = unfenced(text) if hook.type == "prompt" else text.strip()
        if text.startswith("{") or ended.overflow:
            return parse(ended, text, lambda answer: self._interpret(hook, event, answer))
        is_read = event.name in _TEXT_IS_CONTEXT and self.spec.obeys(hook.event_as_written) != ()
        context = text if self.spec.speech.text_becomes_context and is_read else None
        return RunResult(state="ok", outcome=Outcome(additional_context=context or None))

    def _interpret(self, hook: Hook, event: Event, answer: dict[str, Any]) -> RunResult:
        if hook.type == "prompt":
            return json_answers.model_answer(self.spec, hook, event, answer)
        faults = json_answers.faults(answer, event, self.spec) if self.spec.speech.strict else ()
        if faults:
            rejected = invalid(*faults)
            return self._failed_closed(hook, rejected) if self._fail_mode_denies(hook) else rejected
        return RunResult(state="ok", outcome=json_answers.outcome(self.spec, hook, event, answer))


def of(spec: HostSpec) -> _Protocol:
    """The protocol of a host."""
    return _Protocol(spec=spec)


def _is_progress(line: str) -> bool:
    """Whether a line is `{"type": "progress", …}`, which Copilot shows and removes from the answer."""
    return '"progress"' in line and fast_json.parse_object(line).get("type") == "progress"


# AgentHooks names of fields -> the hosts' names.
_SNAKE = {"tool_output": "tool_response", "subagent_name": "agent_id", "subagent_type": "agent_type"}
_CAMEL = {"tool_input": "toolArgs", "tool_use_id": "toolCallId", "subagent_name": "agentName"}
_EVERY_STOP = {"stop_hook_active": False}  # in camelCase payloads too


def snake_case(spec: HostSpec, hook: Hook, event: Event) -> dict[str, Any]:
    """The payload with snake_case names; the session and the event have both spellings that hosts use."""
    own = event.payload if hosts.json_spec(event.host) and not is_camel_case(event) else {}
    fields = {_SNAKE.get(key, key): value for key, value in event.fields.items()}
    if spec.speech.prompt_parts and isinstance(fields.get("prompt"), str):
        fields["prompt"] = [{"type": "text", "text": fields["prompt"]}]
    if spec.speech.result_object and "tool_output" in event.fields:
        fields["tool_result"] = {"result_type": "success", "text_result_for_llm": _text(event.fields["tool_output"])}
    return {
        **_defaults(spec, event),
        **own,
        **fields,
        "session_id": event.session_id,
        "sessionId": event.session_id,
        "hook_event_name": hook.event_as_written,
        "hookEventName": hook.event_as_written,
        "timestamp": event.timestamp,
        "cwd": event.work_dir,
        "transcript_path": own.get("transcript_path") or event.payload.get("transcriptPath") or "",
    }


def camel_case(event: Event, spec: HostSpec) -> dict[str, Any]:
    """The payload with camelCase names; the timestamp is in milliseconds."""
    own = event.payload if event.host == spec.name and is_camel_case(event) else {}
    fields = {_CAMEL.get(key) or _camel(key): value for key, value in event.fields.items() if key != "tool_output"}
    if "tool_output" in event.fields and "toolResult" not in own:
        fields["toolResult"] = {"resultType": "success", "textResultForLlm": _text(event.fields["tool_output"])}
    session = {"sessionId": event.session_id, "cwd": event.work_dir}
    return {"timestamp": int(time.time() * 1000), **_defaults(spec, event), **fields, **own, **session}


def is_camel_case(event: Event) -> bool:
    """Whether the payload of an event is in camelCase; such a payload does not name its event."""
    return "hook_event_name" not in event.payload and "hookEventName" not in event.payload


def _defaults(spec: HostSpec, event: Event) -> dict[str, Any]:
    """The fields that every payload of an event has."""
    if event.name == "pre-session":
        return {"source": spec.speech.session_source}
    return dict(_EVERY_STOP) if event.name in GATES else {}


def _camel(name: str) -> str:
    first, *rest = [name] if name in _EVERY_STOP else name.split("_")
    return first + "".join(map(str.capitalize, rest))


def _text(value: Any) -> str:
    return value if isinstance(value, str) else fast_json.dumps(value, ascii_only=False)
