"""Claude Code's transcripts: a JSON Lines file for each session and each subagent (seen in 2.1.197 and 2.1.330).

Records are joined by ids: results come in any order, and the reports of hooks before or after them. Silent hooks are not
recorded, but for Stop hooks in newer versions.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from hooktui.core.events import canonical
from hooktui.transcripts import claude_hooks
from hooktui.transcripts.claude_hooks import CALL_KEYS, HOOK_ERROR
from hooktui.transcripts.claude_payloads import payload
from hooktui.transcripts.reading import Reading, content_text, first_line, items, json_file, mapping, moment, number, text
from hooktui.transcripts.transcript_records import ReportedRun, TranscriptEvent
from hooktui.transcripts.transcript_spec import TranscriptSpec

if TYPE_CHECKING:
    from collections.abc import Callable

    from hooktui.transcripts.reading import JsonObject
    from hooktui.transcripts.transcript_records import Outcome

# Texts of user records that no person typed as a prompt.
_NO_PROMPT = ("<command-name>", "<command-message>", "<local-command", "<bash-", "[Request interrupted", "Caveat: The messages")
_NOTICE = "<task-notification>"
_STOP_FEEDBACK = "Stop hook feedback:\n"
_PROMPT_BLOCKED = "UserPromptSubmit operation blocked by hook:\n"
_ORIGINAL_PROMPT = "\n\nOriginal prompt: "  # behind the reason, which may end with a newline of its own
_STOPPED_BY_PERSON = "The user doesn't want to proceed"
_NOT_PERMITTED = ("Claude requested permissions", "denied by your permission settings", "Permission to use ")
_USE_ERROR = "<tool_use_error>"
_TURN_ENDS = ("end_turn", "stop_sequence")
_AGENT_FILE = "agent-"  # older versions keep it beside those of sessions
_SESSION_EVENTS = {
    "UserPromptSubmit": "pre-agent-turn",
    "Stop": "pre-agent-turn-stop",
    "SubagentStart": "pre-subagent",
    "SubagentStop": "post-subagent",
    "PreCompact": "pre-context-compact",
    "PostCompact": "post-context-compact",
}
# Beginnings of lines that hold no fact: skipping them unparsed saves a third of the time.
_IDLE_LINES = (b'{"type":"api-request', b'{"type":"last-prompt"', b'{"type":"tools-used"', b'{"type":"file-history-snapshot"')
_IDLE_ATTACHMENT = b'"attachment":{"type":"'
_READ_ATTACHMENTS = (b"hook_", b"queued_command")


def is_idle(line: bytes) -> bool:
    """Whether a line holds no fact, told without parsing it."""
    if line.startswith(_IDLE_LINES):
        return True
    kind = line.find(_IDLE_ATTACHMENT, 0, 400) + len(_IDLE_ATTACHMENT)
    return kind >= len(_IDLE_ATTACHMENT) and not line.startswith(_READ_ATTACHMENTS, kind)


def read(reading: Reading, record: JsonObject) -> None:
    """Read one record."""
    at = moment(record.get("timestamp"))
    reading.spans(at)
    session = reading.session
    if not (session.id and session.cwd and session.version):
        session.id = session.id or text(record.get("sessionId"))
        session.cwd = session.cwd or text(record.get("cwd"))
        session.version = session.version or text(record.get("version"))
    summaries = reading.notes.get("summaries")
    if summaries and (summary := summaries.get(record.get("uuid"))):
        _title(reading, {"type": "summary", "summary": summary}, at)
    handler = _RECORDS.get(record["type"])
    if handler:
        handler(reading, record, at)


def _user(reading: Reading, record: JsonObject, at: float) -> None:
    content = mapping(record.get("message")).get("content")
    blocks = [block for block in items(content) if mapping(block).get("type") == "tool_result"]
    for block in blocks:
        _result(reading, record, block, at)
    if not blocks:
        _prompt(reading, record, content_text(content), at)


def _prompt(reading: Reading, record: JsonObject, prompt: str, at: float) -> None:
    if record.get("isMeta"):
        if prompt.startswith(_STOP_FEEDBACK):
            _hold_stop(reading, record, prompt.removeprefix(_STOP_FEEDBACK))
        return
    if record.get("isCompactSummary") or not prompt:
        return
    if prompt.startswith(_NO_PROMPT):
        if prompt.startswith("<command-name>/clear") and not reading.open:
            _begin(reading, at, "clear")
        return
    agent = _agent(reading, record)
    if agent:
        _subagent(reading, record, agent, prompt, at)
    if not agent and not record.get("isSidechain"):
        _add_prompt(reading, record, prompt, at)


def _add_prompt(reading: Reading, record: JsonObject, prompt: str, at: float) -> TranscriptEvent:
    _begin(reading, at, "startup")
    reading.end_turn()
    reading.has_prompt(prompt)
    details = {"prompt": prompt, "prompt_id": record.get("promptId"), "permission_mode": record.get("permissionMode")}
    origin = text(mapping(record.get("origin")).get("kind"))
    if details["permission_mode"]:
        reading.notes["permission_mode"] = details["permission_mode"]
    reading.notes["prompt_id"] = details["prompt_id"]
    reading.notes["stop"] = None
    return reading.add(
        TranscriptEvent(
            key=f"prompt:{text(record.get('uuid'))}",
            event="pre-agent-turn",
            at=at,
            uid=text(record.get("uuid")),
            cwd=text(record.get("cwd")),
            details={name: value for name, value in details.items() if value} | ({"origin": origin} if origin else {}),
        )
    )


def _begin(reading: Reading, at: float, source: str, key: str = "session") -> TranscriptEvent | None:
    """Add the beginning of the session, which no record tells, or a later one that a hook reports."""
    if reading.notes.get("agent") or (key == "session" and reading.notes.get("begun")):
        return None
    reading.notes["begun"] = True
    return reading.add(TranscriptEvent(key=key, event="pre-session", at=at, details={"source": source}))


def _subagent(reading: Reading, record: JsonObject, agent: str, task: str, at: float) -> None:
    """Begin a subagent, unless the prompt is a further one."""
    known = reading.notes.setdefault("agents", [])
    if agent in known:
        return
    known.append(agent)
    details = {"agent_type": reading.notes.get("agent_type"), "task": task}
    reading.add(
        TranscriptEvent(
            key=f"agent:{agent}",
            event="pre-subagent",
            at=at,
            agent=agent,
            parent_call=reading.notes.get("parent_call"),
            uid=text(record.get("uuid")),
            cwd=text(record.get("cwd")),
            details={name: value for name, value in details.items() if value},
        )
    )


def _agent(reading: Reading, record: JsonObject) -> str:
    """The subagent that a record belongs to, "" for the session's own."""
    return text(record.get("agentId")) or text(reading.notes.get("agent"))


