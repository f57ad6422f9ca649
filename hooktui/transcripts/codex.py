"""Codex's transcripts: a rollout file for each thread (seen in 0.169.0).

For hooks `exec_command` is `Bash`. Context that a hook added has neither event nor call: its place tells them.
"""

from __future__ import annotations

import glob
import json
import os
import re
import sqlite3
from contextlib import closing
from functools import lru_cache
from typing import TYPE_CHECKING
from urllib.parse import quote

from hooktui.hosts import codex as host
from hooktui.transcripts import compressed, transcript_files
from hooktui.transcripts.reading import Reading, content_text, first_line, items, mapping, moment, number, text
from hooktui.transcripts.transcript_records import ReportedRun, TranscriptEvent
from hooktui.transcripts.transcript_spec import TranscriptSpec

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    from hooktui.transcripts.reading import JsonObject
    from hooktui.transcripts.transcript_files import FilePosition, Portion
    from hooktui.transcripts.transcript_records import Outcome

_DENIED_BY_HOOK = "blocked by PreToolUse hook: "
_NOT_PERMITTED = ("Rejected(", "approval policy is Never", "rejected by user approval settings")
_ABORTED = re.compile(r"(?:Wall time: [\d.]+ seconds\n)?aborted by user")
_INVALID = ("unsupported call", "unsupported custom tool call", "failed to parse function arguments")
_SHELLS = ("exec_command", "shell", "shell_command", "local_shell", "container.exec", "unified_exec")
_RUNS_COMMAND = ("-c", "-lc")  # options of shells
_SHOWS = "view_image"  # its result is an image, or the words of an error; no hook hears of that (seen in 0.171.0)
_MCP = "mcp__"  # of the namespaces of servers' tools; hooks see others' names without
_WITH_OUTPUT = ("CommandExecution", "McpToolCall")  # items whose call's output has the mark `Output:`
_SHELL_TOOL = host.HOST.tools["shell"]
_MODES = {"never": "bypassPermissions"}  # the `permission_mode` of payloads, by approval policy
_ROLLOUT = re.compile(
    r"(?P<root>.*)/(?:sessions(?:/[^/]+){3}|archived_sessions)/"
    r"rollout-.*-(?P<thread>[0-9a-f]{8}(?:-[0-9a-f]{4,12}){4})\.jsonl(?:\.zst)?",
    re.DOTALL,
)
_TITLES = "SELECT id, title FROM threads WHERE title <> ''"


def begin(path: str) -> Reading:
    """Begin to read a thread."""
    reading = Reading()
    reading.session.title = title_of(path)
    return reading


def portions(file: FilePosition) -> Iterator[Portion]:
    """The lines of a transcript; one that is compressed is read whole, so its position stays 0."""
    if file.path.endswith(compressed.SUFFIX):
        yield compressed.portion(file.path)
    else:
        yield from transcript_files.portions(file)


def read(reading: Reading, record: JsonObject) -> None:
    """Read one record."""
    at = moment(record.get("timestamp"))
    reading.spans(at)
    payload = mapping(record.get("payload"))
    handler = _RECORDS.get((record["type"], payload.get("type"))) or _RECORDS.get((record["type"], None))
    if handler:
        handler(reading, payload, at)


def _session(reading: Reading, payload: JsonObject, at: float) -> None:
    session = reading.session
    thread = text(payload.get("id"))
    session.id = session.id or text(payload.get("session_id")) or thread
    session.cwd = session.cwd or text(payload.get("cwd"))
    session.version = text(payload.get("cli_version"))
    spawned = mapping(mapping(mapping(payload.get("source")).get("subagent")).get("thread_spawn"))
    if spawned or text(payload.get("parent_thread_id")):
        reading.notes["agent"] = thread
        session.title = ""  # the thread's, not the session's
        session.id = text(payload.get("session_id")) or text(payload.get("parent_thread_id")) or thread
    elif not reading.notes.get("begun"):
        reading.notes["begun"] = True
        reading.add(TranscriptEvent(key="session", event="pre-session", at=at, details={"source": "startup"}))


