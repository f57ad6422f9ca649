"""The order of a session's sources does not change its report, and a call with a rewritten input stays one call."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from hooktui import hosts
from hooktui.core import ids
from hooktui.core.model import Dispatch, Run
from hooktui.log.read.query import parse
from hooktui.log.read.reader import LogReader
from hooktui.transcripts import import_transcripts
from hooktui.transcripts.agents import AGENTS
from hooktui.transcripts.import_log import ImportLog
from tests.command_world import CommandWorld
from tests.log_world import NOON, LogWorld, run
from tests.unit.log.tampering import faults
from tests.unit.transcripts.past_imports import imported, logged

PROJECT = "/home/dev/app"
OLD, NEW = {"command": "echo old"}, {"command": "echo new"}
REWRITE: dict[str, Any] = {"runs": [run("rewrite", modified_input=NEW)], "modified_input": NEW}

# The event, its origin, its effect, what became of it, and the hooks that ran.
Row = tuple[str, str, str, str | None, str]
NOT_RECORDED: Row = ("pre-session", "transcript", "none", None, "")
STARTED: Row = ("pre-session", "run", "none", None, "")
ENDED: Row = ("post-tool-call", "run", "none", "ok", "")
CALLED: Row = ("pre-tool-call", "run", "none", "ran", "")
REWRITTEN: list[Row] = [("pre-tool-call", "run", "rewrite", "ran", "rewrite"), ENDED]
PROMPT: Row = ("pre-agent-turn", "run", "none", None, "")
PASSED: Row = ("pre-agent-turn-stop", "run", "none", "passed", "")


class Session:
    """A session of an agent, step by step: what its hooks get, and the lines of its transcript. `rows` is what became of it."""

    def __init__(self, host: str, path: str, rows: list[Row]) -> None:
        self.host, self.path, self.rows = host, path, rows
        self.steps: list[Dispatch | str] = []

    @property
    def _at(self) -> float:
        return NOON + len(self.steps) / 100

    def hook(self, payload: dict[str, Any], runs: Sequence[Run] = (), **dispatch: Any) -> None:
        number = ids.at_time(self._at) + 1
        event = hosts.read(self.host, {"cwd": PROJECT, **payload}, None, "")
        numbered = tuple(run.replace(id=number + 1 + place) for place, run in enumerate(runs))
        self.steps.append(Dispatch(id=number, event=event, project=PROJECT, runs=numbered, **dispatch))

    @property
    def now(self) -> str:
        return datetime.fromtimestamp(self._at, UTC).isoformat(timespec="milliseconds")

    def line(self, **record: Any) -> None:
        self.steps.append(json.dumps({"timestamp": self.now, **record}) + "\n")


def copilot() -> Session:
    """Its transcript keeps the input that a hook rewrote, and later payloads have the new one."""
    session = Session("copilot", ".copilot/session-state/c1/events.jsonl", [NOT_RECORDED, *REWRITTEN])
    about = {"sessionId": "c1", "toolName": "bash"}
    session.line(type="session.start", id="a", data={"sessionId": "c1", "context": {"cwd": PROJECT}})
    session.hook({**about, "toolArgs": OLD}, **REWRITE)
    session.line(type="tool.execution_start", id="b", data={"toolCallId": "c", "toolName": "bash", "arguments": OLD})
    session.hook({**about, "toolArgs": NEW, "toolResult": {"resultType": "success", "textResultForLlm": "new"}})
    session.line(type="tool.execution_complete", id="d", data={"toolCallId": "c", "success": True})
    return session


def droid() -> Session:
    """As Copilot CLI; its prompt is kept with the context that a hook added."""
    prompt: Row = ("pre-agent-turn", "run", "context", None, "context")
    session = Session("droid", ".factory/sessions/-home-dev-app/d1.jsonl", [prompt, *REWRITTEN])

    def told(*content: dict[str, Any], role: str = "user") -> None:
        session.line(type="message", id=f"m{len(session.steps)}", message={"role": role, "content": [*content]})

    def hook(event: str, **payload: Any) -> dict[str, Any]:
        return {"hook_event_name": event, "session_id": "d1", **payload}

    session.line(type="session_start", id="d1", cwd=PROJECT)
    session.hook(hook("UserPromptSubmit", prompt="go on"), runs=[run("context")], additional_context=("Use tabs.",))
    told({"type": "text", "text": "go on\n\nUse tabs."})
    session.hook(hook("PreToolUse", tool_name="Execute", tool_input=OLD), **REWRITE)
    told({"type": "tool_use", "id": "c", "name": "Execute", "input": OLD}, role="assistant")
    session.hook(hook("PostToolUse", tool_name="Execute", tool_input=NEW, tool_response="new"))
    told({"type": "tool_result", "tool_use_id": "c", "content": "new"})
    return session


def gemini() -> Session:
    """Its transcript has the input that a hook gave to the call."""
    session = Session("gemini", ".gemini/tmp/p/chats/session-2026-01-21T12-00-g1.jsonl", [NOT_RECORDED, *REWRITTEN])
    about = {"session_id": "g1", "tool_name": "run_shell_command"}
    session.line(sessionId="g1", projectHash="h", startTime="2026-01-21T12:00:00Z", kind="main")
    session.hook({**about, "hook_event_name": "BeforeTool", "tool_input": OLD}, **REWRITE)
    session.hook({**about, "hook_event_name": "AfterTool", "tool_input": NEW, "tool_response": {"llmContent": "new"}})
    result = [{"functionResponse": {"name": "run_shell_command", "response": {"output": "new"}}}]
    call = {"id": "c", "name": "run_shell_command", "args": NEW, "status": "success", "result": result}
    session.line(id="m", type="gemini", content="", toolCalls=[{**call, "timestamp": "2026-01-21T12:00:00.050Z"}])
    return session


def gemini_failure() -> Session:
    """A file is missing, then it is there: the same hooks hear of a tool that failed."""
    failed: Row = ("post-tool-call", "run", "none", "failed", "")
    path = ".gemini/tmp/p/chats/session-2026-01-21T12-00-g2.jsonl"
    session = Session("gemini", path, [NOT_RECORDED, CALLED, failed, CALLED, ENDED])
    about = {"session_id": "g2", "tool_name": "read_file", "tool_input": {"file_path": "a.txt"}}
    session.line(sessionId="g2", projectHash="h", startTime="2026-01-21T12:00:00Z", kind="main")
    for place, (status, key, error) in enumerate([("error", "error", {"error": {"message": "no"}}), ("success", "output", {})]):
        begun = session.now
        session.hook({**about, "hook_event_name": "BeforeTool"})
        session.hook({**about, "hook_event_name": "AfterTool", "tool_response": {"llmContent": "no", **error}})
        result = [{"functionResponse": {"name": "read_file", "response": {key: "text"}}}]
        call = {"id": f"c{place}", "name": "read_file", "args": about["tool_input"], "status": status, "result": result}
        session.line(timestamp=begun, id=f"m{place}", type="gemini", content="", toolCalls=[{**call, "timestamp": session.now}])
    return session


def copilot_agent() -> Session:
    """Hooks of a subagent get a session of its own; its transcript is in that of the session that started it."""
    begun: list[Row] = [STARTED, PROMPT, CALLED, ("pre-subagent", "run", "none", None, "")]
    ended: list[Row] = [("post-subagent", "run", "none", "passed", ""), ENDED, ("post-session", "run", "none", "ok", "")]
    session = Session("copilot", ".copilot/session-state/c2/events.jsonl", [*begun, PROMPT, CALLED, ENDED, PASSED, *ended])
    task, shell = {"prompt": "look", "name": "s"}, {"command": "ls"}
    own = {"sessionId": "a1", "agentId": "a1", "parentAgentId": "c2"}
    done = {"resultType": "success", "textResultForLlm": "done"}
    session.hook({"sessionId": "c2", "source": "new", "initialPrompt": "go"})
    session.line(type="session.start", id="a", data={"sessionId": "c2", "context": {"cwd": PROJECT}})
    session.hook({"sessionId": "c2", "prompt": "go"})
    session.line(type="user.message", id="b", data={"content": "go"})
    session.hook({"sessionId": "c2", "toolName": "task", "toolArgs": task})
    session.line(type="tool.execution_start", id="c", data={"toolCallId": "c1", "toolName": "task", "arguments": task})
    session.hook({**own, "sessionId": "c2", "agentName": "explore", "agentType": "explore"})
    session.line(type="subagent.started", id="d", agentId="a1", data={"toolCallId": "c1", "agentName": "explore"})
    session.hook({**own, "prompt": "look"})
    session.line(type="user.message", id="e", agentId="a1", data={"content": "look"})
    session.hook({**own, "toolName": "bash", "toolArgs": shell})
    call = {"toolCallId": "s1", "toolName": "bash", "arguments": shell}
    session.line(type="tool.execution_start", id="f", agentId="a1", data=call)
    session.hook({**own, "toolName": "bash", "toolArgs": shell, "toolResult": done})
    session.line(type="tool.execution_complete", id="g", agentId="a1", data={"toolCallId": "s1", "success": True})
    session.line(type="assistant.message", id="h", agentId="a1", data={"content": "done"})
    session.line(type="assistant.turn_end", id="i", agentId="a1", data={})
    session.hook({**own, "stopReason": "end_turn", "stop_hook_active": False})
    session.hook({**own, "sessionId": "c2", "agentName": "explore", "response": "done", "stopReason": "end_turn"})
    session.line(type="subagent.completed", id="j", agentId="a1", data={"toolCallId": "c1", "agentName": "explore"})
    session.hook({"sessionId": "c2", "toolName": "task", "toolArgs": task, "toolResult": done})
    session.line(type="tool.execution_complete", id="k", data={"toolCallId": "c1", "success": True})
    session.line(type="session.shutdown", id="l", data={})
    session.hook({"sessionId": "c2", "reason": "complete"})
    return session


def claude() -> Session:
    """A prompt, a call that a hook denies, and a command of the person's."""
    denied: Row = ("pre-tool-call", "run", "deny", "denied-by-hook", "guard")
    held: Row = ("pre-agent-turn-stop", "run", "deny", "denied", "gate")
    rows = [STARTED, PROMPT, denied, PASSED, PROMPT, held, PASSED]
    session = Session("claude", ".claude/projects/-home-dev-app/s1.jsonl", rows)
    about = {"sessionId": "s1", "cwd": PROJECT, "version": "2.1.330", "isSidechain": False, "parentUuid": None}

    def told(kind: str, content: Any, **more: Any) -> None:
        uid = f"u{len(session.steps)}"
        message = {"id": uid, "role": kind, "content": content}
        session.line(**about, type=kind, uuid=uid, message={**message, **more.pop("message", {})}, **more)

    def hook(event: str, **payload: Any) -> dict[str, Any]:
        return {"hook_event_name": event, "session_id": "s1", **payload}

    deny: dict[str, Any] = {"decision": "deny", "reason": "no"}
    command = "<command-message>fix</command-message>\n<command-name>/fix</command-name>\n<command-args>it</command-args>"
    call = {"tool_name": "Bash", "tool_input": {"command": "ls"}, "tool_use_id": "t1"}
    end = {"message": {"stop_reason": "end_turn"}}
    session.hook(hook("SessionStart", source="startup"))
    session.hook(hook("UserPromptSubmit", prompt="go", prompt_id="p1"))
    told("user", "go", promptId="p1")
    session.hook(hook("PreToolUse", prompt_id="p1", **call), runs=[run("guard", **deny)], **deny)
    told("assistant", [{"type": "tool_use", "id": "t1", "name": "Bash", "input": call["tool_input"]}])
    result = {"type": "tool_result", "tool_use_id": "t1", "is_error": True, "content": "no"}
    told("user", [result], toolUseResult="Error: no")
    told("assistant", [{"type": "text", "text": "all done"}], **end)
    session.hook(hook("Stop", prompt_id="p1", last_assistant_message="all done"))
    session.hook(hook("UserPromptSubmit", prompt="/fix it", prompt_id="p2"))
    told("user", command, promptId="p2")
    told("assistant", [{"type": "text", "text": "fixed"}], **end)
    session.hook(hook("Stop", prompt_id="p2", last_assistant_message="fixed"), runs=[run("gate", **deny)], **deny)
    told("assistant", [{"type": "text", "text": "fixed again"}], **end)
    session.hook(hook("Stop", prompt_id="p2", last_assistant_message="fixed again"))
    return session


