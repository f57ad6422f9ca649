"""What the log says of the mods of the real Claude Code, connected or not: who denied, as far as Claude records it."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from tests.conformance.seen_in_claude import PROJECT
from tests.hosts.claude_code import ClaudeWorld
from tests.hosts.claude_plugins import add_mod
from tests.hosts.scripted_model import bash, say

_WAYS: dict[str, tuple[str, ...]] = {
    "unconnected": (),
    "connected": ("connect", "claude", "--yes"),
    "observed": ("connect", "claude", "--scope", "project", "--observe", "--yes"),
}
_PASSES = "async ($, e, next) => next(e)"
_SILENT, _DENIES = "cat > /dev/null", "cat > /dev/null; echo WHY >&2; exit 2"
_DENIES_IN_JSON = f"""{_SILENT}; echo '{{"hookSpecificOutput": {{"hookEventName": "PreToolUse",
"permissionDecision": "deny", "permissionDecisionReason": "WHY"}}}}' | tr '\\n' ' '"""
Reports = Callable[[ClaudeWorld], dict[str, Any]]


@pytest.fixture(params=_WAYS)
def the_call(request: pytest.FixtureRequest) -> Reports:
    """Connect in one way or not at all, and let Claude call its shell: the report of the call."""

    def played(world: ClaudeWorld) -> dict[str, Any]:
        if _WAYS[request.param]:
            world.run(*_WAYS[request.param])
        world.session(bash("git push --force; touch ran.txt"), say("all done"))
        world.run("import", "--since", "all")
        assert "intact" in world.run("doctor", "--verify", code=None).stdout
        (report,) = world.decisions("event:pre-tool-call")
        assert world.marker.exists() == (report["outcome"] == "ran")
        return report

    return played


def guard(world: ClaudeWorld, command: str, event: str = "PreToolUse") -> None:
    """A hook of the project for every call of a tool, or for another event."""
    group = {"hooks": [{"type": "command", "command": command}]}
    world.settings(PROJECT).write_text(json.dumps({"hooks": {event: [group]}}))


def told(report: dict[str, Any]) -> tuple[str, str, str | None, list[str]]:
    """The decision, the outcome, the reason, and the labels of the hooks that denied."""
    deniers = [hook["label"] for hook in report["hooks"] if hook["decision"] == "deny"]
    return report["decision"], report["outcome"], report["reason"], deniers


@pytest.mark.parametrize(
    ("answer", "reason"),
    [("deny", "'not: now'"), ("ask", "'not: now'"), ("deny", None)],
    ids=["denies", "asks", "gives no reason"],
)
def test_a_mod_that_denies_a_check_is_named(world: ClaudeWorld, the_call: Reports, answer: str, reason: str | None) -> None:
    given = f", reason: {reason}" if reason else ""
    add_mod(world, "moda", "tool.check", f"async () => ({{decision: '{answer}'{given}}})")
    guard(world, _SILENT)
    expected = reason.strip("'") if reason else None
    assert told(the_call(world)) == ("deny", "denied-by-hook", expected, ["moda"])


def test_of_several_mods_that_hear_a_check_any_may_have_denied(world: ClaudeWorld, the_call: Reports) -> None:
    add_mod(world, "moda", "tool.check", _PASSES)
    add_mod(world, "modb", "tool.check", "async () => ({decision: 'deny', reason: 'no'})")
    assert told(the_call(world)) == ("deny", "denied-by-hook", "no", ["moda or modb"])


def test_a_call_that_a_mod_denies_before_any_hook_is_in_the_log(world: ClaudeWorld, the_call: Reports) -> None:
    """No hook of the settings is started, hooktui's neither."""
    add_mod(world, "moda", "tool.call", "async () => ({deny: 'CALLDENY'})")
    guard(world, _DENIES)
    report = the_call(world)
    assert report["origin"] == "transcript"
    assert told(report) == ("deny", "denied-by-hook", "CALLDENY", ["a mod"])


def test_who_denied_in_a_mods_words_before_a_call_is_not_recorded(world: ClaudeWorld, the_call: Reports) -> None:
    add_mod(world, "moda", "classic.PreToolUse", "async () => ({deny: 'CLASSICDENY'})")
    guard(world, _SILENT)
    assert told(the_call(world)) == ("deny", "denied-by-hook", "CLASSICDENY", [])


