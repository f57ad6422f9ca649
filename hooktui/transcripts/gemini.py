"""Gemini CLI's transcripts: a file for each session and each subagent (seen in 0.61).

A message comes twice, first without and then with its tool calls. A resumed session repeats the history without them; what was
read before counts. Arguments are those after a hook changed them.
"""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING

from hooktui.hosts import gemini as host
from hooktui.transcripts import transcript_files
from hooktui.transcripts.reading import Reading, content_text, items, json_file, mapping, moment, parsed, small_file, text
from hooktui.transcripts.transcript_files import Portion
from hooktui.transcripts.transcript_records import ReportedRun, TranscriptEvent
from hooktui.transcripts.transcript_spec import TranscriptSpec

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from hooktui.core.model import DecisionName
    from hooktui.transcripts.reading import JsonObject
    from hooktui.transcripts.transcript_files import FilePosition
    from hooktui.transcripts.transcript_records import Outcome

_DOCUMENT = ".json"  # the suffix of transcripts that are one JSON document
_LARGEST = 64 << 20  # bytes of a document
_NO_PROMPT = ("<session_context>", "[Request interrupted")
_BLOCKED = "Tool execution blocked: "
_WITHHELD = "Tool result blocked: "  # a hook denied the result of a tool that ran
_STOPPED = "Agent execution stopped by hook: "
_CONTEXT, _CONTEXT_END = "<hook_context>", "</hook_context>"
# Note: a tool was called since the last prompt. With `-p`, the reason to go on then reads like a prompt (seen in 0.61).
_CALLED = "called"
_ENDS_AGENT = "complete_task"
_MODIFIED = "[System] Tool input parameters were modified by a hook"
_BAD_INPUT = ("params must", "params/")
_NOT_PERMITTED = ("denied by policy", "User denied", "was denied by the user")


def read(reading: Reading, record: JsonObject) -> None:
    """Read one record."""
    changes = record.get("$set")
    if isinstance(changes, dict):
        for message in items(changes.get("messages")):
            _message(reading, mapping(message), is_repeated=True)
    elif "sessionId" in record and "id" not in record:
        _session(reading, record)
    elif "id" in record:
        _message(reading, record, is_repeated=False)


def _session(reading: Reading, record: JsonObject) -> None:
    session = reading.session
    at = moment(record.get("startTime"))
    reading.spans(at)
    session.id = session.id or text(record["sessionId"])
    if record.get("kind") == "subagent":
        reading.notes["agent"] = text(record["sessionId"])
        return
    source = "resume" if reading.notes.get("begun") else "startup"
    reading.notes.update({"begun": True, _CALLED: False})
    reading.add(TranscriptEvent(key=f"session:{at}", event="pre-session", at=at, details={"source": source}))


def _message(reading: Reading, record: JsonObject, *, is_repeated: bool) -> None:
    at = moment(record.get("timestamp"))
    reading.spans(at)
    uid = text(record["id"])
    seen = reading.notes.setdefault("seen", {})
    if is_repeated and uid in seen:
        return
    if record.get("type") == "user":
        seen[uid] = 1
        _user(reading, record, uid, at)
    elif record.get("type") == host.HOST.name:
        seen[uid] = 1
        _answer(reading, record, uid, at)


def _user(reading: Reading, record: JsonObject, uid: str, at: float) -> None:
    parts, context = _without_context(record.get("content"))
    prompt = content_text(parts)
    if not prompt or prompt.startswith(_NO_PROMPT):
        return
    agent = reading.notes.get("agent", "")
    if agent and not reading.notes.get("task"):
        reading.notes["task"] = True
        reading.add(
            TranscriptEvent(key=f"agent:{agent}", event="pre-subagent", at=at, agent=agent, uid=uid, details={"task": prompt})
        )
    elif agent:  # Gemini CLI tells a subagent that stopped too early to go on
        if early := reading.last("post-subagent"):
            reading.remove(early.key)
    elif _holds_stop(reading, record, prompt, len(parts)):
        event = reading.last("pre-agent-turn-stop")
        if event:
            event.outcome, event.reason = "denied", prompt
            event.hooks.append(ReportedRun(event="AfterAgent", decision="deny", reason=prompt))
    else:
        if reading.notes.get(_CALLED) and "displayContent" not in record and (stop := reading.last("pre-agent-turn-stop")):
            stop.outcome = None
        reading.notes.update({_CALLED: False, "prompt": prompt, "shown": content_text(record.get("displayContent")) or prompt})
        event = reading.add_prompt(prompt, uid, at, agent)
        if context:
            event.hooks.append(ReportedRun(event="BeforeAgent", context=context))


def _without_context(content: object) -> tuple[list[Any], str]:
    """The parts of a message, and the context that a hook added as its last one."""
    parts = items(content) if isinstance(content, list) else [{"text": text(content)}]
    last = text(mapping(parts[-1]).get("text")) if len(parts) > 1 else ""
    is_context = last.startswith(_CONTEXT) and last.endswith(_CONTEXT_END)
    return (parts[:-1], _context(last.removeprefix(_CONTEXT))) if is_context else (parts, "")


def _context(words: str) -> str:
    """What a hook added, which Gemini CLI escapes."""
    return words.partition(_CONTEXT_END)[0].replace("&lt;", "<").replace("&gt;", ">")


def _holds_stop(reading: Reading, record: JsonObject, prompt: str, parts: int) -> bool:
    """Whether a message is the reason of an AfterAgent hook. What is shown for it is the turn's prompt, or a tool's result.

    What is shown for a prompt is what the person typed: without the context of hooks, files that it refers to and the like.
    """
    if "displayContent" not in record or parts > 1:
        return False
    shown = content_text(record["displayContent"])
    return prompt not in (shown, reading.notes.get("prompt")) and shown in ("", reading.notes.get("shown"))


