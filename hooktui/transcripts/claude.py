"""Claude Code's transcripts: a JSON Lines file for each session and each subagent (seen in 2.1.197 and 2.1.330).

Records are joined by ids: results come in any order, and the reports of hooks before or after them. Silent hooks are not
recorded, but for Stop hooks in newer versions.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from hooktui.core.events import canonical
from hooktui.hosts import claude as host
from hooktui.scripts import hooktui_commands
from hooktui.transcripts import claude_calls, claude_hooks, claude_turns, transcript_spec
from hooktui.transcripts.claude_hooks import CALL_KEYS
from hooktui.transcripts.reading import Reading, content_text, first_line, items, json_file, mapping, moment, text
from hooktui.transcripts.transcript_records import TranscriptEvent
from hooktui.transcripts.transcript_spec import TranscriptSpec

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    from hooktui.core.model import Hook
    from hooktui.transcripts.reading import JsonObject
    from hooktui.transcripts.transcript_records import TranscriptSession

_NOTICE = "<task-notification>"
_PROMPT_BLOCKED = "UserPromptSubmit operation blocked by hook:\n"
_ORIGINAL_PROMPT = "\n\nOriginal prompt: "  # behind the reason, which may end with a newline of its own
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
_PATHS = ("file_path", "notebook_path")


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
        claude_calls.read_result(reading, record, block, at)
    if not blocks:
        claude_turns.read_prompt(reading, record, content_text(content), at)


def _assistant(reading: Reading, record: JsonObject, at: float) -> None:
    message = mapping(record.get("message"))
    model = text(message.get("model"))
    if model and not model.startswith("<"):
        reading.session.model = model
    agent = claude_turns.agent_of(reading, record)
    claude_turns.go_on(reading, record)
    for block in items(message.get("content")):
        if mapping(block).get("type") == "tool_use":
            claude_calls.read_call(reading, record, block, at)
    is_real = not model.startswith("<")  # `<synthetic>` joins a turn that was cut off or forked, without any hook
    if is_real and message.get("stop_reason") in _TURN_ENDS and (agent or not record.get("isSidechain")):
        claude_turns.end_turn(reading, record, message, at)


def _attachment(reading: Reading, record: JsonObject, at: float) -> None:
    attachment = mapping(record.get("attachment"))
    kind = text(attachment.get("type"))
    if kind == "queued_command":
        prompt, origin = content_text(attachment.get("prompt")), attachment.get("origin")
        if origin or not prompt.startswith(_NOTICE):  # without an origin no hook ran for a notice
            claude_turns.add_prompt(reading, {**record, "origin": origin}, prompt, at)
    elif kind.startswith("hook_"):
        event = _event_of_hook(reading, record, attachment, at)
        if event:
            claude_hooks.add(event, attachment)


def _event_of_hook(reading: Reading, record: JsonObject, attachment: JsonObject, at: float) -> TranscriptEvent | None:
    """The event that a hook ran for; it is about to change."""
    name, dispatch = text(attachment.get("hookEvent")), text(attachment.get("toolUseID"))
    if name in CALL_KEYS:
        return claude_calls.event_of_hook(reading, record, name, dispatch, at)
    if name == "SessionStart":
        source = text(attachment.get("hookName")).partition(":")[2] or "startup"
        is_new = reading.notes.get("start") != dispatch and not claude_hooks.is_effect(attachment)
        if is_new and not claude_turns.has_just_begun(reading, source):  # a refused answer has an id of its own
            key = f"session:{text(record.get('uuid'))}" if reading.notes.get("begun") else "session"
            reading.notes["start"] = dispatch
            claude_turns.begin_session(reading, at, source, key)
        return reading.last("pre-session")
    if name in _SESSION_EVENTS or not name:
        return reading.last(_SESSION_EVENTS[name]) if name else None
    key = f"hook:{name}:{dispatch}"
    event = TranscriptEvent(key=key, event=canonical(name) or name, at=at, agent=claude_turns.agent_of(reading, record))
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
        claude_turns.read_stop_summary(reading, record)
    elif kind == "informational" and (words := text(record.get("content"))).startswith(claude_turns.STOPPED):
        claude_turns.stop_prompt(reading, words.removeprefix(claude_turns.STOPPED).removeprefix(": "))
    elif kind == "informational" and words.startswith(_PROMPT_BLOCKED):
        told, _, prompt = words.removeprefix(_PROMPT_BLOCKED).partition(_ORIGINAL_PROMPT)
        event = claude_turns.add_prompt(reading, record, prompt, at)
        run = claude_hooks.denial("UserPromptSubmit", told.removesuffix("\n"))
        event.outcome, event.reason = "denied-by-hook", run.reason
        ending = mapping(mapping(record.get("promptSubmitEnding")).get("ending"))
        if run.command or not ending or "reason" in ending:  # a mod's denial has none (seen in 2.1.332)
            event.reason = claude_hooks.add_denial(event, run)
    elif kind == "informational":
        claude_turns.end_held_turn(reading, words)


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


def payload(spec: TranscriptSpec, session: TranscriptSession, event: TranscriptEvent, path: str) -> dict[str, Any]:
    """The payload that hooks would have got: paths of files are absolute there (seen in 2.1.197 and 2.1.330)."""
    fields = transcript_spec.payload(spec, session, event, path)
    given = mapping(fields.get("tool_input"))
    for name in _PATHS:
        file = text(given.get(name))
        if file and not file.startswith(("/", "~")) and event.cwd:
            fields["tool_input"] = given = given | {name: os.path.normpath(os.path.join(event.cwd, file))}
    return fields


def hook_names(hook: Hook) -> Iterator[str | None]:
    """What a transcript may call a hook: its status message, its words unquoted, also around an observed one, or its prompt."""
    yield from (hook.command, hook.url, hook.prompt)
    yield text(hook.metadata.get("statusMessage"))
    if words := list(map(str, items(hook.metadata.get("args")))):
        yield " ".join(hook.argv)
        yield " ".join((hooktui_commands.observing(host.HOST.name)[0], *words))


AGENT = TranscriptSpec(
    host=host.HOST,
    hook_names=hook_names,
    begin=begin,
    read=read,
    is_idle=is_idle,
    payload=payload,
)
