"""Every guard decides in the real Qwen Code, and what it cannot obey is a denial or left out."""

from __future__ import annotations

import json

import pytest

from tests.hosts.hook_scripts import DENIES, REASON, answering
from tests.hosts.other_programs import QwenWorld
from tests.hosts.scripted_model import say


@pytest.fixture
def connected(qwen: QwenWorld) -> QwenWorld:
    qwen.connect()
    return qwen


def test_a_denied_tool_does_not_run_until_disconnect_restores_every_byte(qwen: QwenWorld) -> None:
    # Qwen Code writes a file without this version anew.
    before = '// mine\n{"$version": 4, "hooks": {"PostToolUse": [{"hooks": [{"type": "command", "command": "true"}]}]}}\n'
    qwen.settings.parent.mkdir()
    qwen.settings.write_text(before)
    qwen.connect()
    qwen.hook("guard", DENIES, matcher={"pattern": "ran"})
    qwen.hook("skipped-guard", DENIES, scope="project")
    session = qwen.session()
    assert not qwen.marker.exists()
    assert REASON in session.heard
    assert "skipped-guard did not run" not in session.heard
    assert [report["reason"] for report in qwen.decisions("decision:deny")] == [REASON]
    qwen.run("disconnect", "qwen", "--yes")
    assert qwen.settings.read_text() == before
    qwen.session()
    assert qwen.marker.exists()


def test_what_qwen_cannot_do_is_a_denial(connected: QwenWorld) -> None:
    answers: dict[str, tuple[dict[str, object], str]] = {
        "asked": ({"decision": "ask", "reason": REASON}, REASON),
        "rewritten": ({"modified_input": {"command": "echo"}}, 'Call the tool with {"command": "echo"} instead.'),
        "denied": ({"decision": "deny", "reason": '{"a": 1}'}, '{"a": 1}'),
    }
    for name, (answer, _) in answers.items():
        connected.hook(name, answering(**answer), matcher={"pattern": name})
    heard = connected.session(*(connected.shell(f"touch {name}") for name in answers), say("all done")).heard
    assert [name for name, (_, reason) in answers.items() if reason in heard] == [*answers]
    assert [name for name in answers if (connected.project / name).exists()] == []


def test_context_reaches_the_model(connected: QwenWorld) -> None:
    for trigger in ("pre-session", "pre-agent-turn", "post-tool-call"):
        connected.hook(trigger, answering(additional_context=f"context of {trigger}"), trigger=trigger)
    session = connected.session()
    assert connected.marker.exists()
    for trigger in ("pre-session", "pre-agent-turn", "post-tool-call"):
        assert f"context of {trigger}" in session.heard
    ran = [bool(report["hooks"]) for report in connected.decisions("event:pre-agent-turn")]
    assert ran == [True, False], "a prompt without text, before the second request, is not one of the person"


def test_a_matcher_may_name_a_tool_as_claude_code_does(qwen: QwenWorld) -> None:
    guard = {"type": "command", "command": f"echo {REASON} >&2; exit 2"}
    qwen.write(".qwen/settings.json", {"hooks": {"PreToolUse": [{"matcher": "Edit|Bash", "hooks": [guard]}]}})
    found = qwen.run("check", "--format", "json", code=None).json()["diagnostics"]
    assert "matches-nothing" not in {item["code"] for item in found}
    assert REASON in qwen.session().heard
    lost = json.dumps({"hooks": {"PreToolUse": [{"matcher": "^Bash$", "hooks": [guard]}]}})
    qwen.settings.write_text(lost)
    qwen.session()
    assert qwen.marker.exists()
