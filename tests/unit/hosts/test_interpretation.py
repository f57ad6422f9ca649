"""One function per host judges exit codes and answers, and judges as the host does."""

from __future__ import annotations

import json

import pytest

from hooktui import hosts
from hooktui.core import fast_json
from tests import codex_answers

_CODEX = codex_answers.SURPRISING | codex_answers.OTHERS


@pytest.mark.parametrize("name", _CODEX)
def test_an_answer_decides_what_codex_obeys(name: str) -> None:
    answer = _CODEX[name]
    result = hosts.interpret("codex", answer.event, answer.code, answer.text, answer.stderr)
    assert result.outcome.decision == answer.decision
    assert result.outcome.problems or answer.decision != "none" or answer.text.startswith("log")


def _nested(event: str, **answer: object) -> str:
    return json.dumps({"hookSpecificOutput": {"hookEventName": event, **answer}})


_DENIAL = _nested("PreToolUse", permissionDecision="deny", permissionDecisionReason="no")
_MARKED = f"\ufeff{_DENIAL}"


@pytest.mark.parametrize(
    ("host", "event", "code", "stdout", "stderr", "decision"),
    [
        ("claude", "PreToolUse", 2, "", "", "deny"),
        ("claude", "PreToolUse", 1, "", "no", "none"),
        ("claude", "SessionStart", 0, '{"continue": false}', "", "none"),
        ("claude", "SubagentStart", 0, '{"decision": "block", "reason": "no"}', "", "none"),
        ("claude", "PermissionRequest", 0, '{"decision": "block", "reason": "no"}', "", "none"),
        ("claude", "PermissionRequest", 0, _nested("PermissionRequest", decision={"behavior": "deny"}), "", "deny"),
        ("claude", "PreToolUse", 0, _nested("PreToolUse", decision={"behavior": "deny"}), "", "none"),
        ("claude", "PreToolUse", 0, _nested("PreToolUse", permissionDecision="defer"), "", "none"),
        ("claude", "PostToolUse", 0, _nested("PostToolUse", permissionDecision="deny"), "", "none"),
        ("claude", "PostToolUseFailure", 0, '{"continue": false}', "", "none"),
        ("claude", "PostToolUse", 0, '{"continue": false}', "", "stop"),
        ("claude", "PostToolBatch", 2, "", "no", "stop"),
        ("claude", "PreCompact", 0, '{"continue": false}', "", "none"),
        ("claude", "PreCompact", 2, "", "no", "deny"),
        ("claude", "SessionEnd", 0, '{"decision": "block", "reason": "no"}', "", "none"),
        ("droid", "PostToolUse", 0, _nested("PostToolUse", permissionDecision="deny"), "", "none"),
        ("qwen", "UserPromptSubmit", 0, _nested("UserPromptSubmit", permissionDecision="deny"), "", "none"),
        ("kimi", "Stop", 0, _nested("Stop", permissionDecision="deny", permissionDecisionReason="no"), "", "deny"),
        *((host, "PreToolUse", 0, _MARKED, "", "deny") for host in ("claude", "qwen", "kimi", "copilot")),
        *((host, "PreToolUse", 0, _MARKED, "", "none") for host in ("codex", "droid")),
        *((host, "PreToolUse", 0, f"\u00a0{_DENIAL}", "", "deny") for host in ("claude", "copilot")),
        *((host, "PreToolUse", 0, f"\x1c{_DENIAL}", "", "none") for host in ("claude", "copilot")),
        *(("droid", "PreToolUse", 0, f"{blank}{_DENIAL}", "", "none") for blank in ("\u00a0", "\v", "\u2028")),
        ("droid", "PreToolUse", 0, f"\n\t {_DENIAL}\r\n", "", "deny"),
        ("gemini", "BeforeTool", 0, '\ufeff {"decision": "deny", "reason": "no"}', "", "deny"),
        ("gemini", "BeforeTool", 2, "", "", "none"),
        ("gemini", "BeforeTool", 2, "no", "", "deny"),
        ("gemini", "BeforeTool", 3, "no", "", "deny"),
        ("gemini", "BeforeTool", 1, "no", "", "none"),
        ("qwen", "PreToolUse", 2, "no", "", "none"),
        ("qwen", "PreToolUse", 3, "no", "", "none"),
        ("qwen", "PreToolUse", 0, '{"continue": false}', "", "deny"),
        ("copilot", "preToolUse", 1, "", "", "deny"),
        ("copilot", "preToolUse", 0, '{"continue": false}', "", "none"),
        ("copilot", "agentStop", 2, "", "no", "none"),
        ("copilot", "agentStop", 0, '{"decision": "block"}', "", "none"),
        ("copilot", "preToolUse", 0, '{"hookSpecificOutput": {"permissionDecision": "deny"}}', "", "none"),
        ("copilot", "PreToolUse", 0, '{"hookSpecificOutput": {"permissionDecision": "deny"}}', "", "deny"),
        ("droid", "PreToolUse", 2, "", "", "deny"),
        ("droid", "PreToolUse", 0, '{"continue": false}', "", "stop"),
        ("droid", "PreToolUse", 0, '{"decision": "block", "reason": "no"}', "", "none"),
        ("kimi", "PreToolUse", 0, '{"decision": "block", "reason": "no"}', "", "none"),
        ("kimi", "PreToolUse", 2, "", "", "deny"),
        ("cursor", "preToolUse", 0, "some text", "", "deny"),
        ("cursor", "stop", 2, "", "no", "none"),
        ("agenthooks", "pre-tool-call", 0, '{"decision": "ask"}', "", "ask"),
        ("azure", "PreToolUse", 0, '{"ok": false, "reason": "no"}', "", "deny"),
    ],
)
def test_hosts_differ(host: str, event: str, code: int, stdout: str, stderr: str, decision: str) -> None:
    assert hosts.interpret(host, event, code, stdout, stderr).outcome.decision == decision


