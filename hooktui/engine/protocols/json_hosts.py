"""What a hook of Claude Code, VS Code or Copilot CLI reads and says (formats.md §3; seed 003; seen in Claude Code 2.1.197).

One protocol with differences, which HostSpec.speech names: a person sees what the real host would do, not an average.
"""

from __future__ import annotations

import time

from hooktui import hosts
from hooktui.core import fast_json
from hooktui.core.events import GATE
from hooktui.core.model import Outcome
from hooktui.core.records import Record
from hooktui.engine.protocols import (
    Heard,
    blocked_by_exit_2,
    failed,
    failure,
    hear,
    invalid,
    json_answers,
    unfenced,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from hooktui.core.model import Event, Hook
    from hooktui.core.settings import Setting
    from hooktui.engine.process import Ended
    from hooktui.hosts import HostSpec

_TEXT_IS_CONTEXT = ("pre-session", "pre-agent-turn")


class _Protocol(Record):
    """What one host sends to its hooks and hears from them."""

    spec: HostSpec

    def stdin(self, hook: Hook, event: Event) -> dict[str, Any]:
        """The payload that the host would send."""
        if self.spec.speech.camel_payloads and hook.event_as_written[:1].islower():
            return camel_case(event, self.spec)
        return snake_case(self.spec, hook, event)

    def environment(self, hook: Hook, setting: Setting) -> Mapping[str, str]:
        """What the host sets for its hooks, and what their entry says."""
        given = {name: value.format(project=setting.project) for name, value in self.spec.speech.variables.items()}
        known = {**setting.env, **given}
        return {
            **given,
            **{name: _expanded(value, known) if self.spec.speech.expands else value for name, value in hook.env.items()},
        }

    def directory(self, hook: Hook, event: Event, project: str) -> str:
        """The session's directory, or the entry's `cwd`, or the project, as the host has it."""
        return event.work_dir if self.spec.speech.runs_in_session_dir else hook.cwd or project

    def read(self, hook: Hook, event: Event, ended: Ended) -> Heard:
        """What the host would make of how a hook ended; never raises."""
        problem = failure(hook, ended)
        if problem is None:
            return self._denied(hook, event, ended) if ended.exit_code == 2 else self._answer(hook, event, ended)
        if self.spec.speech.answers_at_any_exit and ended.exit_code is not None and ended.stdout.lstrip().startswith(b"{"):
            answer = self._answer(hook, event, ended)
            if answer.state == "ok":
                return answer
            problem = f"{problem}, and {answer.outcome.problems[0]}"
        if self.spec.speech.fails_closed and hook.type == "command" and event.name == "pre-tool-call" and not ended.timed_out:
            denial = Outcome(decision="deny", reason=f"Hook {hook.name} {problem}", problems=(problem,))
            return Heard(state="failed", outcome=denial)
        return failed(ended, problem)

    def _denied(self, hook: Hook, event: Event, ended: Ended) -> Heard:
        answer = blocked_by_exit_2(hook, ended)
        if self.spec.denies_by_exit_2(event.name):
            return answer
        problem = f"{self.spec.title} lets no exit code deny {hook.event_as_written}: it goes on"
        return answer.replace(outcome=answer.outcome.replace(problems=(problem,)))

    def _answer(self, hook: Hook, event: Event, ended: Ended) -> Heard:
        text = ended.stdout.decode(errors="replace")
        if self.spec.speech.progress:
            text = "".join(line for line in text.splitlines(keepends=True) if not _is_progress(line))
        text = unfenced(text) if hook.type == "prompt" else text.strip()
        if text.startswith("{") or ended.overflow:
            return hear(ended, text, lambda said: self._understand(hook, event, said))
        heard = text if self.spec.speech.text_becomes_context and event.name in _TEXT_IS_CONTEXT else None
        return Heard(state="ok", outcome=Outcome(additional_context=heard or None))

    def _understand(self, hook: Hook, event: Event, said: dict[str, Any]) -> Heard:
        if hook.type == "prompt":
            return json_answers.judgement(hook, said)
        broken = json_answers.faults(said, event, self.spec) if self.spec.speech.strict else ()
        return invalid(*broken) if broken else Heard(state="ok", outcome=json_answers.outcome(self.spec, hook, event, said))


def of(spec: HostSpec) -> _Protocol:
    """The protocol of a host."""
    return _Protocol(spec=spec)


def _expanded(value: str, known: Mapping[str, str]) -> str:
    """A value with $NAME and ${NAME} replaced; by nothing for a variable that is not set."""
    if "$" not in value:
        return value
    import re  # 5 ms, and few entries name another variable

    return re.sub(r"\$(?:(\w+)|\{(\w+)\})", lambda found: known.get(found[1] or found[2], ""), value)


def _is_progress(line: str) -> bool:
    """Copilot shows `{"type": "progress", …}` on a line of its own and takes it out of the answer."""
    if '"progress"' not in line:
        return False
    try:
        said = fast_json.loads(line)
    except (ValueError, RecursionError):
        return False
    return isinstance(said, dict) and said.get("type") == "progress"


# AgentHooks' names of fields, and theirs.
_SNAKE = {"tool_output": "tool_response", "subagent_name": "agent_id", "subagent_type": "agent_type"}
_CAMEL = {"tool_input": "toolArgs", "tool_use_id": "toolCallId", "subagent_name": "agentName"}
_EVERY_STOP = {"stop_hook_active": False}  # written like this in camelCase payloads too


def snake_case(spec: HostSpec, hook: Hook, event: Event) -> dict[str, Any]:
    """The payload with names in snake_case, those of the session and the event in both spellings that have been seen."""
    own = event.payload if hosts.json_spec(event.host) and not is_camel_case(event) else {}
    fields = {_SNAKE.get(key, key): value for key, value in event.fields.items()}
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
    """The payload of an event in camelCase; the time in milliseconds."""
    own = event.payload if event.host == spec.name and is_camel_case(event) else {}
    fields = {_CAMEL.get(key) or _camel(key): value for key, value in event.fields.items() if key != "tool_output"}
    if "tool_output" in event.fields and "toolResult" not in own:
        fields["toolResult"] = {"resultType": "success", "textResultForLlm": _text(event.fields["tool_output"])}
    session = {"sessionId": event.session_id, "cwd": event.work_dir}
    return {"timestamp": int(time.time() * 1000), **_defaults(spec, event), **fields, **own, **session}


def is_camel_case(event: Event) -> bool:
    """Whether an event came in a camelCase payload, which does not name it."""
    return "hook_event_name" not in event.payload and "hookEventName" not in event.payload


def _defaults(spec: HostSpec, event: Event) -> dict[str, Any]:
    """What every payload of an event has."""
    if event.name == "pre-session":
        return {"source": spec.speech.session_source}
    return dict(_EVERY_STOP) if event.name in (GATE, "post-subagent") else {}


def _camel(name: str) -> str:
    first, *rest = [name] if name in _EVERY_STOP else name.split("_")
    return first + "".join(map(str.capitalize, rest))


def _text(value: Any) -> str:
    return value if isinstance(value, str) else fast_json.dumps(value, ascii_only=False)
