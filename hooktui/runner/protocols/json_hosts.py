"""What a hook of Claude Code, VS Code or Copilot CLI reads and says (formats.md §3; seed 003; seen in Claude Code 2.1.197).

One protocol with differences: `_Dialect` names them, so that a person sees what the real host would do, not an average.
"""

from __future__ import annotations

from hooktui import events, quick_json
from hooktui.model import DECISIONS, Outcome
from hooktui.record import Record
from hooktui.runner.protocols import Answer, Manner, blocked_by_exit_2, failed, failure, invalid

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from hooktui.model import DecisionName, Event, Hook
    from hooktui.runner.process import Ended

_PERMISSIONS = ("allow", "deny", "ask")
_TEXT_IS_CONTEXT = ("pre-session", "pre-agent-turn")
_GATES = ("pre-agent-turn-stop", "post-subagent")
# AgentHooks field -> (Claude's name, Copilot's camelCase name)
_FIELD_NAMES = {"tool_output": ("tool_response", "toolResult")}
_CAMEL = {"tool_name": "toolName", "tool_input": "toolArgs", "tool_use_id": "toolCallId"}


class _Dialect(Record):
    """How one host differs. `strict`: an answer that breaks its schema decides nothing; the rest as formats.md §3 says."""

    name: str
    MANNER: Manner
    strict: bool = False
    answers_at_any_exit: bool = False
    text_becomes_context: bool = False
    stop_reason_stops: bool = False
    reads_nested_block: bool = False
    variables: Mapping[str, str] = {}

    def stdin(self, hook: Hook, event: Event) -> dict[str, Any]:
        """The payload that the host would send, in both spellings that have been seen of it."""
        if self.name == "copilot" and hook.event_as_written[:1].islower():
            return _camel_stdin(event)
        own = event.payload if event.host in ("claude", "vscode", "copilot") else {}
        fields = {_FIELD_NAMES.get(key, (key,))[0]: value for key, value in event.fields.items()}
        session = {"session_id": event.session_id, "sessionId": event.session_id}
        names = {"hook_event_name": hook.event_as_written, "hookEventName": hook.event_as_written}
        place = {"timestamp": event.timestamp, "cwd": event.work_dir, "transcript_path": own.get("transcript_path") or ""}
        return {**own, **fields, **session, **names, **place}

    def environment(self, _hook: Hook, _event: Event, project: str) -> Mapping[str, str]:
        """What the host sets for its hooks."""
        return {name: value.format(project=project) for name, value in self.variables.items()}

    def directory(self, hook: Hook, event: Event, project: str) -> str:
        """Claude: the session's directory. The others: the entry's cwd, or the root its file belongs to."""
        return event.work_dir if self.name == "claude" else hook.cwd or project

    def read(self, hook: Hook, event: Event, ended: Ended) -> Answer:
        """What the host would make of how a hook ended; never raises."""
        if ended.exit_code == 2 and not ended.timed_out:
            return blocked_by_exit_2(hook, ended)
        problem = failure(hook, ended)
        if problem is None:
            return self._answer(hook, event, ended)
        if self.answers_at_any_exit and ended.exit_code is not None:
            answer = self._answer(hook, event, ended)
            if answer.state == "ok" and answer.outcome != Outcome():
                return answer
        if self.name == "copilot" and event.name == "pre-tool-call" and not ended.timed_out:
            denial = Outcome(decision="deny", reason=f"Hook {hook.name} {problem}", problems=(problem,))
            return Answer(state="failed", outcome=denial)
        return failed(ended, problem)

    def _answer(self, hook: Hook, event: Event, ended: Ended) -> Answer:
        if ended.overflow:
            return invalid("stdout is longer than 10 MiB")
        text = ended.stdout.decode(errors="replace").strip()
        if not text.startswith("{"):
            heard = text if self.text_becomes_context and event.name in _TEXT_IS_CONTEXT else None
            return Answer(state="ok", outcome=Outcome(additional_context=heard or None))
        try:
            said = quick_json.loads(text)
        except (ValueError, RecursionError) as error:
            return invalid(f"stdout is no JSON: {error}")
        broken = self._schema_faults(said, event) if self.strict else ()
        return invalid(*broken) if broken else Answer(state="ok", outcome=self._outcome(hook, event, said))

    def _schema_faults(self, said: dict[str, Any], event: Event) -> tuple[str, ...]:
        """Why Claude would throw the whole answer away."""
        specific = said.get("hookSpecificOutput")
        if "hookSpecificOutput" in said and not isinstance(specific, dict):
            return ("hookSpecificOutput is no object: Claude rejects the answer",)
        faults = []
        if isinstance(specific, dict):
            named = specific.get("hookEventName")
            if named is None:
                faults.append("hookSpecificOutput has no hookEventName: Claude rejects the answer")
            elif not isinstance(named, str) or events.canonical(named) not in (event.name, None):
                faults.append(f"hookEventName {quick_json.dumps(named)} is not this event: Claude rejects the answer")
            if "permissionDecision" in specific and specific["permissionDecision"] not in _PERMISSIONS:
                told = quick_json.dumps(specific["permissionDecision"])
                faults.append(f"permissionDecision {told} is unknown: Claude rejects the answer")
        if said.get("decision") not in (None, "block", "approve"):
            faults.append(f"decision {quick_json.dumps(said['decision'])} is unknown: Claude rejects the answer")
        if not isinstance(said.get("continue", True), bool):
            faults.append("continue is no boolean: Claude rejects the answer")
        return tuple(faults)

    def _outcome(self, hook: Hook, event: Event, said: dict[str, Any]) -> Outcome:
        specific = said.get("hookSpecificOutput")
        specific = specific if isinstance(specific, dict) else {}
        problems: list[str] = []
        decision, via, reason = self._opinion(event, said, specific, problems)
        if self._halts(said) and not (self.name == "claude" and event.name == "pre-tool-call" and decision == "deny"):
            decision, via, reason = "stop", "json", _text(said.get("stopReason")) or reason
        if decision in ("deny", "stop") and not reason:
            reason = f"Blocked by hook {hook.name}"
        return Outcome(
            decision=decision,
            via=via if decision != "none" else None,
            reason=reason,
            modified_input=_rewrite(event, said, specific, problems),
            additional_context=_text(specific.get("additionalContext")) or _text(said.get("additionalContext")),
            system_message=_text(said.get("systemMessage")),
            problems=tuple(problems),
        )

    def _halts(self, said: dict[str, Any]) -> bool:
        alone = self.stop_reason_stops and bool(_text(said.get("stopReason"))) and said.get("continue") is not True
        return said.get("continue") is False or alone

    def _opinion(
        self, event: Event, said: dict[str, Any], specific: dict[str, Any], problems: list[str]
    ) -> tuple[DecisionName, Any, str | None]:
        """The strictest of what an answer says in the places where this host looks."""
        heard: list[tuple[DecisionName, str, str | None]] = []
        for place in (specific, said):
            told = place.get("permissionDecision")
            if told in _PERMISSIONS:
                heard.append((told, "permission", _text(place.get("permissionDecisionReason"))))
            elif told is not None:
                problems.append(f"permissionDecision {quick_json.dumps(told)[:80]} is unknown: dropped")
        if said.get("decision") in ("block", "deny"):
            heard.append(("deny", "json", _text(said.get("reason"))))
        elif said.get("decision") in ("approve", "allow"):
            heard.append(("allow", "json", _text(said.get("reason"))))
        if specific.get("decision") == "block":
            if self.reads_nested_block:
                heard.append(("deny", "json", _text(specific.get("reason"))))
            else:
                problems.append("decision stands inside hookSpecificOutput, where Claude does not look: it must be at the top")
        behavior = _behavior(specific)
        if behavior:
            heard.append(behavior)
        return max(heard, key=lambda one: DECISIONS.index(one[0]), default=("none", None, None))


