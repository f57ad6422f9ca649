"""Calls that Claude Code refused, failed ones and unknown ones, in records that the real programs wrote."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.transcripts.records import events
from tests.unit.transcripts.test_denials_and_ends import refused


@pytest.mark.parametrize(
    ("words", "outcome"),
    [
        ("This command requires approval", "denied-by-permission"),
        ("rm in '/p/e1' was blocked. For security, Claude Code may only remove files from …", "denied-by-permission"),
        ("This Bash command contains multiple operations. The following part …", "denied-by-permission"),
        ("Commands that change directories and perform more require explicit approval …", "denied-by-permission"),
        ("Cannot write to /p/w2.txt while in plan mode.", "denied-by-permission"),
        ("Hook PreToolUse:Bash denied this tool", "denied-by-hook"),
        ("Contains command_substitution", None),
        ("not today", None),
    ],
)
def test_a_call_that_claude_refused_in_words_alone_is_not_one_that_ran(words: str, outcome: str | None) -> None:
    """2.1.197 records no permissions, so the reason in a hook's JSON looks like the error of a tool."""
    event = refused(words, toolUseResult=f"Error: {words}")
    assert (event.event, event.outcome, event.hooks) == ("pre-tool-call", outcome, [])


def failed(words: str, *more: dict[str, Any], **fields: object) -> list[tuple[str, str | None]]:
    """The events of a call whose result is an error, and what became of each."""
    call = {"type": "tool_use", "id": "toolu_1", "name": "WebFetch", "input": {}}
    result = {"type": "tool_result", "content": words, "is_error": True, "tool_use_id": "toolu_1"}
    records: tuple[dict[str, Any], ...] = (
        {"type": "assistant", "uuid": "a", "message": {"content": [call]}},
        {"type": "user", "uuid": "b", "message": {"content": [result]}, **fields},
        *more,
    )
    return [(event.event, event.outcome) for event in events("claude", *records)]


RAN = [("pre-tool-call", "ran"), ("post-tool-call-failure", "failed")]
_UNKNOWN_WORDS = "Unable to verify if domain 127.0.0.1 is safe to fetch."


def test_a_tool_failed_where_claude_recorded_that_it_was_permitted_or_the_tool_says_so() -> None:
    accepted = {"decision": "accept", "source": "config", "reasonType": "mode"}
    assert failed(_UNKNOWN_WORDS, permissionDecision=accepted) == RAN
    for words in ("Exit code 1", "File does not exist. Note: …", "EISDIR: illegal operation on a directory, read '/p'"):
        assert failed(words) == RAN
    assert failed(_UNKNOWN_WORDS) == [("pre-tool-call", None)]


def test_a_hook_that_ran_after_a_failure_shows_that_the_tool_ran() -> None:
    about = {"type": "hook_success", "hookName": "PostToolUseFailure:WebFetch", "hookEvent": "PostToolUseFailure"}
    ran = {**about, "toolUseID": "toolu_1", "command": "./note.sh", "exitCode": 0, "stdout": "noted", "durationMs": 7}
    assert failed(_UNKNOWN_WORDS, {"type": "attachment", "uuid": "c", "attachment": ran}) == RAN


@pytest.mark.parametrize(
    ("words", "state", "stderr"),
    [
        (
            'failed; blocking because onFailure is "block"\n/bin/sh: 1: ./a.sh: not found',
            "failed",
            "/bin/sh: 1: ./a.sh: not found",
        ),
        ('timed out; blocking because onFailure is "block"', "timeout", ""),
    ],
)
def test_a_hook_that_denies_by_failing_has_no_exit_code_that_nobody_told(words: str, state: str, stderr: str) -> None:
    code = {"decision": "reject", "source": "hook", "reasonType": "hook", "reasonCode": "hook:PreToolUse"}
    told = f"PreToolUse:Bash hook error: [./a.sh]: {words}"
    (run,) = refused(told, toolDenialKind="permission-rule", permissionDecision=code).hooks
    assert (run.command, run.decision, run.state, run.exit_code, run.stderr) == ("./a.sh", "deny", state, None, stderr)