def _answer(reading: Reading, record: JsonObject, uid: str, at: float) -> None:
    reading.session.model = text(record.get("model")) or reading.session.model
    calls = items(record.get("toolCalls"))
    reading.notes[_CALLED] = reading.notes.get(_CALLED) or bool(calls)
    for call in calls:
        _call(reading, mapping(call), at)
    final, agent = content_text(record.get("content")), reading.notes.get("agent", "")
    if calls:
        reading.remove(f"stop:{uid}")  # more than the last text of a turn
    elif final:
        reading.add(
            TranscriptEvent(
                key=f"stop:{uid}",
                event="post-subagent" if agent else "pre-agent-turn-stop",
                at=at,
                outcome="ok",
                agent=agent,
                uid=uid,
                details={"final_message": final},
            )
        )


def _call(reading: Reading, call: JsonObject, at: float) -> None:
    identity, ended = text(call["id"]), moment(call.get("timestamp"))
    agent = reading.notes.get("agent", "")
    event = reading.add_call(identity, text(call["name"]), call.get("args"), at, f"{identity}:call", agent=agent)
    words = "\n".join(_response_text(part) for part in items(call.get("result")))
    if _MODIFIED in words:
        event.hooks.append(ReportedRun(event="BeforeTool", modified_input=mapping(call.get("args")) or None))
    ran = _run_after(text(call.get("resultDisplay")), words)
    outcome = "ok" if ran else _outcome(text(call.get("status")), words)
    if outcome is None:
        return
    reading.spans(ended)
    after = reading.end_call(identity, ended or at, outcome)
    if after is None:
        event.reason = words
        if outcome == "denied-by-hook":
            decision: DecisionName = "stop" if words.startswith(_STOPPED) else "deny"
            event.reason = words.removeprefix(_BLOCKED).removeprefix(_STOPPED)
            event.hooks.append(ReportedRun(event="BeforeTool", decision=decision, reason=event.reason))
        return
    after.uid = f"{identity}:result"
    if event.agent and event.tool == _ENDS_AGENT and outcome == "ok":
        _end_agent(reading, event, ended or at)
    if ran:
        after.hooks.append(ran)
    for part in words.split(_CONTEXT)[1:]:
        after.hooks.append(ReportedRun(event="AfterTool", context=_context(part)))


def _run_after(shown: str, words: str) -> ReportedRun | None:
    """The run of a hook that denied the result of a tool, or that stopped the agent: then the model gets the bare reason."""
    if shown.startswith(_WITHHELD):
        return ReportedRun(event="AfterTool", decision="deny", reason=shown.removeprefix(_WITHHELD))
    return ReportedRun(event="AfterTool", decision="stop", reason=words) if shown == _STOPPED + words else None


def _end_agent(reading: Reading, call: TranscriptEvent, at: float) -> None:
    """Add the end of a subagent, which is a call of a tool of its own."""
    result = mapping(call.input).get("result")
    reading.add(
        TranscriptEvent(
            key=f"stop:{call.call}",
            event="post-subagent",
            at=at,
            outcome="ok",
            agent=call.agent,
            uid=f"{call.call}:end",
            details={"final_message": result} if isinstance(result, str) else {},
        )
    )


def _response_text(part: Any) -> str:
    response = mapping(mapping(mapping(part).get("functionResponse")).get("response"))
    return text(response.get("output")) or text(response.get("error"))


def _outcome(status: str, words: str) -> Outcome | None:
    """The outcome of a call, None while it has none."""
    if status == "success":
        return "ok"
    if status == "cancelled":
        return "interrupted"
    if status != "error":
        return None
    if words.startswith((_BLOCKED, _STOPPED)):
        return "denied-by-hook"
    if any(sign in words[:500] for sign in _NOT_PERMITTED):
        return "denied-by-permission"
    is_unknown = words.startswith('Tool "') and " not found" in words[:200]
    return "invalid" if is_unknown or words.startswith(_BAD_INPUT) else "failed"


def begin(path: str) -> Reading:
    """Begin to read a session or subagent. The project's directory comes from `.project_root` or `projects.json`."""
    reading = Reading()
    folder = os.path.dirname(path)
    if os.path.basename(folder) != "chats":
        reading.session.id = os.path.basename(folder)
        reading.notes["agent"] = os.path.basename(path).removesuffix(".jsonl")
        folder = os.path.dirname(folder)
    project = os.path.dirname(folder)
    reading.session.cwd = small_file(os.path.join(project, ".project_root")).decode(errors="replace").strip()
    if not reading.session.cwd:
        projects = mapping(json_file(os.path.join(os.path.dirname(os.path.dirname(project)), "projects.json")).get("projects"))
        names = {name: cwd for cwd, name in projects.items() if isinstance(name, str)}
        reading.session.cwd = names.get(os.path.basename(project), "")
    return reading


def portions(file: FilePosition) -> Iterator[Portion]:
    """The lines of a transcript; older ones are a document that is written anew each time, so its position stays 0."""
    if not file.path.endswith(_DOCUMENT):
        yield from transcript_files.portions(file)
        return
    with open(file.path, "rb") as stream:
        text = stream.read(_LARGEST)
    try:
        document = mapping(parsed(text))
    except (ValueError, RecursionError):
        yield Portion([], 0, cut=1)
        return
    messages = items(document.pop("messages", None))
    yield Portion([json.dumps(record).encode() for record in (document, *messages)], 0)


AGENT = TranscriptSpec(
    host=host.HOST,
    begin=begin,
    read=read,
    portions=portions,
    names={"post-tool-call-failure": "AfterTool"},
)