@pytest.mark.parametrize(("command", "is_named"), [(_DENIES, True), (_DENIES_IN_JSON, False)], ids=["by exit code", "in JSON"])
def test_a_mod_that_passes_a_call_takes_no_hooks_denial(
    world: ClaudeWorld, the_call: Reports, command: str, *, is_named: bool
) -> None:
    """Claude Code does not name a hook that denies in JSON: only an observed one is known."""
    for name, event in (("moda", "tool.check"), ("modb", "tool.call"), ("modc", "classic.PreToolUse")):
        add_mod(world, name, event, _PASSES)
    guard(world, command)
    decision, outcome, reason, deniers = told(the_call(world))
    assert (decision, outcome, reason) == ("deny", "denied-by-hook", "WHY")
    assert is_named <= len(deniers) <= 1
    assert "mod" not in "".join(deniers)


@pytest.mark.parametrize(
    ("event", "handler", "told"),
    [
        ("tool.check", "async () => ({decision: 'allow'})", "modb allowed it at tool.check"),
        (
            "tool.check",
            "async ($, e, next) => { await next(e); return {decision: 'allow'} }",
            "moda or modb allowed it at tool.check",
        ),
        ("tool.check", "async () => ({decision: 'deny'})", "modb denied it at tool.check"),
        ("tool.call", "async () => ({deny: 'CALLDENY'})", "modb denied it at tool.call"),
        ("tool.call", "async () => ({result: 'made up'})", "modb answered it without running it at tool.call"),
        ("tool.call", _PASSES, None),
        ("tool.check", _PASSES, None),
    ],
)
def test_the_debug_log_says_which_mod_answered_a_call(world: ClaudeWorld, event: str, handler: str, told: str | None) -> None:
    add_mod(world, "moda", event, _PASSES)
    add_mod(world, "modb", event, handler)
    guard(world, _SILENT if "denied" in str(told) else _DENIES)
    assert logged_with_debug_log(world).get("debug_log") == told


def test_the_debug_log_is_found_where_the_configuration_was_moved(world: ClaudeWorld) -> None:
    add_mod(world, "moda", "tool.check", "async () => ({decision: 'allow'})")
    moved = (world.home / ".claude").rename(world.home / "moved")
    report = logged_with_debug_log(world, moved.name)
    assert report["debug_log"] == "moda allowed it at tool.check"


def logged_with_debug_log(world: ClaudeWorld, folder: str = ".claude") -> dict[str, Any]:
    """The report of a call in a session of `claude --debug`, with its configuration in a folder of the home."""
    moved = str(world.home / folder)
    world.logs_at_home = True
    world.session(CLAUDE_CONFIG_DIR=moved)
    world.hooktui("import", "--since", "all", CLAUDE_CONFIG_DIR=moved)
    (line,) = world.hooktui("log", "event:pre-tool-call", "--json", CLAUDE_CONFIG_DIR=moved).stdout.splitlines()
    report: dict[str, Any] = json.loads(line)
    return report


def test_a_permission_rule_is_no_mods_denial(world: ClaudeWorld, the_call: Reports) -> None:
    add_mod(world, "moda", "tool.call", _PASSES)
    world.settings(PROJECT).write_text(json.dumps({"permissions": {"deny": ["Bash(git push:*)"]}}))
    assert told(the_call(world)) == ("none", "denied-by-permission", None, [])


def test_a_mod_that_blocks_after_a_call_is_a_mod(world: ClaudeWorld, the_call: Reports) -> None:
    add_mod(world, "moda", "classic.PostToolUse", "async () => ({block: 'POSTBLOCK'})")
    the_call(world)
    (after,) = world.decisions("event:post-tool-call")
    assert told(after) == ("deny", "ok", "POSTBLOCK", ["a mod"])


@pytest.mark.parametrize("way", _WAYS)
def test_a_stop_that_a_mod_holds_before_any_hook_is_in_the_log(world: ClaudeWorld, way: str) -> None:
    """Neither the project's hook nor hooktui's is started at the first stop; both are at the second."""
    held = "async ($, e, next) => e.stop_hook_active ? next(e) : {block: 'STOPBLOCK'}"
    add_mod(world, "moda", "classic.Stop", held)
    if _WAYS[way]:
        world.run(*_WAYS[way])
    world.session(say("done"), say("all done"))
    world.run("import", "--since", "all")
    stops = [told(report) for report in world.decisions("event:pre-agent-turn-stop")]
    assert stops == [("deny", "denied", "STOPBLOCK", []), ("none", "passed", None, [])]


def test_a_prompt_that_a_mod_blocks_is_of_no_hook(world: ClaudeWorld) -> None:
    add_mod(world, "moda", "classic.UserPromptSubmit", "async () => ({block: 'no'})")
    guard(world, _SILENT, "UserPromptSubmit")
    world.session(say("done"))
    world.run("import", "--since", "all")
    (report,) = world.decisions("event:pre-agent-turn")
    assert told(report) == ("deny", "denied", "no", [])
