"""After `hooktui connect`, HOOK.md hooks decide in real agent programs; after `disconnect` they no longer do."""

from __future__ import annotations

import pytest

from hooktui import hosts
from tests.hosts.agent_world import AgentWorld
from tests.hosts.hook_scripts import DENIES, REASON, answering


def test_without_hooks_the_tool_runs_and_every_event_is_in_the_log(agent: AgentWorld) -> None:
    session = agent.session()
    assert agent.marker.read_text() == "original\n"
    assert session.turns == 2
    names = ("pre-session", "pre-agent-turn", "pre-tool-call", "post-tool-call", "pre-agent-turn-stop", "post-session")
    fired = [name for name in names if hosts.spec(agent.host).spelling(name)]
    assert sorted(report["event"] for report in agent.decisions()) == sorted(fired)


def test_a_denial_keeps_the_tool_from_running_and_its_reason_reaches_the_model(agent: AgentWorld) -> None:
    agent.hook("guard", DENIES, matcher={"pattern": "ran"})
    session = agent.session()
    assert not agent.marker.exists()
    assert REASON in session.heard
    assert [report["reason"] for report in agent.decisions("decision:deny")] == [REASON]


def test_a_rewritten_input_is_what_runs(agent: AgentWorld) -> None:
    rewritten = {"command": "echo rewritten > ran.txt", "description": "another"}
    agent.hook("rewrite", answering(modified_input=rewritten))
    agent.session()
    assert agent.marker.read_text() == "rewritten\n"


@pytest.mark.parametrize("trigger", ["pre-session", "pre-agent-turn", "pre-tool-call", "post-tool-call"])
def test_context_reaches_the_model(agent: AgentWorld, trigger: str) -> None:
    agent.hook("context", answering(additional_context="the moon is full"), trigger=trigger)
    session = agent.session()
    assert "the moon is full" in session.heard
    assert agent.marker.exists()


def test_after_disconnect_hooks_no_longer_run(agent: AgentWorld) -> None:
    agent.hook("guard", DENIES)
    agent.session()
    assert not agent.marker.exists()
    agent.run("disconnect", "--all", "--yes")
    assert not (agent.project / ".github").exists()
    assert not (agent.project / ".codex").exists()
    agent.session()
    assert agent.marker.exists()
