"""Kimi Code's transcripts: a file for each agent of a session (seen in 2.1.0).

A denial by a hook is a plain error here, and hooks hear of it as of a failure. `agent.message.appended` repeats what other
records tell.
"""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

from hooktui.hosts import kimi as host
from hooktui.transcripts.reading import Reading, content_text, first_line, json_file, mapping, moment, number, text
from hooktui.transcripts.transcript_records import ReportedRun, TranscriptEvent
from hooktui.transcripts.transcript_spec import TranscriptSpec

if TYPE_CHECKING:
    from collections.abc import Callable

    from hooktui.transcripts.reading import JsonObject
    from hooktui.transcripts.transcript_records import Outcome

_RESULT = "<hook_result "
_SAID = "said"  # note: runs that the next prompt has
_EXITED = re.compile(r"Command failed with exit code: \d+\.$")
_MAIN = "main"


def read(reading: Reading, record: JsonObject) -> None:
    """Read one record."""
    at = moment(record.get("time"))
    reading.spans(at)
    kind = record["type"]
    if kind == "context.append_loop_event":
        event = mapping(record.get("event"))
        _loop_event(reading, event, at)
    elif kind in _RECORDS:
        _RECORDS[kind](reading, record, at)


def _prompt(reading: Reading, record: JsonObject, at: float) -> None:
    prompt, uid = content_text(record.get("input")), text(record.get("promptId"))
    agent = reading.notes.get("agent", "")
    origin = mapping(record.get("origin"))
    reading.end_turn()
    if agent:
        if f"agent:{agent}" not in reading.open:
            reading.add(
                TranscriptEvent(
                    key=f"agent:{agent}", event="pre-subagent", at=at, agent=agent, uid=uid,
                    parent_call=reading.notes.get("parent_call"), details=_about_agent(reading, task=prompt),
                )
            )  # fmt: skip
    elif origin.get("kind") == "user":
        _add_prompt(reading, prompt, uid, at)


def _add_prompt(reading: Reading, prompt: str, uid: str, at: float) -> None:
    reading.has_prompt(prompt)
    event = TranscriptEvent(key=f"prompt:{uid}", event="pre-agent-turn", at=at, uid=uid, details={"prompt": prompt})
    event.hooks = [ReportedRun(**run) for run in reading.notes.pop(_SAID, ())]
    denial = next((run for run in event.hooks if run.decision == "deny"), None)
    if denial:
        event.outcome, event.reason = "denied-by-hook", denial.reason
    reading.add(event)


def _completed(reading: Reading, record: JsonObject, at: float) -> None:
    """A prompt that a hook blocked begins no turn."""
    if record.get("reason") == "blocked":
        reading.end_turn()
        _add_prompt(reading, text(reading.notes.get("prompt")), text(record.get("promptId")), at)


def _about_agent(reading: Reading, **more: str) -> JsonObject:
    kind = reading.notes.get("agent_type")
    return ({"agent_type": kind} if kind else {}) | more


def _message(reading: Reading, record: JsonObject, _at: float) -> None:
    """Note what a hook said before a prompt, or add what it said to hold a stop."""
    message = mapping(record.get("message"))
    origin, words = mapping(message.get("origin")), content_text(message.get("content"))
    if origin.get("kind") == "user":
        reading.notes["prompt"] = words
    elif origin.get("kind") == "hook_result":
        words = words.partition(">\n")[2].removesuffix("\n</hook_result>") if words.startswith(_RESULT) else words
        told = {"decision": "deny", "reason": words} if origin.get("blocked") else {"context": words}
        run = {"event": text(origin.get("event")) or "UserPromptSubmit"} | told
        reading.notes.setdefault(_SAID, []).append(run)
    elif origin.get("kind") == "system_trigger" and origin.get("name") == "stop_hook":
        event = reading.last("post-subagent" if reading.notes.get("agent") else "pre-agent-turn-stop")
        if event:
            event.outcome, event.reason = "denied", words
            event.hooks.append(ReportedRun(event="Stop", decision="deny", reason=words))


def _loop_event(reading: Reading, event: JsonObject, at: float) -> None:
    kind = event.get("type")
    if kind == "tool.call":
        call = text(event["toolCallId"])
        uid, agent = text(event.get("uuid")), reading.notes.get("agent", "")
        reading.add_call(call, text(event["name"]), event.get("args"), at, uid, agent=agent)
    elif kind == "tool.result":
        call, result = text(event["toolCallId"]), mapping(event.get("result"))
        after = reading.end_call(call, at, "failed" if result.get("isError") else "ok")
        if after:
            after.duration_ms = number(result.get("durationMs"))
            after.uid = f"{reading.session.id}:{call}"
            if result.get("isError"):
                after.details["error"] = error = text(result.get("output"))
                reading.open[f"pre:{call}"].outcome = _error_outcome(error, text(after.tool))
    elif kind == "content.part" and text(mapping(event.get("part")).get("text")):
        reading.notes["final"] = text(mapping(event.get("part")).get("text"))
    elif kind == "step.end" and event.get("finishReason") == "end_turn":
        _stop(reading, text(event.get("uuid")), at)


def _error_outcome(error: str, tool: str) -> Outcome | None:
    """What became of a call, in Kimi Code's own words; None if either the tool failed or a hook denied it."""
    if error == f'Tool "{tool}" not found' or error.startswith(f'Invalid args for tool "{tool}": '):
        return "invalid"
    return "ran" if _EXITED.search(error) else None


def _stop(reading: Reading, uid: str, at: float) -> None:
    agent = reading.notes.get("agent", "")
    reading.add(
        TranscriptEvent(
            key=f"stop:{uid}",
            event="post-subagent" if agent else "pre-agent-turn-stop",
            at=at,
            outcome="ok",
            agent=agent,
            uid=f"{uid}:end",
            parent_call=reading.notes.get("parent_call"),
            details=_about_agent(reading, final_message=reading.notes.get("final", "")),
        )
    )


_RECORDS: dict[object, Callable[[Reading, JsonObject, float], None]] = {
    "turn.prompt": _prompt,
    "prompt.completed": _completed,
    "context.append_message": _message,
}


def begin(path: str) -> Reading:
    """A reading of the agent whose file it is; its session's state stands two directories above."""
    reading = Reading()
    folder = os.path.dirname(path)
    agent, session = os.path.basename(folder), os.path.dirname(os.path.dirname(folder))
    state = json_file(os.path.join(session, "state.json"))
    reading.session.id = os.path.basename(session)
    reading.session.cwd = text(state.get("cwd"))
    reading.session.title = first_line(text(state.get("title"))) if state.get("isCustomTitle") else ""
    if agent != _MAIN:
        about = mapping(mapping(mapping(state.get("agents")).get(agent)).get("labels"))
        reading.notes["agent"] = agent
        reading.notes["agent_type"] = text(about.get("profileName"))
        reading.notes["parent_call"] = _parent_call(os.path.join(os.path.dirname(folder), _MAIN, "wire.jsonl"), agent)
    return reading


def _parent_call(path: str, agent: str) -> str | None:
    """The call that started a subagent, told in the file of the main one."""
    sign = f'"subagentId":"{agent}"'.encode()
    try:
        with open(path, "rb") as file:
            line = next((line for line in file if b'"subagent.spawned"' in line[:40] and sign in line.replace(b" ", b"")), b"")
    except OSError:
        return None
    _, _, rest = line.replace(b" ", b"").partition(b'"parentToolCallId":"')
    return rest.partition(b'"')[0].decode("utf-8", "replace") or None


AGENT = TranscriptSpec(
    host=host.HOST,
    begin=begin,
    read=read,
)
