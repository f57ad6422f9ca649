"""After `hooktui connect`, HOOK.md hooks decide in real agent programs; after `disconnect` they no longer do."""

from __future__ import annotations

from hooktui import hosts
from tests.hosts.agent_world import AgentWorld
from tests.hosts.hook_scripts import DENIES, REASON, answering
from tests.hosts.scripted_model import say

_WITH_CONTEXT = ("pre-session", "pre-agent-turn", "pre-tool-call", "post-tool-call")


def test_without_hooks_the_tool_runs_and_every_event_is_in_the_log(agent: AgentWorld) -> None:
    session = agent.session()
    assert agent.marker.read_text() == "original\n"
    assert session.turns == 2
    names = ("pre-session", "pre-agent-turn", "pre-tool-call", "post-tool-call", "pre-agent-turn-stop", "post-session")
    fired = [name for name in names if hosts.spec(agent.host).spelling(name)]
    assert sorted(report["event"] for report in agent.decisions()) == sorted(fired)


def test_a_rewritten_input_is_what_runs_and_context_reaches_the_model(agent: AgentWorld) -> None:
    rewritten = {"command": "echo rewritten > other.txt", "description": "another"}
    agent.hook("rewrite", answering(modified_input=rewritten), matcher={"pattern": "other"})
    for trigger in _WITH_CONTEXT:
        agent.hook(trigger, answering(additional_context=f"the moon at {trigger}"), trigger=trigger)
    session = agent.session(agent.shell("echo original > ran.txt"), agent.shell("echo other > other.txt"), say("all done"))
    assert [trigger for trigger in _WITH_CONTEXT if f"the moon at {trigger}" in session.heard] == [*_WITH_CONTEXT]
    assert (agent.marker.read_text(), (agent.project / "other.txt").read_text()) == ("original\n", "rewritten\n")


def test_a_denial_and_its_reason_hold_until_disconnect(agent: AgentWorld) -> None:
    agent.hook("guard", DENIES, matcher={"pattern": "ran"})
    assert REASON in agent.session().heard
    assert not agent.marker.exists()
    assert [report["reason"] for report in agent.decisions("decision:deny")] == [REASON]
    agent.run("disconnect", "--all", "--yes")
    assert not (agent.project / ".github").exists()
    assert not (agent.project / ".codex").exists()
    agent.session()
    assert agent.marker.exists()