def _assistant(reading: Reading, record: JsonObject, at: float) -> None:
    message = mapping(record.get("message"))
    model = text(message.get("model"))
    if model and not model.startswith("<"):
        reading.session.model = model
    foreign = text(record.get("requestSessionId"))
    if foreign and foreign != reading.session.id:
        reading.session.forked_from = foreign
    agent = _agent(reading, record)
    for block in items(message.get("content")):
        if mapping(block).get("type") == "tool_use":
            reading.add_call(
                TranscriptEvent(
                    key=f"pre:{text(block['id'])}",
                    event="pre-tool-call",
                    at=at,
                    tool=text(block["name"]),
                    input=block.get("input"),
                    call=text(block["id"]),
                    agent=agent,
                    uid=text(record.get("uuid")),
                    cwd=text(record.get("cwd")),
                    details=_turn(reading),
                )
            )
    if message.get("stop_reason") in _TURN_ENDS and (agent or not record.get("isSidechain")):
        _end_turn(reading, record, message, at)


def _turn(reading: Reading) -> JsonObject:
    """What the payloads of a turn's events have in common."""
    return {name: value for name in ("prompt_id", "permission_mode") if (value := reading.notes.get(name))}


def _end_turn(reading: Reading, record: JsonObject, message: JsonObject, at: float) -> None:
    """Add the end of a turn; a message of several records ends it once."""
    agent = _agent(reading, record)
    name = "post-subagent" if agent else "pre-agent-turn-stop"
    last = reading.last(name)
    if last is None or reading.notes.get("stop") != message.get("id") or last.outcome == "denied":
        reading.notes["stop"] = message.get("id")
        uid = text(record.get("uuid"))
        last = reading.add(
            TranscriptEvent(
                key=f"stop:{uid}", event=name, at=at, outcome="ok", agent=agent, uid=uid, cwd=text(record.get("cwd")),
                parent_call=reading.notes.get("parent_call"), details=_turn(reading),
            )
        )  # fmt: skip
        if reading.notes.get("agent_type"):
            last.details["agent_type"] = reading.notes["agent_type"]
    final = content_text(message.get("content"))
    if final:
        last.details["last_assistant_message"] = final


