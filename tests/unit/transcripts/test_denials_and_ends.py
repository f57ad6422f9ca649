"""Denials by hooks and mods, interruptions and ends, in records that the real programs wrote."""

from __future__ import annotations

from typing import Any

import pytest

from hooktui.transcripts.transcript_records import TranscriptEvent
from tests.unit.transcripts.records import AT, events


def test_a_record_that_claude_made_up_ends_no_turn() -> None:
    """A resumed session joins a turn that was cut off with a message that no model wrote and for which no hook ran."""
    block = {"type": "text", "text": "No response requested."}
    message = {"id": "m", "model": "<synthetic>", "content": [block], "stop_reason": "stop_sequence"}
    assert events("claude", {"type": "assistant", "uuid": "a", "message": message}) == []


def refused(content: str, **fields: object) -> TranscriptEvent:
    """The only event of a Claude Code session whose call ended in this error."""
    call = {"type": "tool_use", "id": "toolu_1", "name": "Bash", "input": {"command": "ls"}}
    result = {"type": "tool_result", "content": content, "is_error": True, "tool_use_id": "toolu_1"}
    (event,) = events(
        "claude",
        {"type": "assistant", "uuid": "a", "message": {"content": [call]}},
        {"type": "user", "uuid": "b", "message": {"content": [result]}, **fields},
    )
    return event


def test_a_mod_that_denies_a_call_is_a_hook_that_denied() -> None:
    event = refused("<tool_use_error>no</tool_use_error>", toolDenialKind="permission-rule", toolUseResult="Error: no")
    assert (event.outcome, event.reason) == ("denied-by-hook", "no")
    assert [(run.event, run.decision, run.reason) for run in event.hooks] == [("tool.call", "deny", "no")]


@pytest.mark.parametrize(
    ("named", "mod"),
    [
        ("plugin moda", "moda"),
        ("plugins moda, cc-plugin-privacy", "moda"),
        ("plugins moda, modb, cc-plugin-privacy", "moda or modb"),
        ("plugin cc-plugin-privacy", "cc-plugin-privacy"),
    ],
)
def test_a_mod_that_denies_a_check_is_named(named: str, mod: str) -> None:
    code = {"decision": "reject", "source": "hook", "reasonType": "hook", "reasonCode": "hook:tool.check"}
    words = f"Permission to use Bash denied by {named}: not: now"
    event = refused(words, toolDenialKind="permission-rule", permissionDecision=code)
    assert (event.outcome, event.reason) == ("denied-by-hook", "not: now")
    assert [(run.event, run.command, run.reason) for run in event.hooks] == [("tool.check", mod, "not: now")]


def test_a_mod_that_denies_a_check_without_a_reason_is_named() -> None:
    code = {"decision": "reject", "source": "hook", "reasonType": "hook", "reasonCode": "hook:tool.check"}
    event = refused("Permission to use Bash denied by plugins moda, cc-plugin-privacy", permissionDecision=code)
    assert [(run.command, run.decision, run.reason, run.is_mod) for run in event.hooks] == [("moda", "deny", None, True)]


@pytest.mark.parametrize(
    "words", ["CLASSICDENY", "MINE PreToolUse:Bash hook error: [guard]: no", "Hook PreToolUse:Bash denied this tool"]
)
def test_a_denial_that_a_mod_may_have_worded_is_no_hooks(words: str) -> None:
    """Claude introduces what a hook of the settings says, before a call, with the event and the tool."""
    code = {"decision": "reject", "source": "hook", "reasonType": "hook", "reasonCode": "hook:PreToolUse"}
    event = refused(words, toolDenialKind="permission-rule", permissionDecision=code)
    assert (event.outcome, event.reason, event.hooks) == ("denied-by-hook", words, [])


@pytest.mark.parametrize(("command", "is_mod"), [("classic.PostToolUse hook", True), ("./guard.sh", False)])
def test_a_mod_that_blocks_after_a_call_is_told_from_a_command(command: str, *, is_mod: bool) -> None:
    call = {"type": "tool_use", "id": "toolu_1", "name": "Bash", "input": {"command": "ls"}}
    result = {"type": "tool_result", "content": "ok", "is_error": False, "tool_use_id": "toolu_1"}
    about = {"type": "hook_blocking_error", "hookName": "PostToolUse:Bash", "toolUseID": "toolu_1", "hookEvent": "PostToolUse"}
    _, after = events(
        "claude",
        {"type": "assistant", "uuid": "a", "message": {"content": [call]}},
        {"type": "user", "uuid": "b", "message": {"content": [result]}},
        {
            "type": "attachment",
            "uuid": "c",
            "attachment": {**about, "blockingError": {"blockingError": "no", "command": command}},
        },
    )
    assert [(run.is_mod, run.command, run.reason) for run in after.hooks] == [(is_mod, None if is_mod else command, "no")]


