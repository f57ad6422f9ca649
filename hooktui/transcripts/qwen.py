"""Qwen Code's transcripts: a file for each session, subagents' calls only as telemetry (seen in 0.15.10)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hooktui.hosts import qwen as host
from hooktui.transcripts.reading import begin_by_file_name, content_text, items, mapping, moment, number, text
from hooktui.transcripts.transcript_records import ReportedRun, TranscriptEvent
from hooktui.transcripts.transcript_spec import TranscriptSpec

if TYPE_CHECKING:
    from collections.abc import Callable

    from hooktui.transcripts.reading import JsonObject, Reading
    from hooktui.transcripts.transcript_records import Outcome

_STOPPING = "stopping"  # note: the key of a stop. If the model goes on without a prompt, a hook held it
_OUTCOMES: dict[str, Outcome] = {
    "execution_denied": "denied-by-hook",  # or by a permission rule: the file does not say which
    "tool_not_registered": "invalid",
    "invalid_tool_params": "invalid",
}


def read(reading: Reading, record: JsonObject) -> None:
    """Read one record."""
    at = moment(record.get("timestamp"))
    reading.spans(at)
    reading.session.id = reading.session.id or text(record.get("sessionId"))
    reading.session.cwd = reading.session.cwd or text(record.get("cwd"))
    handler = _RECORDS.get(record["type"])
    if handler:
        handler(reading, record, at)


def _parts(record: JsonObject) -> list[JsonObject]:
    return [mapping(part) for part in items(mapping(record.get("message")).get("parts"))]


def _user(reading: Reading, record: JsonObject, at: float) -> None:
    told = mapping(record.get("systemPayload"))  # newer versions keep what a hook added apart
    prompt = text(told.get("displayText")) or content_text(_parts(record))
    reading.notes.pop(_STOPPING, None)
    if prompt:
        uid = text(record.get("uuid"))
        reading.end_turn()
        reading.has_prompt(prompt)
        event = TranscriptEvent(key=f"prompt:{uid}", event="pre-agent-turn", at=at, uid=uid, details={"prompt": prompt})
        if told.get("hookContext"):
            event.hooks.append(ReportedRun(event="UserPromptSubmit", context=text(told["hookContext"])))
        reading.add(event)


def _assistant(reading: Reading, record: JsonObject, at: float) -> None:
    reading.session.model = text(record.get("model")) or reading.session.model
    held = reading.change(reading.notes.pop(_STOPPING, ""))
    if held:
        held.outcome = "denied"
    uid, cwd = text(record.get("uuid")), text(record.get("cwd"))
    calls = [mapping(part["functionCall"]) for part in _parts(record) if "functionCall" in part]
    for call in calls:
        identity = text(call["id"])
        reading.add_call(identity, text(call["name"]), call.get("args"), at, f"{uid}:{identity}", cwd=cwd)
    final = content_text([part for part in _parts(record) if not part.get("thought")])
    if final and not calls:
        reading.notes[_STOPPING] = f"stop:{uid}"
        details = {"last_assistant_message": final}
        reading.add(
            TranscriptEvent(
                key=f"stop:{uid}", event="pre-agent-turn-stop", at=at, outcome="ok", uid=uid, cwd=cwd, details=details
            )
        )


def _result(reading: Reading, record: JsonObject, at: float) -> None:
    result = mapping(record.get("toolCallResult"))
    call = text(result["callId"])
    before = reading.open.get(f"pre:{call}")
    if before is None:
        return
    response = mapping(mapping(next(iter(_parts(record)), {}).get("functionResponse")).get("response"))
    outcome: Outcome = "ok" if result.get("status") == "success" else "failed"
    if result.get("status") == "cancelled":
        outcome = "interrupted"
    is_withheld = result.get("errorType") == "execution_denied" and result.get("executionStatus") == "success"
    outcome = "ok" if is_withheld else _OUTCOMES.get(text(result.get("errorType")), outcome)
    after, error = reading.end_call(call, at, outcome), text(response.get("error"))
    if after is None:
        before.reason = error
        if before.outcome == "denied-by-hook":
            before.hooks.append(ReportedRun(event="PreToolUse", decision="deny", reason=error))
        return
    after.uid, after.cwd = text(record.get("uuid")), text(record.get("cwd"))
    if is_withheld:  # a hook denied the result of a tool that ran (seen in 0.24.4)
        after.hooks.append(ReportedRun(event="PostToolUse", decision="deny", reason=error))
    elif error:
        after.details["error"] = error
    _subagent(reading, after, mapping(result.get("resultDisplay")), at)


def _subagent(reading: Reading, after: TranscriptEvent, display: JsonObject, at: float) -> None:
    if display.get("type") != "task_execution":
        return
    begun = at - (number(mapping(display.get("executionSummary")).get("totalDurationMs")) or 0.0) / 1000
    details = {"agent_type": text(display.get("subagentName")), "task": text(display.get("taskPrompt"))}
    start = TranscriptEvent(key=f"agent:{after.call}", event="pre-subagent", at=begun, details=details)
    final = {"agent_type": details["agent_type"], "last_assistant_message": text(display.get("result"))}
    end = TranscriptEvent(key=f"agent-end:{after.call}", event="post-subagent", at=at, outcome="ok", details=final)
    for event in (start, end):
        event.parent_call, event.cwd = after.call, after.cwd
        reading.add(event)


def _telemetry(reading: Reading, record: JsonObject, at: float) -> None:
    """Add a call of a subagent, of which there is nothing else, and the duration of any other call."""
    told = mapping(mapping(record.get("systemPayload")).get("uiEvent"))
    prompt = text(told.get("prompt_id")).split("#")
    if told.get("event.name") != "qwen-code.tool_call" or len(prompt) < 3 or not prompt[1]:
        return  # the id of a main agent's prompt has no name between its signs
    uid, duration = text(record.get("uuid")), number(told.get("duration_ms")) or 0.0
    event = TranscriptEvent(
        key=f"pre:{uid}",
        event="pre-tool-call",
        at=at - duration / 1000,
        tool=text(told.get("function_name")),
        input=told.get("function_args"),
        outcome="no-result",
        agent=prompt[1],
        uid=f"{uid}:call",
        cwd=text(record.get("cwd")),
    )
    reading.add(event)
    outcome: Outcome = "ok" if told.get("success") else "failed"
    after = reading.end_call(uid, at, _OUTCOMES.get(text(told.get("error_type")), outcome))
    if after:
        after.uid = uid


_RECORDS: dict[object, Callable[[Reading, JsonObject, float], None]] = {
    "user": _user,
    "assistant": _assistant,
    "tool_result": _result,
    "system": _telemetry,
}


AGENT = TranscriptSpec(
    host=host.HOST,
    begin=begin_by_file_name,
    read=read,
)