def of(format_name: str) -> _Dialect:
    """The protocol of `claude`, `vscode` or `copilot`."""
    return _DIALECTS[format_name]


_DIALECTS = {
    "claude": _Dialect(
        name="claude",
        MANNER=Manner(at_once=True),
        strict=True,
        answers_at_any_exit=True,
        text_becomes_context=True,
        variables={"CLAUDE_PROJECT_DIR": "{project}"},
    ),
    "vscode": _Dialect(name="vscode", MANNER=Manner(ends_at=("stop",)), stop_reason_stops=True, reads_nested_block=True),
    "copilot": _Dialect(
        name="copilot", MANNER=Manner(ends_at=("stop",)), reads_nested_block=True, variables={"COPILOT_CLI": "1"}
    ),
}


def _camel_stdin(event: Event) -> dict[str, Any]:
    """What Copilot CLI sends for a camelCase event (formats.md §3)."""
    import time

    own = event.payload if event.host == "copilot" else {}
    fields = {_CAMEL.get(key, key): value for key, value in event.fields.items() if key != "tool_output"}
    if "tool_output" in event.fields and "toolResult" not in own:
        output = event.fields["tool_output"]
        text = output if isinstance(output, str) else quick_json.dumps(output)
        fields["toolResult"] = {"resultType": "success", "textResultForLlm": text}
    stamp = own.get("timestamp") or int(time.time() * 1000)
    return {**own, **fields, "sessionId": event.session_id, "timestamp": stamp, "cwd": event.work_dir}


def _behavior(specific: dict[str, Any]) -> tuple[DecisionName, str, str | None] | None:
    """Claude's PermissionRequest answers with an object: {"behavior": "allow" | "deny", "message"}."""
    told = specific.get("decision")
    if not isinstance(told, dict) or told.get("behavior") not in ("allow", "deny"):
        return None
    decision: DecisionName = "allow" if told["behavior"] == "allow" else "deny"
    return decision, "permission", _text(told.get("message"))


def _rewrite(event: Event, said: dict[str, Any], specific: dict[str, Any], problems: list[str]) -> Mapping[str, Any] | None:
    told = specific.get("updatedInput", specific.get("modifiedArgs", said.get("modifiedArgs")))
    if isinstance(told, str):  # older Copilot versions write arguments as a JSON string
        try:
            told = quick_json.loads(told)
        except (ValueError, RecursionError):
            told = None
    if told is None:
        return None
    if event.name != "pre-tool-call" or not isinstance(told, dict):
        problems.append("a rewritten input that this event cannot use: dropped")
        return None
    return told


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) and value else None
