"""A call whose input a hook rewrote is one call, whichever input the agent's transcript and its payloads have."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

from tests.command_world import CommandWorld
from tests.unit.transcripts.past_imports import imported, logged

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
