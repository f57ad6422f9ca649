"""Differences between hosts in matchers and timeouts (formats.md §3, the table)."""

from __future__ import annotations

import json

import pytest

from hooktui.edit import apply_fixes
from tests.unit.diagnostics.host_files import CLAUDE, GEMINI, VSCODE, entry, found, grouped, one, put, use_vscode
from tests.unit.formats.agenthooks_world import World, place_of


@pytest.mark.parametrize(
    ("file", "marked"),
    [
        (VSCODE, '{"hooks": {"PreToolUse": [{"matcher": «"Bash"», "hooks": [{"type": "command", "command": "true"}]}]}}'),
        (VSCODE, '{"hooks": {"PostToolUse": [{"type": "command", "command": "true", "matcher": «"Edit|Write"»}]}}'),
        (VSCODE, '{"version": 1, "hooks": {"preToolUse": [{"type": "command", "command": "true", "matcher": «"bash"»}]}}'),
        (CLAUDE, '{"hooks": {"PreToolUse": [{"matcher": «"Bash"», "hooks": [{"type": "command", "command": "true"}]}]}}'),
    ],
)
def test_vs_code_ignores_a_matcher(world: World, file: str, marked: str) -> None:
    use_vscode(world)
    place = put(world, marked, file)
    only = one(world, "host-ignores-matcher")
    assert (only.severity, only.hosts, place_of(only)) == ("warning", ("vscode",), place)


@pytest.mark.parametrize("matcher", [None, "", "*"])
def test_matcher_for_all_tools_is_not_reported(world: World, matcher: str | None) -> None:
    use_vscode(world)
    put(world, grouped("true", matcher=matcher), CLAUDE)
    assert found(world, "host-ignores-matcher") == []


def test_matcher_of_a_group_is_reported_once(world: World) -> None:
    use_vscode(world)
    hooks = [{"type": "command", "command": "true"}, {"type": "command", "command": "false"}]
    put(world, json.dumps({"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": hooks}]}}), CLAUDE)
    assert len(found(world, "host-ignores-matcher")) == 1


@pytest.mark.parametrize(
    ("matcher", "hint"),
    [("mcp__github", "mcp__github__.*"), ("Bash|mcp__memory", "mcp__memory__.*"), ("bash", "Bash"), ("Edit, write", "Write")],
)
def test_impossible_tool_names_match_nothing_in_claude(world: World, matcher: str, hint: str) -> None:
    place = put(world, grouped("true", matcher=f"«{matcher}»").replace('"«', '«"').replace('»"', '"»'), CLAUDE)
    only = one(world, "matches-nothing")
    assert (only.severity, only.hosts, place_of(only)) == ("warning", ("claude",), place)
    assert hint in only.hint


@pytest.mark.parametrize("rule", ["Bash(git commit*)", "Bash(*)", "Edit(src/**)"])
def test_permission_rule_as_matcher_is_reported(world: World, rule: str) -> None:
    place = put(world, grouped("true", matcher="X").replace('"X"', f'«"{rule}"»'), CLAUDE)
    only = one(world, "matches-nothing")
    assert (only.hosts, place_of(only)) == (("claude",), place)
    assert f'"if": "{rule}"' in only.hint


@pytest.mark.parametrize(
    "matcher",
    [
        "Bash(?!Output)",
        "(Bash|Edit)",
        "mcp__github__.*",
        "mcp__github__search",
        "mcp__.*",
        "Bash",
        "Task|Agent",
    ],
)
def test_possible_tool_names_are_not_reported(world: World, matcher: str) -> None:
    put(world, grouped("true", matcher=matcher), CLAUDE)
    assert found(world, "matches-nothing") == []


# Timeouts --------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("key", ["timeout", "timeoutSec"])
def test_a_json_timeout_from_1000_is_probably_in_milliseconds(world: World, key: str) -> None:
    place = put(world, f'{{"hooks": {{"Stop": [{{"type": "command", "command": "true", "{key}": «5000»}}]}}}}')
    only = one(world, "unit-suspect")
    assert (only.severity, place_of(only)) == ("warning", place)
    apply_fixes.apply(apply_fixes.plan_one(only, ()), (), "")
    assert f'"{key}": 5}}' in (world.project / VSCODE).read_text()


def test_a_timeout_below_1000_is_probably_in_seconds_where_the_host_counts_milliseconds(world: World) -> None:
    put(world, grouped("true", "BeforeTool").replace('"true"', '"true", "timeout": 30'), GEMINI)
    only = one(world, "unit-suspect")
    assert only.message == "timeout is in milliseconds: Gemini CLI ends the hook after 0.03 s, and goes on"
    assert only.hint == "30 s would be 30000"