@pytest.mark.parametrize(("result", "rewrite"), [({"stdout": "x"}, {"tool_response": {"stdout": "x"}}), ("x", None)])
def test_another_result_for_claudes_model_is_a_rewrite(result: object, rewrite: object) -> None:
    outcome = hosts.interpret("claude", "PostToolUse", 0, _nested("PostToolUse", updatedToolOutput=result), "").outcome
    assert outcome.modified_input == rewrite


@pytest.mark.parametrize(
    ("result", "is_taken"),
    [
        ({"stdout": "x", "stderr": "", "interrupted": False}, True),
        ({"stdout": "x", "stderr": ""}, False),
        ({"stdout": 1, "stderr": "", "interrupted": False}, False),
        ({"text": "x"}, False),
    ],
)
def test_claude_takes_a_result_that_has_the_form_of_the_tools_own(result: dict[str, object], is_taken: bool) -> None:
    own = {"stdout": "", "stderr": "", "interrupted": False, "isImage": False}
    payload = {"hook_event_name": "PostToolUse", "tool_name": "Bash", "tool_input": {}, "tool_response": own}
    answer = fast_json.parse_object(_nested("PostToolUse", updatedToolOutput=result))
    problems: list[str] = []
    rewrite = hosts.spec("claude").own_rewrite(hosts.read("claude", payload, None, ""), answer, problems)
    assert rewrite == ({"tool_response": result} if is_taken else {})
    assert bool(problems) is not is_taken


@pytest.mark.parametrize(("host", "title"), [("claude", ""), ("droid", "Factory droid"), ("qwen", "Qwen Code")])
def test_context_before_a_tool_reaches_only_some_models(host: str, title: str) -> None:
    outcome = hosts.interpret(host, "PreToolUse", 0, _nested("PreToolUse", additionalContext="mind the gap"), "").outcome
    assert (outcome.additional_context, outcome.problems) == (
        (None, (f"{title} ignores additionalContext on PreToolUse",)) if title else ("mind the gap", ())
    )