@pytest.mark.parametrize(
    ("ending", "named"),
    [
        ({"promptSubmitEnding": {"ending": {"kind": "blocked_by_hook"}, "promptKept": False}}, []),
        ({"promptSubmitEnding": {"ending": {"kind": "blocked_by_hook", "reason": "no"}, "promptKept": False}}, ["no"]),
        ({}, ["no"]),
    ],
    ids=["a mod", "a hook of the settings", "an older version"],
)
def test_a_prompt_that_a_mod_blocks_is_told_from_one_that_a_hook_does(ending: dict[str, Any], named: list[str]) -> None:
    words = "UserPromptSubmit operation blocked by hook:\nno\n\nOriginal prompt: do it"
    record = {"type": "system", "subtype": "informational", "uuid": "a", "content": words, **ending}
    prompt = events("claude", record)[-1]
    assert (prompt.outcome, prompt.reason) == ("denied-by-hook", "no")
    assert [run.reason for run in prompt.hooks] == named


@pytest.mark.parametrize(
    ("words", "fields", "outcome"),
    [
        ("<tool_use_error>InputValidationError: Bash failed</tool_use_error>", {}, "invalid"),
        ("<tool_use_error>Error: No such tool available: Nope</tool_use_error>", {}, "invalid"),
        (
            "<tool_use_error>File is in a directory that is denied by your permission settings.</tool_use_error>",
            {"permissionDecision": {"decision": "reject", "source": "user_reject", "reasonCode": "rule:userSettings"}},
            "denied-by-permission",
        ),
        (
            "Permission to use Bash with command ls has been denied.",
            {
                "permissionDecision": {"decision": "reject", "source": "config", "reasonCode": "rule:userSettings"},
                "toolDenialKind": "permission-rule",
            },
            "denied-by-permission",
        ),
    ],
)
def test_what_resembles_a_mods_denial_is_told_apart(words: str, fields: dict[str, Any], outcome: str) -> None:
    event = refused(words, **fields)
    assert (event.outcome, event.hooks) == (outcome, [])


@pytest.mark.parametrize("ending", ["Operation stopped by hook: enough", "Operation stopped by hook"])
def test_a_prompt_at_which_a_hook_stopped_claude_is_one_prompt_with_its_reason(ending: str) -> None:
    """2.1.197 repeats the words in the person's name."""
    _, prompt = events(
        "claude",
        {"type": "user", "uuid": "a", "message": {"content": "do it"}},
        {"type": "user", "uuid": "b", "message": {"content": ending}},
        {"type": "system", "subtype": "informational", "uuid": "c", "content": ending},
    )
    reason = "enough" if "enough" in ending else None
    assert (prompt.details["prompt"], prompt.outcome) == ("do it", "denied-by-hook")
    assert [(run.event, run.decision, run.reason) for run in prompt.hooks] == [("UserPromptSubmit", "stop", reason)]


@pytest.mark.parametrize("told", [True, False])
def test_the_hook_that_stopped_claude_at_its_stop_is_not_guessed_among_several(*, told: bool) -> None:
    message = {"id": "m", "content": [{"type": "text", "text": "done"}], "stop_reason": "end_turn"}
    about = {"hookEvent": "Stop", "toolUseID": "d", "command": "limit.sh", "exitCode": 0, "durationMs": 5}
    answer = {"type": "hook_success", "stdout": '{"continue": false, "stopReason": "enough"}', **about}
    infos = [{"command": "limit.sh", "durationMs": 5}, {"command": "notify.sh", "durationMs": 7}]
    summary = {"subtype": "stop_hook_summary", "hookInfos": infos, "preventedContinuation": True, "stopReason": "enough"}
    (stop,) = events(
        "claude",
        {"type": "assistant", "uuid": "a", "message": message},
        *([{"type": "attachment", "uuid": "b", "attachment": answer}] if told else []),
        {"type": "system", "uuid": "c", **summary},
    )
    stopped = ("limit.sh" if told else None, "enough")
    assert [(run.command, run.reason) for run in stop.hooks if run.decision == "stop"] == [stopped]


_LOST = "[Tool call interrupted: the session ended before this call's result was recorded, so its outcome is unknown. Check …]"
_REFUSED = "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. …"


