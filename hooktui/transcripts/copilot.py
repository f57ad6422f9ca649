"""Copilot CLI's transcripts: an event log for each session, subagents in the same file (seen in 1.0.102).

It reports each dispatch of its hooks as a pair of records, however many hooks ran: without commands, exit codes and output. The
input of such a pair is the payload.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from hooktui.core.events import canonical
from hooktui.hosts import copilot as host
from hooktui.transcripts.reading import Reading, first_line, items, mapping, moment, small_file, text
from hooktui.transcripts.transcript_records import ReportedRun, TranscriptEvent, TranscriptSession
from hooktui.transcripts.transcript_spec import TranscriptSpec

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from hooktui.transcripts.reading import JsonObject
    from hooktui.transcripts.transcript_records import Outcome

_WITHHELD = "Tool result blocked: "  # before the reason of a hook that denied the result of a tool
# The outcome of a call by its error code. Copilot writes the last two when it resumes a killed session (seen in 1.0.102).
_ERROR_CODES: dict[str, Outcome] = {"denied": "denied-by-permission", "interrupted": "no-result", "not_executed": "not-started"}
_BEFORE, _AFTER = "preToolUse", ("postToolUse", "postToolUseFailure")
_EVENTS = {
    "sessionStart": "pre-session",
    "agentStop": "pre-agent-turn-stop",
    "subagentStart": "pre-subagent",
}
# Hooks that are reported before the record of their event, and that event.
_EARLY = {"userPromptSubmitted": "pre-agent-turn", "subagentStop": "post-subagent", "sessionEnd": "post-session"}


def read(reading: Reading, record: JsonObject) -> None:
    """Read one record."""
    at = moment(record.get("timestamp"))
    reading.spans(at)
    handler = _RECORDS.get(record["type"])
    if handler:
        handler(reading, record, mapping(record.get("data")), at)


def _session(reading: Reading, record: JsonObject, data: JsonObject, at: float) -> None:
    session = reading.session
    session.id = session.id or text(data.get("sessionId"))
    session.cwd = session.cwd or text(mapping(data.get("context")).get("cwd"))
    session.model = text(data.get("selectedModel")) or session.model
    session.version = text(data.get("copilotVersion")) or session.version
    source = "new" if record["type"] == "session.start" else "resume"
    uid = text(record.get("id"))
    reading.add(TranscriptEvent(key=f"session:{uid}", event="pre-session", at=at, uid=uid, details={"source": source}))


def _user(reading: Reading, record: JsonObject, data: JsonObject, at: float) -> None:
    prompt, agent, uid = text(data.get("content")), text(record.get("agentId")), text(record.get("id"))
    if not agent:
        reading.end_turn()
        reading.has_prompt(prompt)
    event = TranscriptEvent(
        key=f"prompt:{uid}", event="pre-agent-turn", at=at, uid=uid, agent=agent, details={"prompt": prompt}
    )
    _add(reading, event)


def _add(reading: Reading, event: TranscriptEvent) -> None:
    runs = reading.notes.get("early", {}).pop(f"{event.event}:{event.agent}", ())
    event.hooks = [ReportedRun(**run) for run in runs]
    reading.add(event)


def _call(reading: Reading, record: JsonObject, data: JsonObject, at: float) -> None:
    call, tool = text(data["toolCallId"]), text(data["toolName"])
    uid, agent = text(record.get("id")), text(record.get("agentId"))
    reading.add_call(call, tool, data.get("arguments"), at, uid, agent=agent, hooks_recorded="all")


def _call_ended(reading: Reading, record: JsonObject, data: JsonObject, at: float) -> None:
    call = text(data["toolCallId"])
    before = reading.open.get(f"pre:{call}")
    if before is None:
        return
    error = mapping(data.get("error"))
    words = text(error.get("message"))
    for run in before.hooks:
        if run.event in _AFTER and run.modified_input is not None:  # the record of the hook does not say how
            run.modified_input = {"toolResult": {"textResultForLlm": text(mapping(data.get("result")).get("content"))}}
    withheld = next((run for run in before.hooks if run.event in _AFTER and run.decision == "deny"), None)
    denied = next((run for run in before.hooks if run.event == _BEFORE and run.decision == "deny"), None)
    after = reading.end_call(call, at, "ok" if withheld else _outcome(data, error, by_hook=denied is not None))
    if after is None:
        before.reason = denied.reason if denied else words
        return
    after.uid, after.hooks_recorded = text(record.get("id")), "all"
    after.input = reading.notes.get("inputs", {}).pop(call, after.input)  # the tool's own, which hooks may have rewritten
    if withheld:
        withheld.reason = words.removeprefix(_WITHHELD)
    elif error:
        after.details["error"] = words
    after.hooks = [run for run in before.hooks if run.event in _AFTER]
    before.hooks = [run for run in before.hooks if run.event not in _AFTER]


def _outcome(data: JsonObject, error: JsonObject, *, by_hook: bool) -> Outcome:
    if data.get("success"):
        return "ok"
    if by_hook:
        return "denied-by-hook"
    return _ERROR_CODES.get(text(error.get("code")), "failed")


def _message(reading: Reading, record: JsonObject, data: JsonObject, _at: float) -> None:
    """Note the last text of an agent that calls no tool: its turn ends with it."""
    finals = reading.notes.setdefault("finals", {})
    finals[text(record.get("agentId"))] = None if items(data.get("toolRequests")) else text(data.get("content"))


def _turn_ended(reading: Reading, record: JsonObject, _data: JsonObject, at: float) -> None:
    agent, uid = text(record.get("agentId")), text(record.get("id"))
    final = reading.notes.get("finals", {}).pop(agent, None)
    if final is not None:
        event = TranscriptEvent(key=f"stop:{uid}", event="pre-agent-turn-stop", at=at, outcome="ok", agent=agent, uid=uid)
        event.details, event.hooks_recorded = {"final_message": final}, "all"
        reading.add(event)


def _subagent(reading: Reading, record: JsonObject, data: JsonObject, at: float) -> None:
    call, uid = text(data.get("toolCallId")), text(record.get("id"))
    begins = record["type"] == "subagent.started"
    before = reading.open.get(f"pre:{call}")
    details: JsonObject = {"agent_type": text(data.get("agentName"))}
    if begins and before:
        details["task"] = text(mapping(before.input).get("prompt"))
    _add(
        reading,
        TranscriptEvent(
            key=f"agent:{uid}",
            event="pre-subagent" if begins else "post-subagent",
            at=at,
            outcome=None if begins else "ok" if record["type"] == "subagent.completed" else "failed",
            agent=text(record.get("agentId")),
            parent_call=call,
            uid=uid,
            details=details,
        ),
    )


def _shutdown(reading: Reading, record: JsonObject, _data: JsonObject, at: float) -> None:
    uid = text(record.get("id"))
    _add(reading, TranscriptEvent(key=f"end:{uid}", event="post-session", at=at, outcome="ok", uid=uid))


def _hook_started(reading: Reading, _record: JsonObject, data: JsonObject, at: float) -> None:
    given = mapping(data.get("input"))
    calls = [text(mapping(call).get("id")) for call in items(given.get("toolCalls"))]
    if data.get("hookType") in _AFTER:
        fitting = _calls_of(reading, given)
        calls = fitting[:1]
        if len(fitting) == 1 and isinstance(given.get("toolArgs"), dict):
            reading.notes.setdefault("inputs", {})[calls[0]] = given["toolArgs"]
    started = reading.notes.setdefault("hooks", {})
    started[text(data["hookInvocationId"])] = {"calls": calls, "at": at, "agent": text(given.get("agentId"))}
    if given.get("trigger"):
        started[text(data["hookInvocationId"])]["trigger"] = text(given["trigger"])


def _calls_of(reading: Reading, given: JsonObject) -> list[str]:
    """The calls that a payload after a tool may mean, which has no id: those with its input, or, if hooks rewrote that, all."""
    calls = [event for event in reading.open.values() if event.outcome == "no-result" and event.tool == given.get("toolName")]
    same = [event for event in calls if event.input == given.get("toolArgs")]
    return [event.call for event in same or calls if event.call]


def _hook_ended(reading: Reading, record: JsonObject, data: JsonObject, at: float) -> None:
    name = text(data.get("hookType"))
    started = reading.notes.get("hooks", {}).pop(text(data["hookInvocationId"]), {"calls": [], "at": at})
    output, error = mapping(data.get("output")), mapping(data.get("error"))
    run: JsonObject = {
        "event": name,
        "state": "ok" if data.get("success") else "failed",
        "duration_ms": max((at - started["at"]) * 1000, 0.0),
        "context": text(output.get("additionalContext")) or None,
        "reason": text(error.get("message")) or text(output.get("reason")) or text(output.get("message")) or None,
    }
    if output.get("modifiedResult"):
        run["modified_input"] = {}
    if output.get("decision") == "block" or output.get("blocked") or output.get("behavior") == "deny":
        run["decision"] = "deny"
    agent = text(record.get("agentId"))
    if name in _EARLY:
        key = f"{_EARLY[name]}:{agent or started.get('agent', '')}"
        reading.notes.setdefault("early", {}).setdefault(key, []).append(run)
    elif name == _BEFORE or name in _AFTER:
        for call in started["calls"]:
            event = reading.change(f"pre:{call}")
            if event:
                denial = text(output.get(call)) if name == _BEFORE else ""
                event.hooks.append(ReportedRun(**(run | ({"decision": "deny", "reason": denial} if denial else {}))))
    elif name in _EVENTS:
        _add_to_last(reading, _EVENTS[name], agent, ReportedRun(**run))
    elif name:  # such as preCompact: no record tells of the event itself
        event = TranscriptEvent(
            key=f"hook:{text(record.get('id'))}", event=canonical(name) or name, at=started["at"], agent=agent
        )
        event.hooks, event.hooks_recorded = [ReportedRun(**run)], "all"
        event.details = {"trigger": started["trigger"]} if started.get("trigger") else {}
        reading.add(event)


def _add_to_last(reading: Reading, event: str, agent: str, run: ReportedRun) -> None:
    keys = [key for key, known in reading.open.items() if known.event == event and (known.agent == agent or not agent)]
    last = reading.change(keys[-1]) if keys else None
    if last:
        last.hooks_recorded = "all"
        last.hooks.append(run)
        if run.decision == "deny" and event == "pre-agent-turn-stop":
            last.outcome, last.reason = "denied", run.reason


_RECORDS: dict[object, Callable[[Reading, JsonObject, JsonObject, float], None]] = {
    "session.start": _session,
    "session.resume": _session,
    "session.shutdown": _shutdown,
    "user.message": _user,
    "assistant.message": _message,
    "assistant.turn_end": _turn_ended,
    "tool.execution_start": _call,
    "tool.execution_complete": _call_ended,
    "subagent.started": _subagent,
    "subagent.completed": _subagent,
    "subagent.failed": _subagent,
    "hook.start": _hook_started,
    "hook.end": _hook_ended,
}


def begin(path: str) -> Reading:
    """Begin to read a session: its directory is named by its ID, and `workspace.yaml` there has its title."""
    reading = Reading()
    folder = os.path.dirname(path)
    reading.session.id = os.path.basename(folder)
    lines = small_file(os.path.join(folder, "workspace.yaml")).decode(errors="replace").splitlines()
    told = dict(line.split(": ", 1) for line in lines if ": " in line)
    reading.session.title = first_line(told.get("name", "").strip("'\""))
    reading.session.cwd = told.get("cwd", "").strip("'\"")
    return reading


def payload(_spec: TranscriptSpec, session: TranscriptSession, event: TranscriptEvent, _path: str) -> dict[str, Any]:
    """What Copilot would have sent to a hook."""
    told = {
        "sessionId": session.id,
        "timestamp": int(event.at * 1000),
        "cwd": event.cwd,
        "agentId": event.agent,
        "toolName": event.tool,
        "toolArgs": event.input if event.tool else None,
    }
    told |= {name: event.details[name] for name in ("prompt", "source", "trigger", "error") if name in event.details}
    return {name: value for name, value in told.items() if value is not None and value != ""}


AGENT = TranscriptSpec(
    host=host.HOST,
    begin=begin,
    read=read,
    payload=payload,
)
