"""Every guard decides in the real Gemini CLI, and what it cannot obey is a denial or left out."""

from __future__ import annotations

import json

import pytest

from tests.hosts.hook_scripts import DENIES, REASON, answering
from tests.hosts.other_programs import GeminiWorld
from tests.hosts.scripted_model import say


@pytest.fixture
def connected(gemini: GeminiWorld) -> GeminiWorld:
    gemini.connect()
    return gemini


def test_a_denied_tool_does_not_run_until_disconnect_restores_every_byte(gemini: GeminiWorld) -> None:
    before = '// mine\n{"hooks": {"AfterTool": [{"hooks": [{"type": "command", "command": "true"}]}]}}\n'
    gemini.settings.parent.mkdir()
    gemini.settings.write_text(before)
    gemini.connect()
    gemini.hook("guard", DENIES, matcher={"pattern": "ran"})
    session = gemini.session()
    assert not gemini.marker.exists()
    assert f"Tool execution blocked: {REASON}" in session.heard
    assert [report["reason"] for report in gemini.decisions("decision:deny")] == [REASON]
    gemini.run("disconnect", "gemini", "--yes")
    assert gemini.settings.read_text() == before
    gemini.session()
    assert gemini.marker.exists()


def test_ask_is_a_denial_and_a_skipped_guard_is_told_to_the_person_only(connected: GeminiWorld) -> None:
    connected.hook("asks", answering(decision="ask", reason=REASON))
    connected.hook("skipped-guard", DENIES, scope="project")
    session = connected.session()
    assert REASON in session.heard
    assert not connected.marker.exists()
    assert "skipped-guard did not run" in session.result
    assert "skipped-guard did not run" not in session.heard


def test_a_rewritten_input_is_what_runs_and_context_reaches_the_model(connected: GeminiWorld) -> None:
    rewritten = {"command": "echo rewritten > ran.txt", "description": "another"}
    connected.hook("rewrite", answering(modified_input=rewritten))
    for trigger in ("pre-session", "pre-agent-turn", "post-tool-call"):
        connected.hook(trigger, answering(additional_context=f"context of {trigger}"), trigger=trigger)
    session = connected.session()
    assert connected.marker.read_text() == "rewritten\n"
    assert [text for text in ("pre-session", "pre-agent-turn", "post-tool-call") if f"context of {text}" in session.heard] == [
        *("pre-session", "pre-agent-turn", "post-tool-call")
    ]


def test_a_rewrite_that_gemini_would_merge_is_a_denial_and_so_is_a_reason_that_is_json(connected: GeminiWorld) -> None:
    connected.hook("rewrite", answering(modified_input={"command": "echo rewritten > ran.txt"}), matcher={"pattern": "ran"})
    connected.hook("guard", DENIES.replace(REASON, "42"), matcher={"pattern": "other"})
    session = connected.session(
        connected.shell("echo original > ran.txt"), connected.shell("echo other > other.txt"), say("all done")
    )
    assert "A hook removes description from this input" in session.heard
    assert "Tool execution blocked: 42" in session.heard
    assert not connected.marker.exists()
    assert not (connected.project / "other.txt").exists()


def test_a_gate_makes_the_agent_continue_up_to_our_limit(connected: GeminiWorld) -> None:
    connected.hook("gate", DENIES, trigger="pre-agent-turn-stop")
    connected.hook("prompts", answering(additional_context="asked"), trigger="pre-agent-turn")
    session = connected.session(*(say(f"turn {number}") for number in range(20)))
    assert session.turns == 4
    assert [report["decision"] for report in connected.decisions("event:pre-agent-turn-stop")] == ["deny"] * 3 + ["none"]
    ran = [bool(report["hooks"]) for report in connected.decisions("event:pre-agent-turn")]
    assert ran == [True, False, False, False], "the gate's reason is not a prompt of the person"


def test_a_guard_with_a_timeout_in_seconds_is_ended_after_that_many_milliseconds(gemini: GeminiWorld) -> None:
    slow = {"type": "command", "command": "sleep 1; echo no >&2; exit 2", "timeout": 30}
    gemini.write(".gemini/settings.json", {"hooks": {"BeforeTool": [{"hooks": [slow]}]}})
    found = gemini.run("check", "--format", "json", code=None).json()["diagnostics"]
    assert "unit-suspect" in {item["code"] for item in found}
    gemini.session()
    assert gemini.marker.exists()


def test_gemini_does_not_start_with_a_trailing_comma(gemini: GeminiWorld) -> None:
    hooks = json.dumps({"hooks": {"BeforeTool": [{"hooks": [{"type": "command", "command": "true"}]}]}})
    gemini.settings.parent.mkdir()
    gemini.settings.write_text(hooks[:-1] + ",}")
    found = gemini.run("check", "--format", "json", code=1).json()["diagnostics"]
    assert [item["message"] for item in found if item["code"] == "host-skips-file"] == [
        "Gemini CLI does not start: trailing commas are not valid JSON. Its hook true does not run."
    ]
    assert gemini.session().turns == 0


def test_observing_changes_no_guard_and_records_what_gemini_kills(gemini: GeminiWorld) -> None:
    """Gemini writes the project's quoted path in place of the variable, and kills a hook at its timeout."""
    gemini.project = gemini.project.rename(gemini.project.with_name("my project"))
    guard = gemini.project / "guard.sh"
    guard.write_text(DENIES)
    guard.chmod(0o755)
    hooks = [
        {"type": "command", "command": "$GEMINI_PROJECT_DIR/guard.sh"},
        {"type": "command", "command": "sleep 60", "timeout": 2000},
    ]
    gemini.write(".gemini/settings.json", {"hooks": {"BeforeTool": [{"hooks": hooks}]}})
    shown = gemini.run("connect", "gemini", "--observe", "--scope", "project", "--yes")
    assert "1 command in" in shown.stdout + shown.stderr
    gemini.session()
    assert not gemini.marker.exists()
    (report,) = gemini.decisions("event:pre-tool-call state:timeout")
    assert [(hook["label"], hook["state"]) for hook in report["hooks"] if hook["origin"] == "observed"] == [
        ("sleep 60", "timeout")
    ]


def test_a_tool_is_matched_by_a_regex_of_its_name_and_a_session_by_one_exact_value(gemini: GeminiWorld) -> None:
    tools = ("run_shell_command|Bash", ".*run_command.*", ".*(write_to_file|replace_file_content).*", "Bash")
    sessions = ("startup", "startup|resume", ".*", "", "*")
    events = {
        event: [
            {"matcher": matcher, "hooks": [{"type": "command", "command": f"cat >/dev/null; echo '{event} {matcher}' >>fired"}]}
            for matcher in matchers
        ]
        for event, matchers in {"BeforeTool": tools, "SessionStart": sessions}.items()
    }
    gemini.write(".gemini/settings.json", {"hooks": events})
    gemini.session()
    started = {f"SessionStart {matcher}" for matcher in ("startup", "", "*")}
    assert {*(gemini.project / "fired").read_text().splitlines()} == {f"BeforeTool {tools[0]}", *started}
    problems = gemini.run("check", "--format", "json", code=None).json()["diagnostics"]
    reported = [item["message"].split(" matches")[0] for item in problems if item["code"] == "matches-nothing"]
    assert sorted(reported) == sorted((*tools[1:], "startup|resume", ".*"))