SESSIONS = (copilot, copilot_agent, gemini, gemini_failure, droid, claude)
ORDERS: dict[str, Callable[[list[str], list[Dispatch]], list[Sequence[str | Dispatch]]]] = {
    "records first": lambda lines, records: [records, lines],
    "transcript first": lambda lines, records: [lines, records],
    "transcript first, each record alone": lambda lines, records: [lines, *([record] for record in records)],
    "half of the transcript on either side": lambda lines, records: [lines[: _half(lines)], records, lines[_half(lines) :]],
    "half of the records on either side": lambda lines, records: [records[: _half(records)], lines, records[_half(records) :]],
}


def _half(steps: Sequence[object]) -> int:
    return (len(steps) + 1) // 2


def _parts(session: Session, order: str) -> list[Sequence[str | Dispatch]]:
    if order == "as it happens":
        return [[step] for step in session.steps]
    lines = [step for step in session.steps if isinstance(step, str)]
    return ORDERS[order](lines, [step for step in session.steps if not isinstance(step, str)])


@pytest.mark.parametrize("order", ["as it happens", *ORDERS])
@pytest.mark.parametrize("make", SESSIONS)
async def test_a_session_is_told_the_same_in_any_order(
    make: Callable[[], Session], order: str, log: LogWorld, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    session = make()
    path = tmp_path / session.path
    path.parent.mkdir(parents=True)
    (path.parents[1] / ".project_root").write_text(PROJECT)  # of Gemini CLI
    for part in _parts(session, order):
        if isinstance(part[0], str):
            _import(log, path, "".join(map(str, part)))
        else:
            log.add_all([step for step in part if not isinstance(step, str)])
    assert await _rows(log) == session.rows
    assert faults(log) == []


def _import(log: LogWorld, path: Path, lines: str) -> None:
    with path.open("a", encoding="utf-8") as file:
        file.write(lines)
    with closing(ImportLog(log.db, ())) as past:
        import_transcripts.import_file(past, AGENTS, str(path))


async def _rows(log: LogWorld) -> list[Row]:
    reader = await LogReader.open(log.db)
    try:
        reports = await reader.reports(await reader.newest(parse("")))
    finally:
        await reader.close()
    return [
        (
            *(report["event"], report["origin"], report["effect"], report["outcome"]),
            " ".join(hook["label"] for hook in report["hooks"]),
        )
        for report in reports
    ]


_OLD, _NEW = {"command": "echo old"}, {"command": "echo new"}


def _record(world: CommandWorld, host: str, **payload: Any) -> None:
    world.run("run", "--host", host, stdin={"cwd": str(world.project), **payload})


def _write(world: CommandWorld, name: str, *records: dict[str, Any]) -> None:
    path = world.home / name
    path.parent.mkdir(parents=True, exist_ok=True)
    now = datetime.now(UTC).isoformat(timespec="milliseconds")
    path.write_text("".join(json.dumps({"timestamp": now, **record}) + "\n" for record in records))


def _is_told_once(world: CommandWorld) -> None:
    imported(world)
    before, after = [report for report in logged(world) if report["tool_name"]]
    assert [(report["event"], report["origin"]) for report in (before, after)] == [
        ("pre-tool-call", "run"),
        ("post-tool-call", "run"),
    ]
    assert (before["effect"], before["outcome"], before["modified_input"]) == ("rewrite", "ran", _NEW)


def _rewrite(world: CommandWorld) -> None:
    answer = json.dumps({"modified_input": _NEW})
    world.hook("rewrite", f"#!/bin/sh\necho '{answer}'\n", trigger="pre-tool-call")


def test_copilots_transcript_keeps_the_old_input_and_its_later_payload_has_the_new_one(world: CommandWorld) -> None:
    _rewrite(world)
    about = {"sessionId": "s1", "toolName": "bash"}
    _record(world, "copilot", **about, toolArgs=_OLD)
    _record(world, "copilot", **about, toolArgs=_NEW, toolResult={"resultType": "success", "textResultForLlm": "new"})
    start = {"toolCallId": "c", "toolName": "bash", "arguments": _OLD}
    _write(
        world,
        ".copilot/session-state/s1/events.jsonl",
        {"type": "session.start", "id": "a", "data": {"sessionId": "s1", "context": {"cwd": str(world.project)}}},
        {"type": "tool.execution_start", "id": "b", "data": start},
        {"type": "tool.execution_complete", "id": "d", "data": {"toolCallId": "c", "success": True}},
    )
    _is_told_once(world)


def test_geminis_transcript_has_the_new_input(world: CommandWorld) -> None:
    _rewrite(world)
    about = {"session_id": "s1", "tool_name": "run_shell_command"}
    _record(world, "gemini", **about, hook_event_name="BeforeTool", tool_input=_OLD)
    _record(world, "gemini", **about, hook_event_name="AfterTool", tool_input=_NEW, tool_response={"llmContent": "new"})
    (world.home / ".gemini/tmp/p").mkdir(parents=True)
    (world.home / ".gemini/tmp/p/.project_root").write_text(str(world.project))
    response = {"output": "new\n[System] Tool input parameters were modified by a hook"}
    result = [{"functionResponse": {"name": "run_shell_command", "response": response}}]
    call = {"id": "c", "name": "run_shell_command", "args": _NEW, "status": "success", "result": result}
    now = datetime.now(UTC).isoformat(timespec="milliseconds")
    _write(
        world,
        ".gemini/tmp/p/chats/session-2026-01-01T00-00-s1.jsonl",
        {"sessionId": "s1", "projectHash": "h", "startTime": now, "kind": "main"},
        {"id": "m", "type": "gemini", "content": "", "toolCalls": [{**call, "timestamp": now}]},
    )
    _is_told_once(world)


async def test_a_record_of_gemini_tells_itself_that_the_tool_failed(log: LogWorld) -> None:
    log.add_all([step for step in gemini_failure().steps if not isinstance(step, str)])
    ends = [(event, outcome) for event, _, _, outcome, _ in await _rows(log) if event == "post-tool-call"]
    assert ends == [("post-tool-call", "failed"), ("post-tool-call", "ok")]
    assert faults(log) == []