def _turn_started(reading: Reading, payload: JsonObject, _at: float) -> None:
    reading.end_turn()
    reading.notes.update(
        turn_id=text(payload.get("turn_id")), prompted=False, contexts=[], outputs=[], ended=[], failed=[], compacted=False
    )


def _turn_context(reading: Reading, payload: JsonObject, _at: float) -> None:
    reading.session.model = text(payload.get("model")) or reading.session.model
    reading.notes["cwd"] = text(payload.get("cwd"))
    reading.notes["permission_mode"] = _MODES.get(text(payload.get("approval_policy")), "default")


def _details(reading: Reading, **more: Any) -> JsonObject:
    """What the payloads of a turn's events have in common, and more."""
    names = ("turn_id", "permission_mode")
    common = {name: value for name in names if (value := reading.notes.get(name))}
    return common | ({"model": reading.session.model} if reading.session.model else {}) | more


def _message(reading: Reading, payload: JsonObject, at: float) -> None:
    """Record the context that a hook added, a message with the role `developer`."""
    passed = mapping(payload.get("internal_chat_message_metadata_passthrough"))
    if payload.get("role") != "developer" or "hooks.additional_context" not in items(passed.get("content_item_kinds")):
        return
    context = content_text(payload.get("content"))
    if reading.notes.get("prompted"):
        waiting = _open_calls(reading)
        if waiting and not any(event.call in reading.notes.get("ended", ()) for event in waiting):
            _add_call_context(reading, waiting, context)
            return
        reading.notes.setdefault("contexts", []).append(context)
        if not waiting:
            _attach_contexts(reading, reading.last("pre-agent-turn"), "UserPromptSubmit", 1)
        return
    if reading.notes.get("turns"):
        key = f"session:{reading.notes.get('turn_id')}"
        if key not in reading.open:
            reading.add(TranscriptEvent(key=key, event="pre-session", at=at, details={"source": "resume"}))
    event = reading.last("pre-session")
    if event:
        event.hooks.append(ReportedRun(event="SessionStart", context=context))


def _open_calls(reading: Reading) -> list[TranscriptEvent]:
    return [event for event in reading.open.values() if event.outcome == "no-result"]


def _add_call_context(reading: Reading, waiting: list[TranscriptEvent], context: str) -> None:
    """Give a call the context that came before any of the waiting calls had run: in order, to the one with the fewest."""
    event = min(waiting, key=lambda call: len(call.hooks))
    reading.change(event.key)
    event.hooks.append(ReportedRun(event="PreToolUse", context=context))


def _attach_contexts(reading: Reading, event: TranscriptEvent | None, hook: str, count: int) -> None:
    contexts = reading.notes.get("contexts") or []
    taken, reading.notes["contexts"] = contexts[:count], contexts[count:]
    if event:
        event.hooks += [ReportedRun(event=hook, context=context) for context in taken]


def _item(reading: Reading, payload: JsonObject, at: float) -> None:
    item = mapping(payload.get("item"))
    kind = item.get("type")
    if kind == "UserMessage":
        _prompt(reading, content_text(item.get("content")), text(item.get("id")), at)
    elif kind == "AgentMessage":
        reading.notes["message"] = "\n".join(text(mapping(part).get("text")) for part in items(item.get("content")))
    elif kind == "HookPrompt":
        for fragment in map(mapping, items(item.get("fragments"))):
            _stop(reading, at, text(item.get("id")), text(fragment.get("text")))
    else:
        _call_ran(reading, item)


