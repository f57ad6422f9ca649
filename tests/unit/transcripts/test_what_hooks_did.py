"""What hooks did, in records that Gemini CLI 0.61 and other programs wrote of them."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.unit.transcripts.records import events

Record = dict[str, Any]


def gemini_user(uid: str, *parts: str, shown: str | None = None) -> Record:
    display = {} if shown is None else {"displayContent": [{"text": shown}]}
    return {"id": uid, "type": "user", "content": [{"text": part} for part in parts], **display}


def gemini_answer(uid: str, words: str) -> Record:
    return {"id": uid, "type": "gemini", "content": words}


def test_what_a_hook_of_gemini_adds_to_a_prompt_is_its_context() -> None:
    context = "<hook_context>a &lt;b&gt;</hook_context>"
    first, stop, second = events(
        "gemini",
        gemini_user("1", "first", context, shown="first"),
        gemini_answer("2", "done"),
        gemini_user("3", "second", context, shown="second"),
    )
    assert [event.details["prompt"] for event in (first, second)] == ["first", "second"]
    assert [(run.event, run.context, run.decision) for run in second.hooks] == [("BeforeAgent", "a <b>", "none")]
    assert (stop.outcome, stop.hooks) == ("ok", [])


@pytest.mark.parametrize("shown", ["do it", ""], ids=["the prompt", "the result of a tool"])
def test_a_reason_to_go_on_is_what_gemini_shows_in_another_form(shown: str) -> None:
    _, held, last = events(
        "gemini",
        gemini_user("1", "do it"),
        gemini_answer("2", "done"),
        gemini_user("3", "tests first", "<hook_context>mind the tabs</hook_context>", shown=shown),
        gemini_answer("4", "tested"),
    )
    assert (held.outcome, held.reason, last.outcome) == ("denied", "tests first", "ok")
    assert [(run.event, run.decision, run.reason) for run in held.hooks] == [("AfterAgent", "deny", "tests first")]


def test_what_gemini_adds_to_a_prompt_itself_is_no_reason() -> None:
    """A prompt is shown as it was typed: without the file that it refers to."""
    first = gemini_user("1", "Fix the tests.", shown="/fix")
    file = gemini_user("3", "look at @a.txt", "\n--- Content from referenced files ---\n", shown="look at @a.txt")
    again = gemini_user("5", "Fix the tests.", shown="/fix")
    read = events("gemini", first, gemini_answer("2", "done"), file, gemini_answer("4", "done"), again)
    kinds = [event.event for event in read]
    assert kinds == ["pre-agent-turn", "pre-agent-turn-stop"] * 2 + ["pre-agent-turn"]
    assert {event.outcome for event in read if event.event == "pre-agent-turn-stop"} == {"ok"}


def gemini_call(error: str, shown: str) -> Record:
    result = [{"functionResponse": {"id": "c", "name": "read_file", "response": {"error": error}}}]
    call = {"id": "c", "name": "read_file", "args": {"file_path": "a"}, "result": result, "resultDisplay": shown}
    return {"id": "1", "type": "gemini", "content": "", "toolCalls": [{**call, "status": "error"}]}


def test_a_hook_of_gemini_that_stops_the_agent_before_a_tool_keeps_it_from_running() -> None:
    words = "Agent execution stopped by hook: enough"
    (call,) = events("gemini", gemini_call(words, words))
    assert (call.outcome, call.reason) == ("denied-by-hook", "enough")
    assert [(run.event, run.decision, run.reason) for run in call.hooks] == [("BeforeTool", "stop", "enough")]


def test_a_hook_of_gemini_that_stops_the_agent_after_a_tool_leaves_the_model_its_reason() -> None:
    call, after = events("gemini", gemini_call("enough", "Agent execution stopped by hook: enough"))
    assert (call.outcome, after.event, after.outcome) == ("ran", "post-tool-call", "ok")
    assert [(run.event, run.decision, run.reason) for run in after.hooks] == [("AfterTool", "stop", "enough")]


@pytest.mark.parametrize("resumed", [False, True])
def test_a_message_after_a_turn_of_gemini_with_tools_may_be_a_prompt_or_the_reason_to_go_on(resumed: bool) -> None:
    """With `-p`, Gemini marks no reason in such a turn. A session that was resumed goes on with a prompt."""
    header = {"sessionId": "s", "startTime": "2026-11-28T15:00:00.000Z"}
    read = events(
        "gemini",
        gemini_user("1", "do it"),
        gemini_call("File not found: a", "File not found.") | {"id": "2"},
        gemini_answer("3", "done"),
        *([header] if resumed else []),
        gemini_user("4", "tests first"),
        gemini_answer("5", "done"),
    )
    assert [event.outcome for event in read if event.event == "pre-agent-turn-stop"] == ["ok" if resumed else None, "ok"]


@pytest.mark.parametrize(
    ("error", "outcome"),
    [
        ("not while the moon is full", None),
        ('"/gone.txt" does not exist.', None),
        ("Process exited with code 3\nCommand failed with exit code: 3.", "ran"),
        ('Tool "Bash" not found', "invalid"),
        ("Invalid args for tool \"Bash\": must have required property 'command'", "invalid"),
    ],
)
def test_an_error_of_kimi_shows_only_in_its_words_whether_a_tool_ran(error: str, outcome: str | None) -> None:
    """Kimi Code runs PostToolUseFailure hooks after each: also after a denial."""

    def loop(event: Record) -> Record:
        return {"type": "context.append_loop_event", "event": {"toolCallId": "c", **event}, "time": 1795879179440}

    call, after = events(
        "kimi",
        loop({"type": "tool.call", "uuid": "u", "name": "Bash", "args": {"command": "ls"}}),
        loop({"type": "tool.result", "result": {"output": error, "isError": True, "durationMs": 0}}),
    )
    assert (call.outcome, after.event, after.details["error"]) == (outcome, "post-tool-call-failure", error)


def qwen_answer(uid: str, words: str) -> Record:
    return {"type": "assistant", "uuid": uid, "message": {"role": "model", "parts": [{"text": words}]}}


@pytest.mark.parametrize("prompted", [False, True])
def test_a_stop_after_which_qwen_goes_on_without_a_prompt_was_held(prompted: bool) -> None:
    """Qwen Code 0.24.4 records nothing of its Stop hooks. Telemetry may stand between."""
    prompt = {"type": "user", "uuid": "p", "message": {"role": "user", "parts": [{"text": "and now?"}]}}
    between = [prompt] if prompted else [{"type": "system", "uuid": "t", "systemPayload": {}}]
    read = events("qwen", qwen_answer("1", "done"), *between, qwen_answer("2", "tested"))
    stops = [event.outcome for event in read if event.event == "pre-agent-turn-stop"]
    assert stops == ["ok" if prompted else "denied", "ok"]


def codex_call(name: str, arguments: Record, output: object) -> tuple[Record, Record]:
    call = {"type": "function_call", "name": name, "arguments": json.dumps(arguments), "call_id": "c"}
    result = {"type": "function_call_output", "call_id": "c", "output": output}
    return {"type": "response_item", "payload": call}, {"type": "response_item", "payload": result}


@pytest.mark.parametrize("ran", ["ls", "ls -l"])
def test_another_command_that_codex_ran_is_the_rewrite_of_a_hook(ran: str) -> None:
    call, output = codex_call("exec_command", {"cmd": "ls"}, "Process exited with code 0\nOutput:\n")
    item = {"type": "CommandExecution", "id": "c", "command": ["/bin/bash", "-lc", ran], "exit_code": 0}
    before, after = events("codex", call, {"type": "event_msg", "payload": {"type": "item_completed", "item": item}}, output)
    assert (before.input, before.outcome, after.outcome) == ({"command": "ls"}, "ran", "ok")
    rewrites = [] if ran == "ls" else [("PreToolUse", {"command": ran})]
    assert [(run.event, run.modified_input) for run in before.hooks] == rewrites


@pytest.mark.parametrize(
    ("output", "outcome"),
    [("unable to locate image at `a.png`: No such file or directory", "failed"), ([{"type": "input_image"}], "ok")],
)
def test_an_image_that_codex_could_not_show_is_a_failure(output: object, outcome: str) -> None:
    call, after = events("codex", *codex_call("view_image", {"path": "a.png"}, output))
    assert (call.outcome, after.outcome) == ("ran", outcome)


def droid(uid: str, role: str, *content: Record, **message: object) -> Record:
    return {"type": "message", "id": uid, "message": {"role": role, "content": list(content), **message}}


def droid_hook(event: str, code: int, **about: object) -> Record:
    ran = {"hookCommands": [{"type": "command", "command": "guard"}], "hookResults": [{"exitCode": code}]}
    return droid(f"hook of {event}", "user", visibility="user_only", hookEventName=event, **ran, **about)


def test_what_droid_says_itself_after_a_stop_hook_is_no_prompt() -> None:
    (stop,) = events(
        "droid",
        droid("1", "assistant", {"type": "text", "text": "done"}),
        droid_hook("Stop", 2, hookParentId="1"),
        droid("2", "user", {"type": "text", "text": "Stop hook requested continuation"}, interactionMode="auto"),
    )
    assert (stop.outcome, stop.reason) == ("denied", "Stop hook requested continuation")


def test_a_silent_denial_of_droid_has_the_words_that_the_model_read() -> None:
    (call,) = events(
        "droid",
        droid("1", "assistant", {"type": "tool_use", "id": "c", "name": "Execute", "input": {"command": "ls"}}),
        droid_hook("PreToolUse", 2, hookToolCallId="c"),
    )
    assert [(run.decision, run.reason) for run in call.hooks] == [("deny", "Tool execution blocked by hook")]


def test_a_tool_of_droid_after_which_a_hook_ended_the_turn_has_run() -> None:
    """Then the tool has no result, and droid says that it was interrupted."""
    call, after = events(
        "droid",
        droid("1", "assistant", {"type": "tool_use", "id": "c", "name": "Execute", "input": {"command": "ls"}}),
        droid_hook("PostToolUse", 3, hookToolCallId="c"),
        droid("2", "user", {"type": "text", "text": "Interrupted"}, visibility="user_only"),
        droid("3", "user", {"type": "text", "text": "Request interrupted by user"}, visibility="llm_only"),
    )
    assert (call.outcome, after.event, after.outcome) == ("ran", "post-tool-call", "ok")
    assert [(run.command, run.exit_code) for run in after.hooks] == [("guard", 3)]


def test_a_result_of_droid_behind_its_hooks_counts() -> None:
    _, after = events(
        "droid",
        droid("1", "assistant", {"type": "tool_use", "id": "c", "name": "Execute", "input": {"command": "ls"}}),
        droid_hook("PostToolUse", 0, hookToolCallId="c"),
        droid("2", "user", {"type": "tool_result", "tool_use_id": "c", "is_error": True, "content": "Error: no"}),
    )
    assert (after.event, after.outcome, [run.command for run in after.hooks]) == (
        "post-tool-call-failure",
        "failed",
        ["guard"],
    )
