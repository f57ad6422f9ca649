"""`hooktui log` at a terminal: this project's newest events, one line each with what mattered, and how to see more."""

from __future__ import annotations

import re
from typing import Any

import pytest

from tests.claude_transcript import ClaudeTranscript
from tests.command_world import CommandWorld
from tests.log_world import LogWorld, run
from tests.unit.transcripts.past_imports import imported

WIDTHS = (80, 100, 120, 160)


def logged(world: CommandWorld, event: str = "pre-tool-call", tool: str | None = "Bash", **values: Any) -> LogWorld:
    """Log an event of Claude Code in the world's project."""
    world.db.parent.mkdir(parents=True, exist_ok=True)
    log = LogWorld(str(world.db))
    payload = {"session_id": "s1", "cwd": str(world.project), **values.pop("payload", {})}
    if tool:
        payload |= {"tool_name": tool, "tool_input": {"command": values.pop("command", "npm test")}}
    log.add(event, tool=tool, payload=payload, **{"host": "claude", "project": str(world.project), **values})
    return log


def lines(world: CommandWorld, *query: str, columns: int = 120) -> list[str]:
    """What `log` prints at a terminal, without colours."""
    shown = re.sub(r"\x1b\[[0-9;]*m", "", world.at_terminal("log", *query, columns=columns).stdout).splitlines()
    assert max(map(len, shown)) <= columns
    return shown


def test_a_terminal_gets_the_newest_of_this_project_and_a_pipe_gets_everything(world: CommandWorld) -> None:
    log = logged(world)
    log.add_all([log.made(project=str(world.project), tool="Read") for _ in range(249)])
    log.add(project="/home/dev/other", tool="Grep")
    *events, last = lines(world)
    assert len(events) == 200
    assert not any("Grep" in line for line in events)
    assert last == "200 of 251 events · hooktui log 'project:*' -n 1000"
    assert len(world.run("log").stdout.splitlines()) == 251
    assert len(lines(world, "project:*", "-n", "1000")) == 251


def test_the_last_line_keeps_the_query_and_is_left_out_when_nothing_is_missing(world: CommandWorld) -> None:
    log = logged(world)
    log.add(project="/home/dev/other", tool="Bash")
    log.add(project="/home/dev/other", tool="Grep")
    *_, last = lines(world, "tool:Bash", "event:pre-*")
    assert last == "1 of 2 events · hooktui log tool:Bash 'event:pre-*' 'project:*' -n 1000"
    assert lines(world, "tool:Grep") == ["0 of 1 event · hooktui log tool:Grep 'project:*' -n 1000"]
    assert len(lines(world, "project:*")) == 3
    assert lines(world, "project:*", "-n", "2")[-1] == "2 of 3 events · hooktui log 'project:*' -n 1000"
    assert lines(world, "session:s1")[-1].endswith("Grep")


def test_a_project_without_events_is_shown_those_of_all(world: CommandWorld) -> None:
    logged(world, project="/home/dev/other", command="make")
    [event] = lines(world)
    assert "Bash make" in event


@pytest.mark.parametrize("columns", WIDTHS)
def test_the_hook_that_failed_is_marked_and_no_number_is_cut(world: CommandWorld, columns: int) -> None:
    log = logged(
        world, command="npm run lint -- --fix src", runs=[run("format.sh"), run("lint-changed.sh", "failed", exit_code=127)]
    )
    log.add(runs=[run("slow.sh", "timeout", signal=9)], project=str(world.project))
    failed, slow = lines(world, columns=columns)
    assert re.search(r"Bash np.*  ▲ lint-changed.sh failed(, exit 127)? \+1$", failed)
    assert ("exit 127" in failed) == (columns > 80)
    assert slow.endswith("▲ slow.sh timed out")


@pytest.mark.parametrize("columns", WIDTHS)
def test_the_hook_that_denied_comes_before_one_that_failed(world: CommandWorld, columns: int) -> None:
    hooks = [run("audit"), run("lint.sh", "failed", exit_code=1), run("guard.sh", decision="deny")]
    logged(world, command="git push --force origin HEAD", decision="deny", reason="Not here.\nAsk first.\n", runs=hooks)
    [event] = lines(world, columns=columns)
    assert re.search(r"deny .*guard\.sh \+2", event)
    assert "lint.sh" not in event
    assert ("guard.sh +2: Not here. Ask first." in event) == (columns >= 120)


@pytest.mark.parametrize("columns", WIDTHS)
def test_the_reason_of_an_unknown_hook_stands_apart_from_the_decision(world: CommandWorld, columns: int) -> None:
    logged(world, decision="deny", reason="Not here.")
    [event] = lines(world, columns=columns)
    assert event.endswith("deny: Not here." if columns < 110 else "  Not here.")


@pytest.mark.parametrize("columns", WIDTHS)
def test_a_gate_that_failed_did_not_check(world: CommandWorld, columns: int) -> None:
    log = logged(world, "pre-agent-turn-stop", None, runs=[run("stop_gate.py", "failed", exit_code=2)])
    log.add("pre-agent-turn-stop", runs=[run("tests-pass")], project=str(world.project))
    failed, passed = lines(world, columns=columns)
    assert "▲ gate failed: not checked" in failed
    assert ("(stop_gate.py, exit 2)" in failed) == (columns > 80)
    assert "gate" not in passed
    assert "  gate failed: not checked\n" in world.run("show", failed.split()[0]).stdout


def test_a_denial_that_nothing_obeyed_says_that_the_call_ran(world: CommandWorld) -> None:
    world.hook("guard", "#!/bin/sh\necho no >&2\nexit 2\n")
    transcript = ClaudeTranscript(world.home, str(world.project), "s1")
    transcript.prompt("push it")
    call = transcript.call("git push --force")
    about = {"tool_name": "Bash", "tool_input": {"command": "git push --force"}, "tool_use_id": call}
    base = {"hook_event_name": "PreToolUse", "session_id": "s1", "cwd": str(world.project)}
    world.run("run", "--host", "claude", stdin={**base, **about}, code=2)
    transcript.result(call)
    imported(world)
    for columns in WIDTHS:
        [event] = lines(world, "event:pre-tool-call", columns=columns)
        assert event.endswith("  denied by guard, but it ran")
    assert "  denied by guard, but it ran\n" in world.run("show", event.split()[0]).stdout