def _call_ran(reading: Reading, item: JsonObject) -> None:
    """Note that a call has run, as an item with its id tells before its output; hooks may follow."""
    before = reading.change(f"pre:{text(item.get('id'))}")
    if before is None:
        return
    seconds = mapping(item.get("duration"))
    if seconds:
        before.duration_ms = (number(seconds.get("secs")) or 0.0) * 1000 + (number(seconds.get("nanos")) or 0.0) / 1e6
    notes, kind = reading.notes, item.get("type")
    words = items(item.get("command"))
    if before.tool == _SHELL_TOOL and len(words) == 3 and words[1] in _RUNS_COMMAND:
        _, ran = _as_hooks_see(_SHELLS[0], {"command": words})
        if ran != before.input:  # a hook gave the call another input
            before.hooks.append(ReportedRun(event="PreToolUse", modified_input=ran))
    notes["ended"] = [*notes.get("ended", ())[-20:], before.call]
    if kind in _WITH_OUTPUT:
        notes["outputs"] = [*notes.get("outputs", ())[-20:], before.call]
    if kind == "McpToolCall" and item.get("status") == "failed":
        notes["failed"] = [*notes.get("failed", ())[-20:], before.call]


def _prompt(reading: Reading, prompt: str, uid: str, at: float) -> None:
    reading.notes["prompted"] = True
    reading.notes["turns"] = reading.notes.get("turns", 0) + 1
    agent = reading.notes.get("agent", "")
    if agent and reading.notes["turns"] == 1:
        details = _details(reading, task=prompt)
        reading.add(TranscriptEvent(key=f"agent:{agent}", event="pre-subagent", at=at, uid=uid, agent=agent, details=details))
        return
    reading.has_prompt(prompt)
    reading.add(
        TranscriptEvent(
            key=f"prompt:{uid}", event="pre-agent-turn", at=at, uid=uid, agent=agent, cwd=reading.notes.get("cwd", ""),
            details=_details(reading, prompt=prompt),
        )
    )  # fmt: skip


def _call(reading: Reading, payload: JsonObject, at: float) -> None:
    name, namespace = text(payload["name"]), text(payload.get("namespace"))
    if namespace.startswith(_MCP):
        name = f"{namespace.removesuffix('__')}__{name}"
    given = payload.get("input") if "input" in payload else payload.get("arguments")
    tool, arguments = _as_hooks_see(name, given)
    call = text(payload["call_id"])
    uid, agent, cwd = f"{reading.session.id}:{call}", reading.notes.get("agent", ""), reading.notes.get("cwd", "")
    event = reading.add_call(call, tool, arguments, at, uid, agent=agent, cwd=cwd, details=_details(reading))
    event.written_tool = name if name != tool else None


def _as_hooks_see(name: str, given: object) -> tuple[str, Any]:
    if name == "apply_patch":
        return name, {"command": given}
    try:
        arguments = json.loads(given) if isinstance(given, str) else given
    except (ValueError, RecursionError):
        arguments = given
    if name not in _SHELLS or not isinstance(arguments, dict):
        return name, arguments
    command = arguments.get("cmd") or arguments.get("command")
    words = items(command)
    if words:
        command = words[-1] if len(words) == 3 and words[1] in _RUNS_COMMAND else " ".join(map(text, words))
    return _SHELL_TOOL, {"command": command}


