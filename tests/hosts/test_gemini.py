"""Every guard decides in the real Gemini CLI, and what it cannot obey is a denial or left out."""

from __future__ import annotations

import json

import pytest

from tests.hosts.other_programs import GeminiWorld
from tests.hosts.hook_scripts import DENIES, REASON, answering
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


def test_a_regex_of_another_agents_tool_never_runs(gemini: GeminiWorld) -> None:
    missed = [".*run_command.*", ".*(write_to_file|replace_file_content).*", "Bash"]
    matched = gemini.project / "matched"
    groups = [
        {"matcher": name, "hooks": [{"type": "command", "command": f"cat >/dev/null; echo '{name}' >>{matched}"}]}
        for name in ("run_shell_command|Bash", *missed)
    ]
    gemini.write(".gemini/settings.json", {"hooks": {"BeforeTool": groups}})
    gemini.session()
    assert matched.read_text().split() == ["run_shell_command|Bash"]
    problems = gemini.run("check", "--format", "json", code=None).json()["diagnostics"]
    reported = [item["message"].split(" matches")[0] for item in problems if item["code"] == "matches-nothing"]
    assert reported == missed


def test_a_session_is_matched_with_one_exact_value(gemini: GeminiWorld) -> None:
    matchers = ("startup", "startup|resume", ".*", "", "*")
    groups = [
        {"matcher": matcher, "hooks": [{"type": "command", "name": matcher, "command": f"touch fired-{number}"}]}
        for number, matcher in enumerate(matchers)
    ]
    gemini.write(".gemini/settings.json", {"hooks": {"SessionStart": groups}})
    gemini.session()
    assert {matchers[int(path.name[-1])] for path in gemini.project.glob("fired-*")} == {"startup", "", "*"}
    problems = gemini.run("check", "--format", "json", code=None).json()["diagnostics"]
    assert [problem["message"].split(" matches")[0] for problem in problems] == ["startup|resume", ".*"]
