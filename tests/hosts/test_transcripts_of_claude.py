"""What became of calls and hooks, as Claude Code's own transcripts alone tell it: neither connected nor observed."""

from __future__ import annotations

from typing import Any

import pytest

from tests.hosts.claude_code import IN_BOTH_VERSIONS, ClaudeWorld
from tests.hosts.hook_scripts import command
from tests.hosts.scripted_model import bash, say, use

DENIES_BY_JSON = {"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "deny"}}
BECAUSE = {"permissionDecisionReason": "not today"}


def hook(answer: object = "", stderr: str = "", code: int = 0, **entry: object) -> dict[str, Any]:
    """An entry of a settings file for a command."""
    return {"type": "command", "command": command(answer, stderr, code), **entry}


def configure(world: ClaudeWorld, hooks: dict[str, list[dict[str, Any]]], **settings: Any) -> None:
    """Write the project's settings: its hooks by event, and more."""
    groups = {event: [{"hooks": [entry]} for entry in entries] for event, entries in hooks.items()}
    world.write(".claude/settings.json", {"hooks": groups, **settings})


def told(world: ClaudeWorld, query: str = "") -> list[dict[str, Any]]:
    """The events that the transcripts tell of."""
    world.run("import", "--since", "all")
    return world.decisions(query)


@IN_BOTH_VERSIONS
@pytest.mark.parametrize(
    ("answer", "settings"),
    [
        ("", {"permissions": {"ask": ["Bash(touch *)"]}}),
        ("", {"permissions": {"deny": ["Bash(touch *)"]}}),
        ({"hookSpecificOutput": {**DENIES_BY_JSON["hookSpecificOutput"], **BECAUSE}}, {}),
        (DENIES_BY_JSON, {}),
    ],
    ids=["nobody to ask", "a rule", "a hook's JSON", "a hook's JSON without a reason"],
)
def test_no_event_follows_a_call_that_was_refused(world: ClaudeWorld, answer: object, settings: dict[str, Any]) -> None:
    configure(world, {"PreToolUse": [hook(answer)]}, **settings)
    world.session(bash("touch ran.txt"), say("done"))
    assert not world.marker.exists()
    assert [report["outcome"] for report in told(world, "event:pre-tool-call") if report["outcome"] == "ran"] == []
    assert told(world, "event:post-tool-*") == []


def test_no_hook_runs_before_an_invalid_call_or_one_on_a_forbidden_path(world: ClaudeWorld) -> None:
    (world.project / "secret.txt").write_text("secret")
    counts = {"type": "command", "command": f"cat > /dev/null; echo >> {world.marker}"}
    configure(world, {"PreToolUse": [counts]}, permissions={"deny": ["Read(./secret*)"]})
    world.session(use("Nope"), use("Bash"), use("Read", file_path=str(world.project / "secret.txt")), say("done"))
    assert not world.marker.exists()
    calls = [(report["outcome"], report["hooks"], report["hooks_recorded"]) for report in told(world, "event:pre-tool-call")]
    assert calls == [("invalid", [], "all"), ("invalid", [], "all"), ("denied-by-permission", [], "all")]


@IN_BOTH_VERSIONS
def test_a_hook_of_the_command_line_is_not_taken_for_one_of_the_files(world: ClaudeWorld) -> None:
    denial = {"hookSpecificOutput": {**DENIES_BY_JSON["hookSpecificOutput"], **BECAUSE}}
    configure(world, {"PreToolUse": [hook()]})
    given = world.write("~/given.json", {"hooks": {"PreToolUse": [{"hooks": [hook(denial)]}]}})
    world.session(options=("--settings", str(given)))
    (report,) = told(world, "event:pre-tool-call")
    assert [(run["state"], run["decision"]) for run in report["hooks"]] == [("unrecorded", "none")]
    assert report["decision"] in ("deny", "none")  # 2.1.197 does not tell a denial from a failure
    assert report["hooks_recorded"] == "none"


@pytest.mark.parametrize("is_observed", [False, True], ids=["alone", "observed"])
def test_a_hook_that_claude_calls_by_another_name_is_the_one_of_the_file(world: ClaudeWorld, *, is_observed: bool) -> None:
    script = "cat > /dev/null; echo broken >&2; exit 1"
    named = hook(stderr="broken", code=1, statusMessage="Linting")
    words = {"type": "command", "command": "/bin/sh", "args": ["-c", script, "${CLAUDE_PROJECT_DIR}/x y"]}
    configure(world, {"PostToolUse": [named, words]})
    if is_observed:
        world.run("connect", "claude", "--scope", "project", "--observe", "--yes")
    world.session()
    listed = [entry["id"] for entry in world.run("list", "--json").json() if not entry.get("connection")]
    (report,) = told(world, "event:post-tool-call")
    assert sorted(run["id"] for run in report["hooks"]) == sorted(listed)
    assert [run["state"] for run in report["hooks"]] == ["failed", "failed"]


def test_a_stop_hook_with_a_status_message_is_one_hook(world: ClaudeWorld) -> None:
    once = f"cat > /dev/null; test -f {world.marker} && exit 0; touch {world.marker}; echo more >&2; exit 2"
    configure(world, {"Stop": [{"type": "command", "command": once, "statusMessage": "Testing"}]})
    world.session(say("done"), say("really done"))
    held, *_ = told(world, "event:pre-agent-turn-stop")
    assert [run["decision"] for run in held["hooks"]] == ["deny"]


def test_a_rule_that_refuses_a_call_leaves_nothing_of_a_hooks_permission(world: ClaudeWorld) -> None:
    allows = {"hookEventName": "PreToolUse", "permissionDecision": "allow", "updatedInput": {"command": "touch ran.txt"}}
    configure(world, {"PreToolUse": [hook({"hookSpecificOutput": allows})]}, permissions={"deny": ["Bash(touch *)"]})
    world.session(bash("touch ran.txt"), say("done"))
    (report,) = told(world, "event:pre-tool-call")
    assert (report["decision"], report["effect"], report["reason"]) == ("none", "none", None)
    assert report["outcome"] == "denied-by-permission"
    assert [run["decision"] for run in report["hooks"]] == ["allow"]


@IN_BOTH_VERSIONS
def test_a_turn_that_a_hook_holds_nine_times_ends(world: ClaudeWorld) -> None:
    configure(world, {"Stop": [hook(stderr="more", code=2)]})
    assert world.session(*[say(f"done {number}") for number in range(12)]).turns == 9
    reports = told(world, "event:pre-agent-turn-stop")
    assert [report["overruled"] for report in reports] == [False] * 8 + [True]
    assert (reports[-1]["decision"], reports[-1]["outcome"]) == ("none", "passed")


def test_a_hook_that_denies_by_failing_has_failed(world: ClaudeWorld) -> None:
    configure(world, {"PreToolUse": [hook(stderr="broken", code=1, onFailure="block")]})
    world.session()
    (report,) = told(world, "event:pre-tool-call")
    (run,) = report["hooks"]
    assert (report["decision"], run["state"], run["via"], run["exit_code"]) == ("deny", "failed", None, None)


def test_a_hook_that_ends_a_turn_between_calls_is_named(world: ClaudeWorld) -> None:
    configure(world, {"PostToolBatch": [hook(stderr="enough", code=2), hook("noted")]})
    world.session(bash("true"), bash("true"), say("done"))
    (report,) = told(world, "event:PostToolBatch")
    assert report["decision"] == "stop"
    assert [(run["state"], run["decision"], run["reason"]) for run in report["hooks"] if run["reason"]] == [
        ("ok", "stop", "enough"),
    ]  # fmt: skip
    assert {run["state"] for run in report["hooks"]} == {"ok"}


def test_a_rewrite_that_the_tool_does_not_take_is_no_denial(world: ClaudeWorld) -> None:
    rewrites = {"hookEventName": "PreToolUse", "permissionDecision": "allow", "updatedInput": {"nope": 1}}
    configure(world, {"PreToolUse": [hook({"hookSpecificOutput": rewrites})]})
    world.session()
    assert not world.marker.exists()
    (report,) = told(world, "event:pre-tool-call")
    assert (report["decision"], report["effect"], report["outcome"]) == ("none", "none", "not-started")
    assert [run["state"] for run in report["hooks"]] == ["invalid-output"]
    assert told(world, "event:post-tool-*") == []


@pytest.mark.parametrize(("more", "is_rewrite"), [({"interrupted": False, "isImage": False}, True), ({}, False)])
def test_a_result_of_the_tools_form_is_a_rewrite(world: ClaudeWorld, more: dict[str, Any], is_rewrite: bool) -> None:
    result = {"stdout": "swapped-out", "stderr": "", **more}
    answer = {"hookSpecificOutput": {"hookEventName": "PostToolUse", "updatedToolOutput": result}}
    configure(world, {"PostToolUse": [hook(answer)]})
    assert ("swapped-out" in world.session().heard) == is_rewrite
    (report,) = told(world, "event:post-tool-call")
    assert report["effect"] == ("rewrite" if is_rewrite else "none")
    assert report["modified_input"] == ({"tool_response": result} if is_rewrite else None)
    assert [run["state"] for run in report["hooks"]] == ["ok" if is_rewrite else "invalid-output"]


def test_a_session_has_one_start_a_failure_and_a_stop_that_context_held(world: ClaudeWorld) -> None:
    context = {"hookSpecificOutput": {"hookEventName": "Stop", "additionalContext": "run the tests"}}
    holds = hook(context)
    holds["command"] = f"[ -e held ] || {{ touch held; {holds['command']}; }}"
    starts = [hook("noted"), hook({"decision": "block"}), hook("noted too", stderr="broken", code=1)]
    configure(world, {"SessionStart": starts, "Stop": [holds]})
    assert world.session(bash("exit 3"), say("done"), say("tested")).turns == 3
    assert len(told(world, "event:pre-session")) == 1
    assert [report["outcome"] for report in told(world, "event:post-tool-*")] == ["failed"]
    assert [report["outcome"] for report in told(world, "event:pre-agent-turn-stop")] == ["denied", "passed"]
