"""One event of the real Claude Code is one report, and one hook has one name, in `log`, `list` and `try`."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.command_world import wait_until
from tests.conformance.seen_in_claude import LOCAL, PROJECT, USER
from tests.hosts.claude_code import ClaudeWorld
from tests.hosts.hook_scripts import DENIES, REASON, command
from tests.hosts.scripted_model import bash, say

_FILES = {"user": USER, "project": PROJECT, "local": LOCAL}
_EVENTS = ["pre-session", "pre-agent-turn", "pre-tool-call", "post-tool-call", "pre-agent-turn-stop", "post-session"]


def settings(world: ClaudeWorld, scope: str, *entries: dict[str, Any], event: str = "PreToolUse") -> None:
    """Claude's own hooks for its shell."""
    entries = tuple({"type": "command", **entry} for entry in entries)
    groups = {"hooks": {event: [{"matcher": "Bash", "hooks": entries}]}}
    world.settings(_FILES[scope]).write_text(json.dumps(groups, indent=2))


def script(world: ClaudeWorld, name: str, text: str) -> dict[str, str]:
    """An entry for a script in the project."""
    path = world.project / "tools" / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)
    return {"command": f'"$CLAUDE_PROJECT_DIR"/tools/{name}'}


def observe(world: ClaudeWorld, scope: str = "project") -> None:
    world.run("connect", "claude", "--scope", scope, "--observe", "--yes")


def settled(world: ClaudeWorld, query: str, count: int = 1) -> list[dict[str, Any]]:
    """The reports that match a query, once there are this many: an observed hook is recorded after it has answered."""
    wait_until(lambda: len(world.decisions(query)) == count)
    return world.decisions(query)


def test_a_denied_call_is_one_report_with_the_decision_that_claude_obeyed(world: ClaudeWorld) -> None:
    world.hook("silent", "#!/bin/sh\ncat > /dev/null\n")
    settings(world, "project", script(world, "guard.sh", DENIES))
    observe(world)
    heard = world.session().heard
    assert REASON in heard
    assert not [word for word in ("python", " -m hooktui") if word in heard], "Claude names the wrapper in few words"
    (report,) = settled(world, "event:pre-tool-call")
    assert (report["origin"], report["decision"], report["effect"]) == ("run", "deny", "deny")
    assert {hook["label"]: hook["origin"] for hook in report["hooks"]} == {"silent": "run", "guard.sh": "observed"}
    assert [report["event"] for report in world.decisions()] == [event for event in _EVENTS if event != "post-tool-call"]


def test_an_observed_session_has_as_many_events_as_claude_fired(world: ClaudeWorld) -> None:
    """Each of two equal calls is one, and so is a prompt, which has no call."""
    names = ("one.sh", "two.sh", "prompt.sh")
    one, two, prompt = ({"type": "command", **script(world, name, "#!/bin/sh\n")} for name in names)
    groups = {"PreToolUse": [{"matcher": "Bash", "hooks": [one, two]}], "UserPromptSubmit": [{"hooks": [prompt]}]}
    world.write(PROJECT, {"hooks": groups})
    observe(world)
    world.session(bash("true"), bash("true"), say("all done"))
    wait_until(lambda: [len(world.decisions(f"hook:{name}")) for name in names] == [2, 2, 1])
    call = ["pre-tool-call", "post-tool-call"]
    assert [report["event"] for report in world.decisions()] == [*_EVENTS[:2], *call, *call, *_EVENTS[4:]]
    assert {report["origin"] for report in world.decisions("event:pre-tool-call")} == {"observed"}


def test_a_rewrite_by_an_observed_hook_has_its_effect(world: ClaudeWorld) -> None:
    rewritten = {"command": "echo rewritten > ran.txt", "description": "another"}
    answer = {"hookSpecificOutput": {"hookEventName": "PreToolUse", "updatedInput": rewritten}}
    settings(world, "project", {"command": command(answer)})
    observe(world)
    world.session()
    assert world.marker.read_text() == "rewritten\n"
    (report,) = settled(world, "effect:rewrite")
    assert (report["decision"], report["effect"]) == ("none", "rewrite")


