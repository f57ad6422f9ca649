"""Rules that hold for the guards of several real programs; what one program alone does has tests in its own module."""

from __future__ import annotations

import pytest

from tests.hosts.agent_world import AgentWorld
from tests.hosts.hook_scripts import DENIES, REASON, answering, command
from tests.hosts.scripted_model import say


@pytest.fixture
def connected(request: pytest.FixtureRequest) -> AgentWorld:
    """A home and a project with a program that is connected."""
    world: AgentWorld = request.getfixturevalue(request.param)
    world.connect()
    return world


def programs(*names: str) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("connected", names, indirect=True)


@programs("claude", "codex", "copilot", "gemini", "opencode", "qwen")
def test_a_denied_prompt_never_reaches_the_model(connected: AgentWorld) -> None:
    connected.hook("guard", DENIES, trigger="pre-agent-turn")
    session = connected.session()
    assert session.turns == 0
    assert connected.host != "copilot" or REASON in session.result


@programs("codex", "copilot", "gemini", "opencode", "qwen")
def test_a_denied_tool_result_is_replaced_by_the_reason_of_guards_that_run(connected: AgentWorld) -> None:
    connected.hook("skipped-guard", DENIES, scope="project")
    connected.hook("guard", DENIES, trigger="post-tool-call")
    session = connected.session(connected.shell("echo the$(echo Secret)"), say("all done"))
    assert REASON in session.heard
    assert "theSecret" not in session.heard
    sends_names_of_files = connected.host in ("gemini", "qwen")
    assert ("skipped-guard did not run" if sends_names_of_files else "skipped-guard") not in session.heard


@programs("claude", "codex", "copilot", "droid", "qwen")
def test_a_gate_makes_the_agent_continue_up_to_our_limit(connected: AgentWorld) -> None:
    connected.hook("gate", DENIES, trigger="pre-agent-turn-stop")
    session = connected.session(*(say(f"turn {number}") for number in range(20)))
    assert session.turns == 4
    reports = connected.decisions("event:pre-agent-turn-stop")
    assert [report["decision"] for report in reports] == ["deny"] * 3 + ["none"]
    assert [run["skip"] for run in reports[-1]["hooks"]] == ["gate-limit"]


@programs("codex", "droid", "kimi", "opencode")
def test_ask_is_a_denial_and_a_skipped_guard_is_not_mentioned_to_the_model(connected: AgentWorld) -> None:
    connected.hook("skipped-guard", DENIES, scope="project")
    connected.hook("asks", answering(decision="ask", reason=REASON))
    session = connected.session()
    assert REASON in session.heard
    assert not connected.marker.exists()
    assert "skipped-guard" not in session.heard


@programs("codex", "droid", "gemini")
def test_a_stop_before_a_tool_ends_the_agent_or_is_a_denial(connected: AgentWorld) -> None:
    connected.configure('[run]\nformats = ["agenthooks", "vscode"]\n')
    stop = {"type": "command", "command": command({"continue": False, "stopReason": REASON})}
    connected.write("~/.copilot/hooks/stop.json", {"hooks": {"PreToolUse": [stop]}})
    session = connected.session()
    assert REASON in session.heard if connected.host == "codex" else session.turns == 1
    assert not connected.marker.exists()
