"""The count of a gate's denials in a row, for a session and an agent."""

from __future__ import annotations

from typing import Any

import pytest

from hooktui.core.events import GATE, TURN_STARTS
from hooktui.runner.gate import Gate
from hooktui.runner.session_files import directory
from tests.log_world import LogWorld


@pytest.fixture
def log(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> LogWorld:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    return LogWorld(str(tmp_path / "log.db"))


def follow(log: LogWorld, event: str = GATE, **about: Any) -> None:
    """Let the gate follow a dispatch, as `run` does."""
    dispatch = log.made(event, **about)
    Gate(dispatch.event, dispatch.project).follow(dispatch)


def denials(log: LogWorld, **about: Any) -> int:
    dispatch = log.made(GATE, **about)
    return Gate(dispatch.event, dispatch.project).denials


def test_other_events_do_not_interrupt_consecutive_denials(log: LogWorld) -> None:
    assert denials(log) == 0
    follow(log, decision="deny")
    follow(log, "pre-tool-call", decision="deny")
    follow(log, decision="stop")
    assert denials(log) == 2


@pytest.mark.parametrize(("event", "decision"), [*((event, "none") for event in TURN_STARTS), (GATE, "none"), (GATE, "allow")])
def test_new_turn_or_allowed_stop_resets_the_count(log: LogWorld, event: str, decision: Any) -> None:
    follow(log, decision="deny")
    follow(log, event, decision=decision)
    assert denials(log) == 0
    follow(log, decision="deny")
    assert denials(log) == 1


def test_a_prompt_that_the_host_makes_up_begins_no_turn(log: LogWorld) -> None:
    follow(log, decision="deny", reason="test first")
    for prompt in ("test first", "", " \n", "test first\n"):
        follow(log, "pre-agent-turn", payload={"prompt": prompt})
    assert denials(log) == 1
    follow(log, decision="deny", reason="and document")
    follow(log, "pre-agent-turn", payload={"prompt": "and document"})
    assert denials(log) == 2
    follow(log, "pre-agent-turn", payload={"prompt": "test first"})
    assert denials(log) == 0


def test_denials_are_counted_per_agent(log: LogWorld) -> None:
    follow(log, decision="deny")
    follow(log, decision="deny", payload={"agent_id": "a1"})
    follow(log, decision="deny", payload={"agentId": "a2"})
    follow(log, "pre-agent-turn", payload={"agent_id": "a1", "prompt": "go"})
    agents: list[dict[str, Any]] = [{}, {"agent_id": "a1"}, {"agent_id": "a2"}]
    assert [denials(log, payload={"x": 1, **agent}) for agent in agents] == [1, 0, 1]


def test_denials_are_counted_per_session_in_any_directory(log: LogWorld) -> None:
    follow(log, decision="deny")
    follow(log, decision="deny", session="s2")
    follow(log, decision="deny", project="/elsewhere")
    follow(log, decision="deny", host="claude")
    assert denials(log) == 3
    follow(log, "pre-agent-turn", project="/elsewhere")
    assert denials(log) == 0


def test_denials_without_a_session_id_are_counted_per_project(log: LogWorld) -> None:
    follow(log, decision="deny", session="")
    follow(log, decision="deny", session="", project="/elsewhere")
    follow(log, decision="deny", session="s2")
    assert denials(log, session="") == 1


def test_a_secret_is_not_kept(log: LogWorld, tmp_path: Any) -> None:
    secret = "ghp" + "_" + "A1" * 18
    follow(log, decision="deny", session=secret, reason=f"remove {secret}")
    (kept,) = (tmp_path / directory("gates")).iterdir()
    assert secret not in f"{kept} {kept.read_text()}"
    follow(log, "pre-agent-turn", session=secret, payload={"prompt": f"remove {secret}"})
    assert denials(log, session=secret) == 1


def test_a_damaged_count_begins_anew(log: LogWorld, tmp_path: Any) -> None:
    follow(log, decision="deny")
    (kept,) = (tmp_path / directory("gates")).iterdir()
    kept.write_text("{half")
    assert denials(log) == 0
