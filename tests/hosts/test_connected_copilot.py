"""After `hooktui connect copilot`, HOOK.md hooks decide in the real Copilot CLI; after `disconnect` it is as it was."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.hosts.hook_scripts import DENIES, REASON, answering

if TYPE_CHECKING:
    from tests.hosts.copilot_cli import CopilotWorld


@pytest.fixture
def connected(copilot: CopilotWorld) -> CopilotWorld:
    copilot.run("connect", "copilot", "--yes")
    return copilot


def test_without_hooks_the_tool_runs_and_every_event_is_in_the_log(connected: CopilotWorld) -> None:
    session = connected.session()
    assert connected.marker.read_text() == "original\n"
    assert session.turns == 2
    events = [report["event"] for report in connected.decisions()]
    assert sorted(events) == sorted(
        ["pre-session", "pre-agent-turn", "pre-tool-call", "post-tool-call", "pre-agent-turn-stop", "post-session"]
    )


def test_a_denial_keeps_the_tool_from_running_and_its_reason_reaches_the_model(connected: CopilotWorld) -> None:
    connected.hook("guard", DENIES, matcher={"pattern": "ran"})
    session = connected.session()
    assert not connected.marker.exists()
    assert REASON in session.heard
    assert [report["reason"] for report in connected.decisions("decision:deny")] == [REASON]


def test_a_rewritten_input_is_what_runs(connected: CopilotWorld) -> None:
    rewritten = {"command": "echo rewritten > ran.txt", "description": "another"}
    connected.hook("rewrite", answering(modified_input=rewritten))
    connected.session()
    assert connected.marker.read_text() == "rewritten\n"


@pytest.mark.parametrize("trigger", ["pre-session", "pre-agent-turn", "pre-tool-call", "post-tool-call"])
def test_context_arrives(connected: CopilotWorld, trigger: str) -> None:
    connected.hook("context", answering(additional_context="the moon is full"), trigger=trigger)
    session = connected.session()
    assert "the moon is full" in session.heard
    assert connected.marker.exists()


def test_after_disconnect_no_hook_of_ours_runs(connected: CopilotWorld) -> None:
    connected.hook("guard", DENIES)
    connected.session()
    assert not connected.marker.exists()
    connected.run("disconnect", "copilot")
    assert not (connected.project / ".github").exists()
    connected.session()
    assert connected.marker.exists()