def test_an_observed_hook_that_claude_ended_is_a_timeout(world: ClaudeWorld) -> None:
    settings(world, "project", {"command": "sleep 20", "timeout": 1})
    observe(world)
    world.session()
    (report,) = settled(world, "state:timeout")
    assert [hook["state"] for hook in report["hooks"] if hook["origin"] == "observed"] == ["timeout"]


def test_parallel_hooks_count_once_in_the_time_of_their_event(world: ClaudeWorld) -> None:
    slow = "#!/bin/sh\ncat > /dev/null\nsleep 1\n"
    settings(world, "project", *(script(world, f"slow-{number}.sh", slow) for number in range(3)))
    observe(world)
    world.session()
    wait_until(lambda: len(world.decisions("hook:slow-2.sh")) == 1)
    (report,) = world.decisions("event:pre-tool-call")
    assert len([hook for hook in report["hooks"] if hook["origin"] == "observed"]) == 3
    assert report["duration_ms"] < sum(hook["duration_ms"] for hook in report["hooks"])


@pytest.mark.parametrize("scope", ["user", "project", "local"])
def test_a_hook_is_the_same_in_log_list_and_try(world: ClaudeWorld, scope: str) -> None:
    settings(world, scope, script(world, "guard.sh", DENIES))
    observe(world, scope)
    world.session()
    (report,) = settled(world, "hook:guard.sh")
    (run,) = [hook for hook in report["hooks"] if hook["origin"] == "observed"]
    (hook,) = [hook for hook in world.run("list", "--json").json() if hook["label"] == "guard.sh"]
    same = ("id", "name", "label", "scope", "file", "line")
    assert {key: run[key] for key in same if key in run} == {key: hook[key] for key in same if key in run}
    assert (run["label"], run["scope"], hook["scope"]) == ("guard.sh", scope, scope)
    world.trust()
    past = world.run("try", "guard.sh", "--past", "50", "--json").json()
    assert (past["events"], past["changed"]) == (1, 0)
    assert [row["then"]["decision"] for row in past["rows"]] == ["deny"]


def test_an_entry_inserted_above_renames_nothing(world: ClaudeWorld) -> None:
    guard = script(world, "guard.sh", DENIES)
    settings(world, "project", guard)
    observe(world)
    world.session()
    (before,) = settled(world, "hook:guard.sh")
    world.run("disconnect", "claude", "--scope", "project", "--yes")
    settings(world, "project", script(world, "format.sh", "#!/bin/sh\n"), guard)
    observe(world)
    world.session()
    reports = settled(world, "hook:guard.sh", 2)
    ids = {hook["id"] for report in reports for hook in report["hooks"] if hook["label"] == "guard.sh"}
    assert ids == {hook["id"] for hook in before["hooks"] if hook["label"] == "guard.sh"}
    assert [report["decision"] for report in reports] == ["deny", "deny"]


def test_the_same_hook_of_the_user_and_of_the_project_are_two(world: ClaudeWorld) -> None:
    for scope in ("user", "project"):
        settings(world, scope, {"command": "cat > /dev/null"}, event="PostToolUse")
    listed = [hook for hook in world.run("list", "--json").json() if hook["event"] == "post-tool-call"]
    assert len({hook["id"] for hook in listed}) == 2


def test_the_connection_is_folded_and_the_person_sees_their_own_command(world: ClaudeWorld) -> None:
    settings(world, "project", {"command": "./tools/guard.sh --strict"})
    observe(world)
    listed = [hook for hook in world.run("list", "--json").json() if not hook.get("connection")]
    assert [hook["command"] for hook in listed] == ["./tools/guard.sh --strict"]
    text = world.run("list").stdout
    assert "hooktui connection (" in text
    assert text.count("hooktui connection") == 1