def _result(reading: Reading, record: JsonObject, block: JsonObject, at: float) -> None:
    call = text(block["tool_use_id"])
    before = reading.open.get(f"pre:{call}")
    if before is None:
        return
    if not block.get("is_error"):
        reading.end_call(call, at, "ok", **before.details)
    else:
        words = content_text(block.get("content"))
        outcome = _error_outcome(record, words, before)
        after = reading.end_call(call, at, outcome, **before.details)
        if after:
            after.details["error"] = words.removeprefix("Error: ")
        else:
            _deny_call(before, record, words)
    after = reading.open.get(f"post:{call}")
    if after:
        after.uid = f"{text(record.get('uuid'))}:{call}"
        after.cwd = text(record.get("cwd"))
        after.hooks += [run for run in before.hooks if CALL_KEYS.get(run.event) == "post"]
        before.hooks = [run for run in before.hooks if CALL_KEYS.get(run.event) != "post"]


def _error_outcome(record: JsonObject, words: str, before: TranscriptEvent) -> Outcome:
    decision = mapping(record.get("permissionDecision"))
    rejected = decision.get("decision") == "reject"
    event, is_hook_error, _ = words.partition(HOOK_ERROR)
    if (rejected and decision.get("source") == "hook") or (is_hook_error and event.partition(":")[0] in CALL_KEYS):
        return "denied-by-hook"
    if words.startswith(_STOPPED_BY_PERSON):
        return "not-started" if record.get("toolDenialBeforeRun") else "interrupted"
    asked = any(run.decision == "ask" and run.reason == words for run in before.hooks)
    if rejected or asked or any(sign in words[:500] for sign in _NOT_PERMITTED):
        return "denied-by-permission"
    return "invalid" if words.startswith(_USE_ERROR) else "failed"


def _deny_call(before: TranscriptEvent, record: JsonObject, words: str) -> None:
    """Note why a call did not run, and the hook that denied it."""
    before.reason = words
    if before.outcome != "denied-by-hook":
        return
    code = text(mapping(record.get("permissionDecision")).get("reasonCode"))
    event, is_hook_error, told = words.partition(HOOK_ERROR)
    name = event.partition(":")[0] if is_hook_error else code.removeprefix("hook:") or "PreToolUse"
    before.reason = claude_hooks.add_denial(before, claude_hooks.denial(name, told if is_hook_error else words))


def _hold_stop(reading: Reading, record: JsonObject, words: str) -> None:
    """A hook did not let the agent stop."""
    agent = _agent(reading, record)
    event = reading.last("post-subagent" if agent else "pre-agent-turn-stop")
    if event:
        event.outcome = "denied"
        event.reason = claude_hooks.add_denial(event, claude_hooks.denial("SubagentStop" if agent else "Stop", words))


def _attachment(reading: Reading, record: JsonObject, at: float) -> None:
    attachment = mapping(record.get("attachment"))
    kind = text(attachment.get("type"))
    if kind == "queued_command":
        prompt, origin = content_text(attachment.get("prompt")), attachment.get("origin")
        if origin or not prompt.startswith(_NOTICE):  # without an origin no hook ran for a notice
            _add_prompt(reading, {**record, "origin": origin}, prompt, at)
    elif kind.startswith("hook_"):
        event = _event_of_hook(reading, record, attachment, at)
        if event:
            claude_hooks.add(event, attachment)


def _event_of_hook(reading: Reading, record: JsonObject, attachment: JsonObject, at: float) -> TranscriptEvent | None:
    """The event that a hook ran for; it is about to change."""
    name, dispatch = text(attachment.get("hookEvent")), text(attachment.get("toolUseID"))
    if name in CALL_KEYS:
        return reading.change(f"{CALL_KEYS[name]}:{dispatch}") or reading.change(f"pre:{dispatch}")
    if name == "SessionStart":
        if reading.notes.get("start") != dispatch and not claude_hooks.is_effect(attachment):
            source = text(attachment.get("hookName")).partition(":")[2] or "startup"
            key = f"session:{text(record.get('uuid'))}" if reading.notes.get("begun") else "session"
            reading.notes["start"] = dispatch
            _begin(reading, at, source, key)
        return reading.last("pre-session")
    if name in _SESSION_EVENTS or not name:
        return reading.last(_SESSION_EVENTS[name]) if name else None
    key = f"hook:{name}:{dispatch}"
    event = TranscriptEvent(key=key, event=canonical(name) or name, at=at, agent=_agent(reading, record))
    return reading.change(key) or reading.add(event)


