"""Differences between hosts in answers and exit codes (formats.md §3, the table)."""

from __future__ import annotations

import pytest

from tests.unit.diagnostics.host_files import CLAUDE, VSCODE, entry, found, grouped, one, put, script, use_vscode
from tests.unit.formats.agenthooks_world import World, place_of

DENY = '{"hookSpecificOutput": {«"permissionDecision": "deny"», "permissionDecisionReason": "no"}}'


def test_permission_decision_without_event_name_is_rejected(world: World) -> None:
    put(world, grouped("./scripts/guard.sh"), CLAUDE)
    place = script(world, f"#!/bin/bash\nif x; then\n  echo '{DENY}'\nfi\n")
    only = one(world, "host-rejects-output")
    assert (only.severity, only.hosts, place_of(only)) == ("warning", ("claude",), place)
    assert only.file.endswith("guard.sh")
    assert (only.hook or "").endswith("settings.json:PreToolUse:1")


def test_no_host_that_does_not_read_the_file_is_named(world: World) -> None:
    put(world, entry("./scripts/guard.sh"))
    script(world, f"#!/bin/bash\nif x; then\n  echo '{DENY.replace('«', '').replace('»', '')}'\nfi\n")
    assert found(world, "host-rejects-output") == []


def test_rejected_answer_is_found_behind_escapes(world: World) -> None:
    text = """{"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command":
        "echo '{\\"hookSpecificOutput\\": {«\\"permissionDecision\\": \\"deny\\"»}}'"}]}]}}"""
    place = put(world, text, CLAUDE)
    assert place_of(one(world, "host-rejects-output")) == place


@pytest.mark.parametrize(
    "text",
    [
        '{"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "deny"}}',
        '{"hookSpecificOutput": {"additionalContext": "permissionDecision"}}',
        '{"permissionDecision": "deny"}',
        '{"hookSpecificOutput": $REST',
    ],
)
def test_other_answers_are_not_reported(world: World, text: str) -> None:
    put(world, grouped("./scripts/guard.sh"), CLAUDE)
    script(world, f"#!/bin/bash\ncat <<END\n{text}\nEND\n")
    assert found(world, "host-rejects-output") == []


@pytest.mark.parametrize(
    ("decision", "effect"), [("ask", "the tool call proceeds"), ("allow", "the answer has no effect"), ("block", "")]
)
def test_claude_rejects_permissions_in_the_key_of_a_refusal(world: World, decision: str, effect: str) -> None:
    put(world, grouped(f"""echo '{{"decision": "{decision}", "reason": "no"}}'"""), CLAUDE)
    messages = [problem.message for problem in found(world, "host-rejects-output")]
    assert messages == [f"Claude Code does not accept decision {decision} here: {effect}"] * bool(effect)


def test_codex_fails_on_ask(world: World) -> None:
    put(world, grouped("./scripts/guard.sh"), ".codex/hooks.json")
    answer = "{'hookSpecificOutput': {'hookEventName': 'PreToolUse', «'permissionDecision': 'ask'»}}"
    place = script(world, f"#!/usr/bin/env python3\nimport json\nprint(json.dumps({answer}))\n")
    only = one(world, "host-rejects-output")
    assert (only.hosts, place_of(only)) == (("codex",), place)


@pytest.mark.parametrize(
    ("file", "event", "answer", "reported"),
    [
        (".codex/hooks.json", "PostToolUse", "{hookEventName: 'PostToolUse', permissionDecision: 'allow'}", True),
        (".codex/hooks.json", "PostToolUse", "{hookEventName: 'PostToolUse', additionalContext: 'x'}", False),
        (".codex/hooks.json", "PreToolUse", "{hookEventName: 'PreToolUse', permissionDecision: 'deny'}", False),
        (CLAUDE, "PostToolUse", "{hookEventName: 'PostToolUse', permissionDecision: 'allow'}", False),
    ],
)
def test_permission_decision_on_an_event_without_one_spoils_the_answer(
    world: World, file: str, event: str, answer: str, reported: bool
) -> None:
    put(
        world,
        grouped(f"node -e \"console.log(JSON.stringify({{hookSpecificOutput: {answer}, systemMessage: 'x'}}))\"", event),
        file,
    )
    messages = [only.message for only in found(world, "host-rejects-output")]
    expected = "Codex CLI does not accept permissionDecision here: the answer has no effect"
    assert messages == ([expected] if reported else [])


TOP = '{«"decision": "block"», "reason": "tests"}'
NESTED = '{"hookSpecificOutput": {"hookEventName": "Stop", «"decision": "block"», "reason": "tests"}}'
BOTH = (
    '{"decision": "block", "reason": "t", "hookSpecificOutput": {"hookEventName": "Stop", "decision": "block", "reason": "t"}}'
)


