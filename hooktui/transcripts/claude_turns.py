"""The turns of a session or a subagent in Claude Code's transcripts: their prompts, ends and Stop hooks."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from hooktui.hosts.claude import HOST
from hooktui.transcripts import claude_hooks
from hooktui.transcripts.reading import content_text, mapping, number, text
from hooktui.transcripts.transcript_records import ReportedRun, TranscriptEvent

if TYPE_CHECKING:
    from hooktui.transcripts.reading import JsonObject, Reading

STOPPED = "Operation stopped by hook"
# Texts of user records that no person typed as a prompt.
_NO_PROMPT = (
    *("<command-name>", "<command-message>", "<local-command", "<bash-"),
    *("[Request interrupted", "Caveat: The messages", STOPPED),
)
# A command or a skill of the person's: hooks get what was typed (seen in 2.1.197 and 2.1.332).
_COMMAND = re.compile(
    r"<command-message>[^<]*</command-message>\s*<command-name>(?P<name>/[^<]*)</command-name>"
    r"(?:\s*<command-args>(?P<args>.*)</command-args>)?",
    re.DOTALL,
)
_STOP_FEEDBACK = "Stop hook feedback:\n"
# Only newer versions say so (2.1.332), and not in a subagent.
_LET_GO = re.compile(r"A hook blocked the turn from ending \d+ consecutive times")


def read_prompt(reading: Reading, record: JsonObject, prompt: str, at: float) -> None:
    """Begin a turn or a subagent, or hold the end of a turn, as a text in the person's name tells."""
    if record.get("isMeta"):
        if prompt.startswith(_STOP_FEEDBACK):
            _hold_stop(reading, record, prompt.removeprefix(_STOP_FEEDBACK))
        return
    if record.get("isCompactSummary") or not prompt:
        return
    reading.notes["held"] = 0
    if command := _COMMAND.match(prompt):
        prompt = f"{command['name']} {command['args'] or ''}".rstrip()
    if prompt.startswith(_NO_PROMPT):
        if prompt.startswith("<command-name>/clear") and not reading.open:
            begin_session(reading, at, "clear")
        return
    agent = agent_of(reading, record)
    if agent:
        _subagent(reading, record, agent, prompt, at)
    if not agent and not record.get("isSidechain"):
        add_prompt(reading, record, prompt, at)


def add_prompt(reading: Reading, record: JsonObject, prompt: str, at: float) -> TranscriptEvent:
    """Begin a turn with its prompt."""
    begin_session(reading, at, "startup")
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


def stop_prompt(reading: Reading, reason: str) -> None:
    """A hook ends the session at the prompt that was read last."""
    newest = next(reversed(reading.open), "")
    event = reading.change(newest)
    if event and event.event == "pre-agent-turn":
        event.outcome, event.reason = "denied-by-hook", reason
        event.hooks.append(ReportedRun(event="UserPromptSubmit", decision="stop", reason=reason or None))


def begin_session(reading: Reading, at: float, source: str, key: str = "session") -> TranscriptEvent | None:
    """Add the beginning of the session, which no record tells, or a later one that a hook reports."""
    if reading.notes.get("agent") or (key == "session" and reading.notes.get("begun")):
        return None
    reading.notes["begun"] = True
    return reading.add(TranscriptEvent(key=key, event="pre-session", at=at, details={"source": source}))


def has_just_begun(reading: Reading, source: str) -> bool:
    """Whether nothing happened since the session began in this way."""
    newest = next(reversed(reading.open.values()), None)
    return newest is not None and newest.event == "pre-session" and newest.details.get("source") == source


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


def agent_of(reading: Reading, record: JsonObject) -> str:
    """The subagent that a record belongs to, "" for the session's own."""
    return text(record.get("agentId")) or text(reading.notes.get("agent"))


def turn_fields(reading: Reading) -> JsonObject:
    """What the payloads of a turn's events have in common."""
    return {name: value for name in ("prompt_id", "permission_mode") if (value := reading.notes.get(name))}


def end_turn(reading: Reading, record: JsonObject, message: JsonObject, at: float) -> None:
    """Add the end of a turn; a message of several records ends it once."""
    agent = agent_of(reading, record)
    name = "post-subagent" if agent else "pre-agent-turn-stop"
    last = reading.last(name)
    if last is None or reading.notes.get("stop") != message.get("id") or last.outcome == "denied":
        reading.notes["stop"] = message.get("id")
        uid = text(record.get("uuid"))
        last = reading.add(
            TranscriptEvent(
                key=f"stop:{uid}", event=name, at=at, outcome="ok", agent=agent, uid=uid, cwd=text(record.get("cwd")),
                parent_call=reading.notes.get("parent_call"), details=turn_fields(reading),
            )
        )  # fmt: skip
        if reading.notes.get("agent_type"):
            last.details["agent_type"] = reading.notes["agent_type"]
    final = content_text(message.get("content"))
    if final:
        last.details["last_assistant_message"] = final


def _hold_stop(reading: Reading, record: JsonObject, words: str) -> None:
    """A hook holds the end of a turn, unless too many did so in a row."""
    agent = agent_of(reading, record)
    event = reading.last("post-subagent" if agent else "pre-agent-turn-stop")
    if event:
        reading.notes["held"] = reading.notes.get("held", 0) + 1
        event.outcome = "ran" if _is_let_go(reading) else "denied"
        event.reason = claude_hooks.add_denial(event, claude_hooks.denial("SubagentStop" if agent else "Stop", words))


def _is_let_go(reading: Reading) -> bool:
    """Whether the end of the turn was held once more than Claude obeys in a row."""
    return bool(reading.notes.get("held", 0) > (HOST.own_gate_limit or 0))


def go_on(reading: Reading, record: JsonObject) -> None:
    """The agent answers: Claude obeyed what held its turn."""
    if _is_let_go(reading) and (event := reading.last("post-subagent" if agent_of(reading, record) else "pre-agent-turn-stop")):
        event.outcome = "denied"


def end_held_turn(reading: Reading, words: str) -> None:
    """Claude may say that it ended a turn that hooks held too often."""
    event = reading.last("pre-agent-turn-stop") if _LET_GO.match(words) else None
    if event:
        event.outcome = "ran"


def read_stop_summary(reading: Reading, record: JsonObject) -> None:
    """Every Stop hook, the silent ones too."""
    agent = agent_of(reading, record)
    event = reading.last("post-subagent" if agent else "pre-agent-turn-stop")
    infos = record.get("hookInfos")
    if event is None or not isinstance(infos, list):
        return
    event.hooks_recorded = "all"
    reported, hook = list(event.hooks), "SubagentStop" if agent else "Stop"
    for told in map(mapping, infos):
        command, duration = text(told.get("command")), number(told.get("durationMs"))
        run = next((run for run in reported if run.command == command), None)
        if run:
            reported.remove(run)
            run.duration_ms = run.duration_ms if run.duration_ms is not None else duration
        else:
            event.hooks.append(ReportedRun(event=hook, command=command or None, duration_ms=duration))
    if record.get("preventedContinuation") and all(run.decision != "stop" for run in event.hooks):
        if len(event.hooks) != 1:  # which of several hooks it was is not told
            event.hooks.append(ReportedRun(event=hook))
        event.hooks[-1].decision, event.hooks[-1].reason = "stop", text(record.get("stopReason")) or None