@pytest.mark.parametrize(
    ("words", "fields", "outcome"),
    [
        (_LOST, {"toolDenialKind": "interrupted", "toolUseResult": _LOST}, "no-result"),
        ("[Tool call result not in this copy: this session was copied …]", {"toolDenialKind": "interrupted"}, "no-result"),
        ("[Request interrupted by user for tool use]", {}, "interrupted"),
        (_REFUSED, {"toolDenialKind": "user-rejected", "toolUseResult": "User rejected tool use"}, "interrupted"),
        (_REFUSED, {"toolDenialKind": "user-rejected", "toolDenialBeforeRun": True}, "not-started"),
        ("Not interrupted by a known text", {"toolDenialKind": "interrupted"}, "interrupted"),
        ("The user doesn't want to take this action right now. STOP …", {}, "not-started"),
        ("[Tool call skipped: the turn paused before this call ran. …]", {"toolDenialKind": "cancelled"}, "not-started"),
        ("[Tool call not completed: an approval request expired …]", {"toolDenialKind": "cancelled"}, "not-started"),
        ("The command looks dangerous", {"toolDenialKind": "automode-blocked"}, "denied-by-permission"),
    ],
)
def test_a_call_that_claude_ended_itself_has_not_failed(words: str, fields: dict[str, Any], outcome: str) -> None:
    """No hook runs after such a call. Claude Code 2.1.332 writes `_LOST` when it resumes a killed session."""
    assert refused(words, **fields).outcome == outcome


@pytest.mark.parametrize(("code", "outcome"), [("interrupted", "no-result"), ("not_executed", "not-started")])
def test_a_call_that_copilot_closed_when_a_killed_session_was_resumed_has_not_failed(code: str, outcome: str) -> None:
    error = {"code": code, "message": "Tool execution was interrupted before a result was recorded. …"}
    data = {"toolCallId": "toolu_1", "model": "resumed", "success": False, "error": error}
    (call,) = events(
        "copilot",
        {"type": "tool.execution_start", "id": "a", "data": {"toolCallId": "toolu_1", "toolName": "bash", "arguments": {}}},
        {"type": "tool.execution_complete", "id": "b", "data": data},
    )
    assert call.outcome == outcome


def test_a_denied_permission_request_of_copilot_has_the_decision_of_its_hook() -> None:
    about = {"hookInvocationId": "h", "hookType": "permissionRequest"}
    (request,) = events(
        "copilot",
        {"type": "hook.start", "id": "a", "data": {**about, "input": {"hookName": "permissionRequest", "toolName": "bash"}}},
        {"type": "hook.end", "id": "b", "data": {**about, "success": True, "output": {"behavior": "deny", "message": "no"}}},
    )
    assert request.event == "permissionRequest"
    assert [(run.decision, run.reason) for run in request.hooks] == [("deny", "no")]


@pytest.mark.parametrize("others", [0, 1])
def test_the_result_of_a_call_that_copilots_hooks_rewrote_has_the_new_input(others: int) -> None:
    """Only the report of hooks after the tool has it; it names no call, so of two running calls it may be either."""
    begins = [
        {
            "type": "tool.execution_start",
            "id": name,
            "data": {"toolCallId": name, "toolName": "bash", "arguments": {"command": name}},
        }
        for name in ("c0", "c1")[: others + 1]
    ]
    about = {"hookInvocationId": "h", "hookType": "postToolUse"}
    after = {"toolName": "bash", "toolArgs": {"command": "new"}}
    *_, result = events(
        "copilot",
        *begins,
        {"type": "hook.start", "id": "d", "data": {**about, "input": after}},
        {"type": "hook.end", "id": "e", "data": {**about, "success": True}},
        {"type": "tool.execution_complete", "id": "f", "data": {"toolCallId": "c0", "success": True}},
    )
    assert (result.event, result.input) == ("post-tool-call", {"command": "c0" if others else "new"})


def test_an_interrupted_command_of_codex_has_no_result() -> None:
    call = {"type": "function_call", "name": "exec_command", "arguments": '{"cmd": "sleep 60"}', "call_id": "toolu_1"}
    output = {"type": "function_call_output", "call_id": "toolu_1", "output": "Wall time: 0.6 seconds\naborted by user"}
    item = {
        "type": "CommandExecution",
        "id": "toolu_1",
        "status": "failed",
        "exit_code": -1,
        "duration": {"secs": 1, "nanos": 0},
    }
    (event,) = events(
        "codex",
        {"type": "response_item", "payload": call},
        {"type": "response_item", "payload": output},
        {"type": "event_msg", "payload": {"type": "turn_aborted", "reason": "interrupted"}},
        {"type": "event_msg", "payload": {"type": "item_completed", "item": item}},
    )
    assert (event.event, event.outcome) == ("pre-tool-call", "interrupted")