@pytest.mark.parametrize(
    ("file", "event", "answer", "host"),
    [
        (VSCODE, "Stop", TOP, "vscode"),
        (CLAUDE, "Stop", TOP, "vscode"),
        (CLAUDE, "Stop", NESTED, "claude"),
        (VSCODE, "Stop", NESTED, None),
        (CLAUDE, "Stop", BOTH, None),
        (CLAUDE, "PostToolUse", TOP, None),
    ],
)
def test_a_block_on_stop_in_one_place_only_is_missed_by_one_host(
    world: World, file: str, event: str, answer: str, host: str | None
) -> None:
    use_vscode(world)
    put(world, grouped("./scripts/guard.sh", event), file)
    place = script(world, f"#!/bin/sh\necho '{answer}'\n")
    assert [(only.hosts, place_of(only)) for only in found(world, "host-misses-block")] == ([((host,), place)] if host else [])


@pytest.mark.parametrize(
    ("name", "text", "reported"),
    [
        ("x.mjs", "/*\n * A host wants {permissionDecision: 'deny'} on stdout.\n */\nprocess.exit(0);\n", False),
        ("x.mjs", "let x = 1;  // print {permissionDecision: 'deny'} to block\n", False),
        ("x.py", '"""Never print {"permissionDecision": "deny"} here."""\nimport sys\n', False),
        ("x.sh", 'exit 0  # not {"permissionDecision": "deny"}\n', False),
        ("x.mjs", "console.log(JSON.stringify({permissionDecision: 'allow', additionalContext: 'x'}));\n", False),
        ("x.mjs", "console.log(JSON.stringify({permissionDecision: 'deny'}));\n", True),
        ("x.mjs", "f(no ? {permissionDecision: 'deny'} : {permissionDecision: 'allow'});\n", True),
    ],
)
def test_only_what_a_script_may_print_is_a_missed_block(world: World, name: str, text: str, reported: bool) -> None:
    runner = {"mjs": "node", "py": "python3", "sh": "bash"}[name.rpartition(".")[2]]
    put(world, grouped(f'{runner} "$CLAUDE_PROJECT_DIR"/scripts/{name}'), CLAUDE)
    script(world, text, f"scripts/{name}")
    assert bool(found(world, "host-misses-block")) == reported


def test_exit_1_as_a_block_is_weak(world: World) -> None:
    put(world, entry("./scripts/guard.sh"))
    place = script(world, "#!/bin/sh\nif grep -q rm; then\n  echo 'Blocked by policy' >&2\n  «exit 1»\nfi\n")
    only = one(world, "weak-exit")
    assert (only.severity, only.hosts, place_of(only)) == ("warning", ("vscode",), place)


@pytest.mark.parametrize(
    ("file", "event", "text"),
    [
        (VSCODE, "preToolUse", "echo Blocked >&2; exit 1"),
        (VSCODE, "PreToolUse", "echo Blocked >&2; exit 2"),
        (VSCODE, "PreToolUse", "command -v jq || exit 1"),
        (VSCODE, "SessionEnd", "echo Blocked >&2; exit 1"),
        (VSCODE, "PreToolUse", "# exit 1 would not block\nexit 0"),
    ],
)
def test_other_exits_are_not_reported(world: World, file: str, event: str, text: str) -> None:
    put(world, entry(text, event), file)
    assert found(world, "weak-exit") == []


def test_azure_exit_1_is_weak_only_if_fail_mode_allows(world: World) -> None:
    hook = (
        "kind: ExtendedAgent\nmetadata: {{name: a}}\nspec:\n  hooks:\n    Stop:\n      - type: command\n        failMode: {}\n"
    )
    text = hook + "        script: |\n          #!/bin/bash\n          echo Blocked >&2\n          «exit 1»\n"
    place = put(world, text.format("allow"), "a.yaml")
    assert place_of(one(world, "weak-exit")) == place
    put(world, text.format("block"), "a.yaml")
    assert found(world, "weak-exit") == []


@pytest.mark.parametrize(
    ("text", "reported"),
    [
        ("npm test || { echo tests failed >&2; exit 1; }\n", True),
        ("npm test || { echo ERROR: the runner failed >&2; exit 1; }\n", False),
        ("[ -f x ] || { echo tests failed >&2; exit 1; }\n./guard; exit $?\n", False),  # which may be 2
    ],
)
def test_a_hook_that_fails_or_passes_a_code_on_is_not_weak(world: World, text: str, *, reported: bool) -> None:
    put(world, grouped("bash scripts/a.sh"), CLAUDE)
    script(world, text, "scripts/a.sh")
    assert bool(found(world, "weak-exit")) is reported
