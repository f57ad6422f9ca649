"""Results of tools that a hook denied, in records that the real programs wrote."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.transcripts.test_denials_and_ends import events

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