@pytest.mark.parametrize(("timeout", "more", "reported"), [(5000, {}, True), (3600, {}, False), (5000, {"async": True}, False)])
def test_a_timeout_that_may_be_meant_is_not_suspect(
    world: World, timeout: int, more: dict[str, bool], *, reported: bool
) -> None:
    hook = {"type": "command", "command": "true", "timeout": timeout, **more}
    put(world, json.dumps({"hooks": {"Stop": [{"hooks": [hook]}]}}), CLAUDE)
    assert bool(found(world, "unit-suspect")) is reported


def test_long_timeout_in_seconds_is_not_reported(world: World) -> None:
    put(world, entry("true", timeout=999))
    put(world, grouped("true"), CLAUDE)
    assert found(world, "unit-suspect") == []


@pytest.mark.parametrize(
    ("matcher", "hint"),
    [
        ("Write|Edti", "did you mean Edit?"),
        ("Wirte", "did you mean Write?"),
        ("mcp__", "write mcp__.* for all tools of all servers"),
        ("run_in_terminal", "did you mean Bash?"),
        ("gh pr create|gh pr merge", 'match Bash, and check the command with "if": "Bash(…)"'),
        ("git push.*", 'match Bash, and check the command with "if": "Bash(…)"'),
        (r".*\\.py$", 'match Bash, and check the command with "if": "Bash(…)"'),
    ],
)
def test_matcher_that_no_tool_can_match_is_reported_with_the_intended_one(world: World, matcher: str, hint: str) -> None:
    put(world, grouped("true", matcher="X").replace('"X"', f'"{matcher}"'), CLAUDE)
    assert one(world, "matches-nothing").hint == hint


@pytest.mark.parametrize("matcher", ["Task", "Agent", "TaskCreate", "EnterPlanMode", "mcp__.*", "Notebook.*"])
def test_matcher_of_a_tool_that_may_exist_is_fine(world: World, matcher: str) -> None:
    put(world, grouped("true", matcher=matcher), CLAUDE)
    assert found(world, "matches-nothing") == []


@pytest.mark.parametrize(("event", "reported"), [("preToolUse", True), ("PreToolUse", False)])
def test_copilot_has_names_of_its_own_on_camel_case_events(world: World, event: str, reported: bool) -> None:
    put(world, json.dumps({"version": 1, "hooks": {event: [{"bash": "true", "matcher": "Bash"}]}}))
    assert [only.hint for only in found(world, "matches-nothing")] == (["did you mean bash?"] if reported else [])


def test_permission_rule_that_is_no_regex_is_one_mistake(world: World) -> None:
    put(world, grouped("true", matcher="Edit(**/x.json)"), CLAUDE)
    assert found(world, "bad-regex") == []
    assert one(world, "matches-nothing").severity == "warning"


@pytest.mark.parametrize(("options", "reported"), [({"async": True}, True), ({}, False), ({"asyncRewake": True}, False)])
def test_async_hook_that_exits_2_blocks_nothing(world: World, options: dict[str, bool], reported: bool) -> None:
    entry = {"type": "command", "command": "cat >/dev/null; exit 2", **options}
    put(world, json.dumps({"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [entry]}]}}), CLAUDE)
    assert bool(found(world, "weak-exit")) == reported


@pytest.mark.parametrize(
    ("text", "reported"),
    [
        ("jq -r '.toolArgs | fromjson | .command' 2>/dev/null", True),
        ("jq -r '.toolArgs | if type == \"string\" then fromjson else . end | .command'", False),
        ("jq -r .toolArgs.command", False),
        (
            "python3 -c 'import json,sys; print(json.loads(json.load(sys.stdin)[\"toolArgs\"]))'",
            False,
        ),  # who knows what it reads
        ("python3 -c 'import json,sys; d=json.load(sys.stdin); print(json.loads(d[\"toolArgs\"]))'", True),
        ("node -e 'const d = JSON.parse(input); JSON.parse(d.toolArgs)'", True),
    ],
)
def test_copilots_tool_arguments_are_no_text(world: World, text: str, *, reported: bool) -> None:
    put(world, json.dumps({"version": 1, "hooks": {"preToolUse": [{"type": "command", "bash": text}]}}), ".github/hooks/c.json")
    assert bool(found(world, "undefined-field")) is reported
