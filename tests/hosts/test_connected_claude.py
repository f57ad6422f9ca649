"""HOOK.md hooks in the real Claude Code after `hooktui connect claude`; test_connected_hosts.py has the rules of all hosts."""

from __future__ import annotations

import json

import pytest

from tests.hosts.claude_code import ClaudeWorld
from tests.hosts.hook_scripts import DENIES, REASON, answering
from tests.hosts.scripted_model import bash, say


@pytest.fixture
def connected(world: ClaudeWorld) -> ClaudeWorld:
    world.run("connect", "claude", "--yes")
    return world


def test_a_guard_of_the_project_holds_after_the_agent_has_changed_directory(connected: ClaudeWorld) -> None:
    connected.hook("guard", DENIES, scope="project", matcher={"pattern": "ran"})
    connected.trust()
    session = connected.session(bash("mkdir sub && cd sub"), bash("echo original > ../ran.txt"), say("all done"))
    assert not connected.marker.exists()
    assert REASON in session.heard


def test_context_reaches_the_model_after_a_tool_that_failed_and_holds_no_stop(connected: ClaudeWorld) -> None:
    connected.hook("failed", answering(additional_context="the moon is full"), trigger="post-tool-call-failure")
    connected.hook("gate", answering(additional_context="the sun is up"), trigger="pre-agent-turn-stop")
    session = connected.session(bash("exit 3"), say("all done"))
    assert "the moon is full" in session.heard
    assert session.turns == 2


def test_the_gate_gets_the_agents_last_message(connected: ClaudeWorld) -> None:
    script = '#!/bin/sh\ngrep -q \'"content": *"all done"\' || exit 0\necho say more >&2\nexit 2\n'
    connected.hook("gate", script, trigger="before_stop")
    assert connected.session(say("all done"), say("more")).result == "more"


@pytest.mark.parametrize(("event", "turns"), [("UserPromptSubmit", 0), ("PostToolUse", 1), ("Stop", 2)])
def test_a_stop_stops_the_agent(connected: ClaudeWorld, event: str, turns: int) -> None:
    _stop_on(connected, event)
    session = connected.session(bash("echo original > ran.txt"), say("all done"), say("never"))
    assert session.turns == turns
    assert [report["reason"] for report in connected.decisions("decision:stop")] == ["enough"]


def test_an_untrusted_project_hook_does_nothing_but_warn(connected: ClaudeWorld) -> None:
    connected.hook("guard", DENIES + "touch hook-ran\n", scope="project")
    connected.session()
    assert connected.marker.exists()
    (report,) = connected.decisions("event:pre-tool-call")
    assert [(run["state"], run["skip"]) for run in report["hooks"]] == [("skipped", "untrusted")]
    connected.trust()
    connected.marker.unlink()
    connected.session()
    assert not connected.marker.exists()


def test_after_disconnect_all_is_as_it_was(world: ClaudeWorld) -> None:
    world.hook("guard", DENIES)
    own = world.settings(".claude/settings.json")
    own.write_text('{"model":"claude-sonnet-4-5",\r\n\t"hooks" : { }}')
    before = own.read_bytes()
    world.run("connect", "claude", "--yes")
    world.session()
    assert not world.marker.exists()
    world.run("disconnect", "claude", "--yes")
    assert own.read_bytes() == before
    events = len(world.decisions())
    world.session()
    assert world.marker.exists()
    assert len(world.decisions()) == events


def test_the_user_scope_serves_every_project(world: ClaudeWorld) -> None:
    world.hook("guard", DENIES)
    world.run("connect", "claude", "--scope", "user", "--yes")
    world.session()
    assert not world.marker.exists()
    world.run("disconnect", "claude", "--scope", "user", "--yes")
    world.session()
    assert world.marker.exists()


def _stop_on(world: ClaudeWorld, event: str) -> None:
    """HOOK.md hooks cannot stop the agent, VS Code's can: one that hooktui runs because of the user's configuration."""
    answer = json.dumps({"continue": False, "stopReason": "enough"})
    files = {
        ".config/hooktui/config.toml": '[run]\nformats = ["agenthooks", "vscode"]\n',
        ".copilot/hooks/stop.json": json.dumps({"hooks": {event: [{"type": "command", "command": f"echo '{answer}'"}]}}),
    }
    for name, content in files.items():
        path = world.home / name
        path.parent.mkdir(parents=True)
        path.write_text(content)
