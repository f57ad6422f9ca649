"""Copilot CLI reads files of Claude Code and VS Code: with two connected, it delivers each event twice; each hook runs once."""

from __future__ import annotations

import pytest

from tests.hosts.copilot_cli import CopilotWorld
from tests.hosts.hook_scripts import DENIES, REASON, answering
from tests.hosts.scripted_model import say

COUNTS = "#!/bin/sh\ncat > /dev/null\necho run >> runs.txt\n"


@pytest.fixture(params=["claude", "vscode"])
def both(copilot: CopilotWorld, request: pytest.FixtureRequest) -> CopilotWorld:
    for host in (request.param, "copilot"):
        copilot.run("connect", host, "--yes")
    return copilot


def test_each_hook_runs_once_and_each_event_is_logged_once(both: CopilotWorld) -> None:
    both.hook("count", COUNTS)
    both.hook("count-prompts", COUNTS, trigger="pre-agent-turn")
    both.session(both.shell("echo a"), both.shell("echo a"), say("all done"))
    assert (both.project / "runs.txt").read_text() == "run\n" * 3
    assert [report["host"] for report in both.decisions("event:pre-tool-call")] == ["copilot"] * 2


def test_a_denied_call_does_not_run(both: CopilotWorld) -> None:
    both.hook("guard", DENIES)
    assert REASON in both.session().heard
    assert not both.marker.exists()


def test_a_denied_prompt_is_not_sent(both: CopilotWorld) -> None:
    both.hook("guard", DENIES, trigger="pre-agent-turn")
    session = both.session()
    assert (session.turns, REASON in session.result) == (0, True)


def test_a_gate_counts_each_denial_once(both: CopilotWorld) -> None:
    both.hook("gate", DENIES, trigger="pre-agent-turn-stop")
    assert both.session(*(say(f"turn {number}") for number in range(20))).turns == 4
    assert [report["decision"] for report in both.decisions("event:pre-agent-turn-stop")] == ["deny"] * 3 + ["none"]


def test_a_rewritten_input_and_the_context_reach_the_agent_once(both: CopilotWorld) -> None:
    rewritten = {"command": "echo rewritten >> ran.txt", "description": "a step"}
    both.hook("rewrite", answering(decision="allow", modified_input=rewritten, additional_context="mind the gap"))
    session = both.session()
    assert both.marker.read_text() == "rewritten\n"
    assert session.heard.count("mind the gap") == 1
