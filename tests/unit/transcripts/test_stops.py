"""Hooks that end a turn, and the beginnings of sessions, in records that Claude Code wrote."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.unit.transcripts.records import events


def attachment(kind: str, event: str, **fields: object) -> dict[str, Any]:
    """What is recorded of a hook."""
    about = {"type": kind, "hookName": event, "hookEvent": event.partition(":")[0], "toolUseID": "hook-1"}
    return {"type": "attachment", "uuid": f"{kind}-{fields}", "attachment": {**about, **fields}}


SPOKE = attachment("hook_success", "PostToolBatch", command="./note.sh", exitCode=0, stdout="noted", stderr="", durationMs=7)


@pytest.mark.parametrize(
    ("message", "run"),
    [
        ('["$CLAUDE_PROJECT_DIR"/tools/gate.sh]: enough\n', ('"$CLAUDE_PROJECT_DIR"/tools/gate.sh', "enough\n", 2)),
        ("enough", (None, "enough", None)),
    ],
    ids=["exit 2", "JSON"],
)
def test_a_stop_is_that_of_the_hook_which_its_words_name(message: str, run: tuple[str | None, str, int | None]) -> None:
    stopped = attachment("hook_stopped_continuation", "PostToolBatch", message=message)
    (event,) = events("claude", SPOKE, stopped)
    said, stopping = event.hooks
    assert (said.command, said.decision) == ("./note.sh", "none")
    assert (stopping.decision, stopping.command, stopping.reason, stopping.exit_code) == ("stop", *run)


@pytest.mark.parametrize("is_first", [True, False])
def test_a_stop_and_the_answer_that_asked_for_it_are_one_run(*, is_first: bool) -> None:
    answer = '{"continue": false, "stopReason": "enough"}'
    asked = attachment("hook_success", "PostToolBatch", command="./gate.sh", exitCode=0, stdout=answer, stderr="")
    records = [attachment("hook_stopped_continuation", "PostToolBatch", message="enough"), asked]
    (event,) = events("claude", *(records if is_first else records[::-1]))
    assert [(run.command, run.decision, run.reason) for run in event.hooks] == [("./gate.sh", "stop", "enough")]


@pytest.mark.parametrize(("name", "event"), [("Stop", "pre-agent-turn-stop"), ("SubagentStop", "post-subagent")])
def test_a_stop_at_which_a_hook_of_claude_gave_context_was_held(name: str, event: str) -> None:
    message = {"id": "m", "stop_reason": "end_turn", "content": [{"type": "text", "text": "done"}]}
    of_agent = {"isSidechain": True, "agentId": "a"} if name == "SubagentStop" else {}
    end = {"type": "assistant", "uuid": "u", "message": message, **of_agent}
    context = {**attachment("hook_additional_context", name, content=["run the tests"]), **of_agent}
    *_, stop = events("claude", end, context, agent="a" if of_agent else "")
    assert (stop.event, stop.outcome, stop.reason) == (event, "denied", "run the tests")
    assert [(run.decision, run.context) for run in stop.hooks] == [("none", "run the tests")]


def test_another_result_that_claude_refused_is_no_rewrite() -> None:
    words = "PostToolUse hook returned updatedToolOutput that does not match Bash's output shape; using original output. [\n]"
    asked = json.dumps({"hookSpecificOutput": {"hookEventName": "PostToolUse", "updatedToolOutput": {"text": "x"}}})
    call, result = {"type": "tool_use", "id": "hook-1"}, {"type": "tool_result", "tool_use_id": "hook-1", "content": "y"}
    _, after = events(
        "claude",
        {"type": "assistant", "uuid": "a", "message": {"content": [{**call, "name": "Bash", "input": {"command": "ls"}}]}},
        {"type": "user", "uuid": "b", "message": {"content": [result]}},
        attachment("hook_success", "PostToolUse:Bash", command="./clean.sh", exitCode=0, stdout=asked, stderr=""),
        attachment("hook_error_during_execution", "PostToolUse:Bash", content=words),
    )
    (run,) = after.hooks
    assert (run.command, run.state, run.modified_input, run.reason) == ("./clean.sh", "invalid-output", None, words)


@pytest.mark.parametrize(("source", "count"), [("startup", 1), ("resume", 2)])
def test_a_refused_answer_at_the_beginning_of_a_session_begins_no_other(source: str, count: int) -> None:
    """It is recorded with an id of its own, not with that of the other hooks."""
    first = attachment("hook_success", "SessionStart:startup", command="./a.sh", exitCode=0, stdout="A", stderr="")
    refused = attachment(
        "hook_non_blocking_error", f"SessionStart:{source}", command="./b.sh", exitCode=2, stderr="no", toolUseID="2"
    )
    begun = events("claude", first, refused)
    assert [event.event for event in begun] == ["pre-session"] * count
    assert [run.command for event in begun for run in event.hooks] == ["./a.sh", "./b.sh"]