def test_hooks_at_the_end_of_a_droid_session_did_not_run_at_its_stop() -> None:
    message = {"role": "assistant", "content": [{"type": "text", "text": "all done"}]}

    def hooks(uid: str, event: str, command: str) -> dict[str, Any]:
        ran = {"hookCommands": [{"type": "command", "command": command}], "hookResults": [{"exitCode": 0}]}
        about = {"hookEventName": event, "hookParentId": "51d8906d", **ran}
        return {"type": "message", "id": uid, "message": {"role": "user", "content": [], "visibility": "user_only", **about}}

    read = events(
        "droid",
        {"type": "message", "id": "51d8906d", "message": message},
        hooks("e2a08929", "Stop", "gate"),
        hooks("f1", "SessionEnd", "bye"),
        hooks("f2", "SessionEnd", "clean up"),
    )
    assert [(event.event, [run.command for run in event.hooks]) for event in read] == [
        ("pre-agent-turn-stop", ["gate"]),
        ("post-session", ["bye", "clean up"]),
    ]


def test_a_tool_ends_a_subagent_of_gemini() -> None:
    result = [{"functionResponse": {"name": "complete_task", "response": {"output": "Output submitted and task completed."}}}]
    call = {"id": "s#1-0", "name": "complete_task", "args": {"result": "found it"}, "result": result, "status": "success"}
    read = events(
        "gemini",
        {"id": "m1", "type": "user", "content": [{"text": "look around"}]},
        {"id": "m2", "type": "gemini", "content": "", "toolCalls": [{**call, "timestamp": AT}]},
        agent="s",
    )
    assert [event.event for event in read] == ["pre-subagent", "pre-tool-call", "post-tool-call", "post-subagent"]
    assert (read[-1].agent, read[-1].details) == ("s", {"final_message": "found it"})


def test_a_subagent_of_gemini_that_is_told_to_go_on_has_one_end_and_no_prompt() -> None:
    read = events(
        "gemini",
        {"id": "m1", "type": "user", "content": [{"text": "look around"}]},
        {"id": "m2", "type": "gemini", "content": "I am done"},
        {"id": "m3", "type": "user", "content": [{"text": "You have stopped calling tools without finishing. You have one …"}]},
        {"id": "m4", "type": "gemini", "content": "found it"},
        agent="s",
    )
    assert [(event.event, event.details) for event in read] == [
        ("pre-subagent", {"task": "look around"}),
        ("post-subagent", {"final_message": "found it"}),
    ]


_CALL = {"name": "shell", "args": {"command": "ls"}}
_QWEN = {"callId": "c", "status": "error", "errorType": "execution_denied", "executionStatus": "success"}
_WITHHELD: dict[str, list[dict[str, Any]]] = {
    "qwen": [
        {"type": "assistant", "uuid": "a", "message": {"parts": [{"functionCall": {"id": "c", **_CALL}}]}},
        {
            "type": "tool_result",
            "uuid": "b",
            "message": {"parts": [{"functionResponse": {"id": "c", "response": {"error": "no"}}}]},
            "toolCallResult": _QWEN,
        },
    ],
    "gemini": [
        {
            "id": "m",
            "type": "gemini",
            "content": "",
            "toolCalls": [
                {
                    "id": "c",
                    **_CALL,
                    "status": "error",
                    "result": [{"functionResponse": {"response": {"error": "no"}}}],
                    "resultDisplay": "Tool result blocked: no",
                }
            ],
        }
    ],
    "copilot": [
        {"type": "tool.execution_start", "id": "a", "data": {"toolCallId": "c", "toolName": "shell", "arguments": {}}},
        {
            "type": "hook.start",
            "id": "b",
            "data": {"hookInvocationId": "h", "hookType": "postToolUse", "input": {"toolName": "shell", "toolArgs": {}}},
        },
        {
            "type": "hook.end",
            "id": "d",
            "data": {"hookInvocationId": "h", "hookType": "postToolUse", "success": True, "output": {"blocked": True}},
        },
        {
            "type": "tool.execution_complete",
            "id": "e",
            "data": {"toolCallId": "c", "success": False, "error": {"message": "Tool result blocked: no", "code": "denied"}},
        },
    ],
}


@pytest.mark.parametrize("host", _WITHHELD)
def test_a_result_that_a_hook_denied_is_of_a_tool_that_ran(host: str) -> None:
    """Seen in Qwen Code 0.24.4, Gemini CLI 0.61.0 and Copilot CLI 1.0.102."""
    before, after = events(host, *_WITHHELD[host])
    assert (before.outcome, before.hooks, after.event, after.outcome) == ("ran", [], "post-tool-call", "ok")
    assert [(run.decision, run.reason) for run in after.hooks] == [("deny", "no")]
    assert "error" not in after.details