def _output(reading: Reading, payload: JsonObject, at: float) -> None:
    call = text(payload["call_id"])
    before = reading.open.get(f"pre:{call}")
    if before is None:
        return
    output = payload.get("output")
    words = content_text(mapping(output).get("content")) if isinstance(output, dict) else content_text(output)
    waiting = max(len(_open_calls(reading)), 1)
    duration = before.duration_ms
    outcome = _outcome(words)
    if outcome == "ok" and (call in reading.notes.get("failed", ()) or (before.tool == _SHOWS and isinstance(output, str))):
        outcome = "failed"
    after = reading.end_call(call, at, outcome, **before.details)
    if after is None:
        before.reason = words
        if outcome == "denied-by-hook":
            before.reason = words.partition(_DENIED_BY_HOOK)[2].partition(". Command: ")[0]
            before.hooks.append(ReportedRun(event="PreToolUse", decision="deny", reason=before.reason))
        return
    after.duration_ms = duration if duration is not None else after.duration_ms
    after.uid = f"{reading.session.id}:{call}:output"
    _attach_contexts(reading, after, "PostToolUse", -(-len(reading.notes.get("contexts") or ()) // waiting))
    if call in reading.notes.get("outputs", ()) and words and "Output:" not in words:
        after.reason = words
        after.hooks.append(ReportedRun(event="PostToolUse", decision="deny", reason=words))


def _outcome(words: str) -> Outcome:
    head = words[:500]
    if _DENIED_BY_HOOK in head:
        return "denied-by-hook"
    if any(sign in head for sign in _NOT_PERMITTED):
        return "denied-by-permission"
    if _ABORTED.match(head):
        return "interrupted"
    return "invalid" if head.startswith(_INVALID) else "ok"


def _stop(reading: Reading, at: float, uid: str, reason: str | None = None, message: str = "") -> None:
    """Add the end of a turn, or a stop that a hook held for a reason."""
    agent = reading.notes.get("agent", "")
    final = message or reading.notes.get("message", "")
    event = TranscriptEvent(
        key=f"stop:{uid}",
        event="post-subagent" if agent else "pre-agent-turn-stop",
        at=at,
        outcome="ok" if reason is None else "denied",
        reason=reason,
        uid=uid,
        agent=agent,
        cwd=reading.notes.get("cwd", ""),
        details=_details(reading, last_assistant_message=final),
    )
    if reason is not None:
        event.hooks.append(ReportedRun(event="SubagentStop" if agent else "Stop", decision="deny", reason=reason))
    reading.add(event)


def _turn_ended(reading: Reading, payload: JsonObject, at: float) -> None:
    message = text(payload.get("last_agent_message"))
    is_summary = reading.notes.get("compacted") and not reading.notes.get("prompted")  # a turn that only compacts
    if message and not is_summary:
        _stop(reading, at, text(payload.get("turn_id")), message=message)


def _turn_aborted(reading: Reading, _payload: JsonObject, _at: float) -> None:
    for key, event in reading.open.items():
        if event.outcome == "no-result":
            event.outcome = "interrupted"
            reading.changed[key] = event


def _compacted(reading: Reading, _payload: JsonObject, at: float) -> None:
    reading.notes["compacted"] = True
    for name in ("pre-context-compact", "post-context-compact"):
        reading.add(TranscriptEvent(key=f"{name}:{at}", event=name, at=at, outcome="ok", details=_details(reading)))


_RECORDS: dict[object, Callable[[Reading, JsonObject, float], None]] = {
    ("session_meta", None): _session,
    ("turn_context", None): _turn_context,
    ("compacted", None): _compacted,
    ("event_msg", "task_started"): _turn_started,
    ("event_msg", "task_complete"): _turn_ended,
    ("event_msg", "turn_aborted"): _turn_aborted,
    ("event_msg", "item_completed"): _item,
    ("response_item", "message"): _message,
    ("response_item", "function_call"): _call,
    ("response_item", "custom_tool_call"): _call,
    ("response_item", "function_call_output"): _output,
    ("response_item", "custom_tool_call_output"): _output,
}


def title_of(path: str) -> str:
    """The title of a transcript's thread, from a table of `state_N.sqlite` (seen in 0.169.0, N is 5); "" if Codex has none."""
    rollout = _ROLLOUT.fullmatch(path)
    databases = glob.glob(os.path.join(glob.escape(rollout["root"]), "state_*.sqlite")) if rollout else []
    if not rollout or not databases:
        return ""
    newest = max(databases, key=lambda name: (len(name), name))
    return first_line(_titles(newest, _changed(newest)).get(rollout["thread"], ""))


def _changed(database: str) -> tuple[int, ...]:
    return tuple(os.stat(path).st_mtime_ns for path in (database, f"{database}-wal") if os.path.exists(path))


@lru_cache(maxsize=2)
def _titles(database: str, _changed: tuple[int, ...]) -> dict[str, str]:
    """The titles by thread; none if the database cannot be read."""
    try:
        with closing(sqlite3.connect(f"file:{quote(database)}?mode=ro", uri=True, timeout=1)) as connection:
            return {text(thread): text(title) for thread, title in connection.execute(_TITLES)}
    except sqlite3.Error:
        return {}


AGENT = TranscriptSpec(
    host=host.HOST,
    begin=begin,
    read=read,
    portions=portions,
)