def _system(reading: Reading, record: JsonObject, at: float) -> None:
    kind = record.get("subtype")
    if kind == "compact_boundary":
        trigger = text(mapping(record.get("compactMetadata")).get("trigger"))
        uid = text(record.get("uuid"))
        for name in ("pre-context-compact", "post-context-compact"):
            reading.add(
                TranscriptEvent(
                    key=f"{name}:{uid}", event=name, at=at, outcome="ok", uid=f"{uid}:{name}", details={"trigger": trigger}
                )
            )
    elif kind == "stop_hook_summary":
        _stop_summary(reading, record)
    elif kind == "informational" and text(record.get("content")).startswith(_PROMPT_BLOCKED):
        told, _, prompt = text(record.get("content")).removeprefix(_PROMPT_BLOCKED).partition(_ORIGINAL_PROMPT)
        event = _add_prompt(reading, record, prompt, at)
        event.outcome = "denied-by-hook"
        event.reason = claude_hooks.add_denial(event, claude_hooks.denial("UserPromptSubmit", told.removesuffix("\n")))


def _stop_summary(reading: Reading, record: JsonObject) -> None:
    """Every Stop hook, the silent ones too."""
    agent = _agent(reading, record)
    event = reading.last("post-subagent" if agent else "pre-agent-turn-stop")
    if event is None:
        return
    event.hooks_recorded = "all"
    reported = list(event.hooks)
    for told in map(mapping, items(record.get("hookInfos"))):
        command, duration = text(told.get("command")), number(told.get("durationMs"))
        run = next((run for run in reported if run.command == command), None)
        if run:
            reported.remove(run)
            run.duration_ms = run.duration_ms if run.duration_ms is not None else duration
        else:
            hook = "SubagentStop" if agent else "Stop"
            event.hooks.append(ReportedRun(event=hook, command=command or None, duration_ms=duration))
    if record.get("preventedContinuation") and event.hooks:
        event.hooks[-1].decision, event.hooks[-1].reason = "stop", text(record.get("stopReason")) or None


def _title(reading: Reading, record: JsonObject, _at: float) -> None:
    rank = _TITLES.index(text(record["type"]))
    title = first_line(text(record.get("customTitle")) or text(record.get("aiTitle")) or text(record.get("summary")))
    if rank == 0 and not reading.session.start:  # at the top of a file, most are those of other sessions
        reading.notes.setdefault("summaries", {})[text(record.get("leafUuid"))] = title
    elif title and rank >= reading.notes.get("title", -1):
        reading.notes["title"], reading.session.title = rank, title


def _worktree(reading: Reading, record: JsonObject, _at: float) -> None:
    tree = mapping(record.get("worktreeSession")) or record
    reading.session.project = text(tree.get("originalCwd")) or reading.session.project


_TITLES = ("summary", "ai-title", "custom-title")  # the later the stronger
_RECORDS: dict[object, Callable[[Reading, JsonObject, float], None]] = {
    "user": _user,
    "assistant": _assistant,
    "attachment": _attachment,
    "system": _system,
    "worktree-state": _worktree,
    **dict.fromkeys(_TITLES, _title),
}


def begin(path: str) -> Reading:
    """A reading of the session or the subagent whose file it is."""
    reading = Reading()
    folder, file = os.path.split(path)
    is_below_session = os.path.basename(folder) == "subagents"
    if not is_below_session and not file.startswith(_AGENT_FILE):
        reading.session.id = file.removesuffix(".jsonl")
        return reading
    reading.session.id = os.path.basename(os.path.dirname(folder)) if is_below_session else ""  # records have it
    about = json_file(path.removesuffix(".jsonl") + ".meta.json")
    told = {
        "agent": file.removesuffix(".jsonl").removeprefix(_AGENT_FILE),
        "agent_type": text(about.get("agentType")),
        "parent_call": text(about.get("toolUseId")),
    }
    reading.notes.update({name: value for name, value in told.items() if value})
    return reading


AGENT = TranscriptSpec(
    name="claude",
    title="Claude Code",
    directory=".claude",
    variable="CLAUDE_CONFIG_DIR",
    files=("projects/*/*.jsonl",),
    subagents=("projects/*/*/subagents/*.jsonl",),
    begin=begin,
    read=read,
    is_idle=is_idle,
    payload=payload,
)
