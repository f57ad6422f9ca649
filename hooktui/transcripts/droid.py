"""Factory droid's transcripts: a file for each session (seen in 0.215).

It keeps the fullest record of hooks: commands, exit codes and output of all that ran, silent ones too. Its order is not causal:
hooks are joined by the id of their call.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from hooktui.hosts import droid as host
from hooktui.transcripts import claude_hooks
from hooktui.transcripts.reading import (
    begin_by_file_name,
    content_text,
    first_line,
    items,
    mapping,
    moment,
    number,
    text,
    whole,
)
from hooktui.transcripts.transcript_records import ReportedRun, TranscriptEvent
from hooktui.transcripts.transcript_spec import TranscriptSpec

if TYPE_CHECKING:
    from hooktui.transcripts.reading import JsonObject, Reading
    from hooktui.transcripts.transcript_records import Outcome

_EVENTS = {
    "SessionStart": "pre-session",
    "SessionEnd": "post-session",
    "UserPromptSubmit": "pre-agent-turn",
    "Stop": "pre-agent-turn-stop",
    "SubagentStop": "post-subagent",
    "PreCompact": "pre-context-compact",
}
_DENIED_BY_PERSON = "Error: User "
_OF_SILENT_DENIAL = {"Stop": "Stop hook requested continuation", "PreToolUse": "Tool execution blocked by hook"}
_WAITING = "waiting"  # note: runs whose event is not read yet, by their call or event


def read(reading: Reading, record: JsonObject) -> None:
    """Read one record."""
    at = moment(record.get("timestamp"))
    reading.spans(at)
    kind = record["type"]
    if kind == "session_start":
        reading.session.id = reading.session.id or text(record.get("id"))
        reading.session.cwd = text(record.get("cwd")) or reading.session.cwd
        reading.session.title = first_line(text(record.get("title"))) or reading.session.title
    elif kind == "message":
        message = mapping(record.get("message"))
        if message.get("hookEventName"):
            _hooks(reading, record, message, at)
        elif message.get("role") == "assistant":
            _assistant(reading, record, message, at)
        else:
            _user(reading, record, message, at)


def _user(reading: Reading, record: JsonObject, message: JsonObject, at: float) -> None:
    blocks = [mapping(block) for block in items(message.get("content"))]
    for block in blocks:
        if block.get("type") == "tool_result":
            _result(reading, record, block, at)
    prompt = content_text(message.get("content"))
    is_ours = not message.get("visibility") and not _is_held_stop(reading, prompt)
    if prompt and is_ours and not any(block.get("type") == "tool_result" for block in blocks):
        uid = text(record.get("id"))
        reading.has_prompt(prompt)
        event = TranscriptEvent(
            key=f"prompt:{uid}", event="pre-agent-turn", at=at, uid=uid, hooks_recorded="all", details={"prompt": prompt}
        )
        _add(reading, event, "pre-agent-turn")


def _is_held_stop(reading: Reading, prompt: str) -> bool:
    stops = [event for event in reading.open.values() if event.event == "pre-agent-turn-stop" and event.outcome == "denied"]
    return bool(stops) and prompt.strip() == (stops[-1].reason or "").strip()


def _add(reading: Reading, event: TranscriptEvent, key: str) -> None:
    event.hooks += [ReportedRun(**run) for run in reading.notes.get(_WAITING, {}).pop(key, ())]
    reading.add(event)


def _assistant(reading: Reading, record: JsonObject, message: JsonObject, at: float) -> None:
    reading.session.model = text(message.get("modelId")) or reading.session.model
    uid, calls = text(record.get("id")), 0
    for block in map(mapping, items(message.get("content"))):
        if block.get("type") == "tool_use":
            calls += 1
            call = text(block["id"])
            tool = text(block["name"])
            event = reading.add_call(call, tool, block.get("input"), at, f"{uid}:{call}", hooks_recorded="all")
            event.hooks += [ReportedRun(**run) for run in reading.notes.get(_WAITING, {}).pop(f"pre:{call}", ())]
    final = content_text(message.get("content"))
    if final and not calls:
        event = TranscriptEvent(key=f"stop:{uid}", event="pre-agent-turn-stop", at=at, outcome="ok", uid=uid)
        event.hooks_recorded, event.details = "all", {"final_message": final}
        _add(reading, event, "pre-agent-turn-stop")


def _result(reading: Reading, record: JsonObject, block: JsonObject, at: float) -> None:
    call = text(block["tool_use_id"])
    before = reading.open.get(f"pre:{call}")
    if before is None:
        return
    words = content_text(block.get("content"))
    outcome, known = _outcome(block, words, before), reading.open.get(f"post:{call}")
    if known and outcome == known.outcome:
        return  # as its hooks told
    reading.remove(f"post:{call}")
    after = reading.end_call(call, at, outcome)
    if after is None:
        before.reason = words.removeprefix("Error: ")
        return
    after.uid, after.hooks_recorded = f"{text(record.get('id'))}:{call}", "all"
    if block.get("is_error"):
        after.details["error"] = words.removeprefix("Error: ")
    after.hooks += known.hooks if known else []
    after.hooks += [ReportedRun(**run) for run in reading.notes.get(_WAITING, {}).pop(f"post:{call}", ())]


def _outcome(block: JsonObject, words: str, before: TranscriptEvent) -> Outcome:
    if not block.get("is_error"):
        return "ok"
    if any(run.decision in ("deny", "stop") for run in before.hooks):
        return "denied-by-hook"
    return "denied-by-permission" if words.startswith(_DENIED_BY_PERSON) else "failed"


def _hooks(reading: Reading, record: JsonObject, message: JsonObject, at: float) -> None:
    """Add the runs of one dispatch; times are those of the whole dispatch."""
    name, call = text(message.get("hookEventName")), text(message.get("hookToolCallId"))
    begun, ended = number(message.get("hookStartTime")), number(message.get("hookEndTime"))
    results = items(message.get("hookResults"))
    runs = []
    for place, entry in enumerate(map(mapping, items(message.get("hookCommands")))):
        result = mapping(results[place]) if place < len(results) else {}
        runs.append(_run(name, entry, result, ended - begun if begun and ended else None))
    if call:
        key = f"pre:{call}" if name.startswith("Pre") else f"post:{call}"
        event = reading.change(key)
        if event is None and name == "PostToolUse":  # a hook that ends the turn leaves no result of the tool that ran
            event = reading.end_call(call, at, "ok")
            if event:
                event.uid, event.hooks_recorded = text(record.get("id")), "all"
    else:
        key, parent, uid = _EVENTS.get(name, name), text(message.get("hookParentId")), text(record.get("id"))
        if key == "post-session":  # its parent is that of the Stop before it
            event = reading.change(f"{key}:{parent}")
        else:
            event = reading.change(f"stop:{parent}") or (reading.last(key) if key != "pre-agent-turn" else None)
        if event is None and key in ("pre-session", "post-session"):
            whose = parent if key == "post-session" else uid
            event = reading.add(TranscriptEvent(key=f"{key}:{whose}", event=key, at=at, uid=uid, hooks_recorded="all"))
    if event is None:
        waiting = reading.notes.setdefault(_WAITING, {})
        waiting.setdefault(key, []).extend(run_fields(run) for run in runs)
        return
    event.hooks += runs
    if key == "pre-agent-turn-stop" and any(run.decision == "deny" for run in runs):
        event.outcome = "denied"
        event.reason = next(run.reason for run in runs if run.decision == "deny")


def run_fields(run: ReportedRun) -> JsonObject:
    """A run as JSON values."""
    return {name: getattr(run, name) for name in ReportedRun.__slots__}


def _run(name: str, entry: JsonObject, result: JsonObject, duration_ms: float | None) -> ReportedRun:
    code, stderr = whole(result.get("exitCode")), text(result.get("stderr"))
    run = ReportedRun(
        event=name,
        command=text(entry.get("command")) or None,
        exit_code=code,
        stdout=text(result.get("stdout")),
        stderr=stderr,
        duration_ms=duration_ms,
    )
    if code is None:
        run.state = "failed"
    else:
        run.state = claude_hooks.take_answer(host.HOST.name, run, code)
        if code == 2 and not stderr.strip():  # in droid's own words
            run.reason = _OF_SILENT_DENIAL.get(name, run.reason)
    return run


AGENT = TranscriptSpec(
    host=host.HOST,
    begin=begin_by_file_name,
    read=read,
)
