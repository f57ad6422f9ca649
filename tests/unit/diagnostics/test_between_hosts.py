"""What goes wrong between hosts: each row of formats.md's table that can be seen in files, and what must not be reported."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING

import pytest

from hooktui import catalog
from hooktui.diagnostics import fixes
from tests.unit.formats.agenthooks_world import place_of, unmarked
from tests.unit.formats.json_world import write

if TYPE_CHECKING:
    from hooktui.model import Diagnostic
    from tests.unit.formats.agenthooks_world import World

CLAUDE = ".claude/settings.json"
VSCODE = ".github/hooks/a.json"
NOISE = ("untrusted",)


def put(world: World, marked: str, file: str = VSCODE) -> tuple[int, int, int, int]:
    """Write a hook file of the project; the place of its «» marks."""
    text, place = unmarked(marked) if "«" in marked else (marked, (1, 1, 1, 1))
    write(world.project / file, text)
    return place


def entry(command: str, event: str = "PreToolUse", **more: object) -> str:
    """A file with one command; «» marks in the command stay where they are."""
    return json.dumps({"hooks": {event: [{"type": "command", "command": command, **more}]}}, ensure_ascii=False)


def grouped(command: str, event: str = "PreToolUse", matcher: str | None = None) -> str:
    group = {"hooks": [{"type": "command", "command": command}]} | ({"matcher": matcher} if matcher is not None else {})
    return json.dumps({"hooks": {event: [group]}}, ensure_ascii=False)


def found(world: World, code: str) -> list[Diagnostic]:
    return [one for one in catalog.load(str(world.project)).diagnostics if one.code == code]


def one(world: World, code: str) -> Diagnostic:
    (only,) = found(world, code)
    return only


def script(world: World, marked: str, name: str = "scripts/guard.sh") -> tuple[int, int, int, int]:
    """Write an executable script of the project; the place of its «» marks."""
    place = put(world, marked, name)
    (world.project / name).chmod(0o755)
    return place


# Matchers --------------------------------------------------------------------------------------------------------------------


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
    place = put(world, marked, file)
    only = one(world, "host-ignores-matcher")
    assert (only.severity, only.hosts, place_of(only)) == ("warning", ("vscode",), place)


@pytest.mark.parametrize("matcher", [None, "", "*"])
def test_a_matcher_that_matches_all_is_no_loss(world: World, matcher: str | None) -> None:
    put(world, grouped("true", matcher=matcher), CLAUDE)
    assert found(world, "host-ignores-matcher") == []


def test_a_groups_matcher_is_told_once(world: World) -> None:
    hooks = [{"type": "command", "command": "true"}, {"type": "command", "command": "false"}]
    put(world, json.dumps({"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": hooks}]}}), CLAUDE)
    assert len(found(world, "host-ignores-matcher")) == 1


@pytest.mark.parametrize(
    ("matcher", "hint"),
    [("mcp__github", "mcp__github__.*"), ("Bash|mcp__memory", "mcp__memory__.*"), ("bash", "Bash"), ("Edit, write", "Write")],
)
def test_names_that_no_tool_of_claudes_can_have_match_nothing(world: World, matcher: str, hint: str) -> None:
    place = put(world, grouped("true", matcher=f"«{matcher}»").replace('"«', '«"').replace('»"', '"»'), CLAUDE)
    only = one(world, "matches-nothing")
    assert (only.severity, only.hosts, place_of(only)) == ("warning", ("claude",), place)
    assert hint in only.hint


@pytest.mark.parametrize(
    "matcher", ["mcp__github__.*", "mcp__github__search", "mcp__.*", "Bash", "Task|Agent", "MyTool", "bash.*"]
)
def test_names_that_a_tool_can_have_are_fine(world: World, matcher: str) -> None:
    put(world, grouped("true", matcher=matcher), CLAUDE)
    assert found(world, "matches-nothing") == []


# Timeouts --------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("key", ["timeout", "timeoutSec"])
def test_a_json_timeout_from_1000_is_probably_in_milliseconds(world: World, key: str) -> None:
    place = put(world, f'{{"hooks": {{"Stop": [{{"type": "command", "command": "true", "{key}": «5000»}}]}}}}')
    only = one(world, "unit-suspect")
    assert (only.severity, place_of(only)) == ("warning", place)
    assert only.fix
    fixes.apply(only.fix)
    assert f'"{key}": 5}}' in (world.project / VSCODE).read_text()


def test_a_long_timeout_in_seconds_is_fine(world: World) -> None:
    put(world, entry("true", timeout=999))
    put(world, grouped("true"), CLAUDE)
    assert found(world, "unit-suspect") == []


# What a hook prints ----------------------------------------------------------------------------------------------------------

DENY = '{"hookSpecificOutput": {«"permissionDecision": "deny"», "permissionDecisionReason": "no"}}'


def test_a_permission_decision_without_its_events_name_is_rejected(world: World) -> None:
    put(world, entry("./scripts/guard.sh"))
    place = script(world, f"#!/bin/bash\nif x; then\n  echo '{DENY}'\nfi\n")
    only = one(world, "host-rejects-output")
    assert (only.severity, only.hosts, place_of(only)) == ("warning", ("claude", "codex"), place)
    assert only.file.endswith("guard.sh")
    assert only.hook == "vscode:project:a.json:PreToolUse:1"


def test_it_is_found_in_a_command_of_its_own_behind_escapes(world: World) -> None:
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
def test_other_answers_are_fine(world: World, text: str) -> None:
    put(world, grouped("./scripts/guard.sh"), CLAUDE)
    script(world, f"#!/bin/bash\ncat <<END\n{text}\nEND\n")
    assert found(world, "host-rejects-output") == []


def test_codex_fails_on_ask(world: World) -> None:
    put(world, grouped("./scripts/guard.sh"), CLAUDE)
    answer = "{'hookSpecificOutput': {'hookEventName': 'PreToolUse', «'permissionDecision': 'ask'»}}"
    place = script(world, f"#!/usr/bin/env python3\nimport json\nprint(json.dumps({answer}))\n")
    only = one(world, "host-rejects-output")
    assert (only.hosts, place_of(only)) == (("codex",), place)


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
    put(world, grouped("./scripts/guard.sh", event), file)
    place = script(world, f"#!/bin/sh\necho '{answer}'\n")
    assert [(only.hosts, place_of(only)) for only in found(world, "host-misses-block")] == ([((host,), place)] if host else [])


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
def test_other_exits_are_fine(world: World, file: str, event: str, text: str) -> None:
    put(world, entry(text, event), file)
    assert found(world, "weak-exit") == []


def test_azures_other_exits_mean_what_fail_mode_says(world: World) -> None:
    hook = (
        "kind: ExtendedAgent\nmetadata: {{name: a}}\nspec:\n  hooks:\n    Stop:\n      - type: command\n        failMode: {}\n"
    )
    text = hook + "        script: |\n          #!/bin/bash\n          echo Blocked >&2\n          «exit 1»\n"
    place = put(world, text.format("allow"), "a.yaml")
    assert place_of(one(world, "weak-exit")) == place
    put(world, text.format("block"), "a.yaml")
    assert found(world, "weak-exit") == []


# What a hook reads -----------------------------------------------------------------------------------------------------------


def test_a_variable_that_no_host_sets_is_empty(world: World) -> None:
    marked = (
        '{"hooks": {"PostToolUse": [{"type": "command", "command": "npx prettier --write \\"«$TOOL_INPUT_FILE_PATH»\\""}]}}'
    )
    place = put(world, marked)
    only = one(world, "undefined-variable")
    assert (only.severity, only.hosts, place_of(only)) == ("warning", ("vscode",), place)


@pytest.mark.parametrize(("file", "told"), [(VSCODE, 1), (CLAUDE, 0)])
def test_claudes_project_directory_is_set_by_claude(world: World, file: str, told: int) -> None:
    put(world, grouped('cd "$CLAUDE_PROJECT_DIR" && make'), file)
    assert len(found(world, "undefined-variable")) == told


def test_a_variable_that_the_hook_sets_itself_is_defined(world: World) -> None:
    put(world, entry("ls $CLAUDE_PROJECT_DIR", env={"CLAUDE_PROJECT_DIR": "."}))
    assert found(world, "undefined-variable") == []


@pytest.mark.parametrize(
    ("file", "event", "field", "right"),
    [
        (VSCODE, "PreToolUse", "sessionId", "session_id"),
        (CLAUDE, "PreToolUse", "sessionId", "session_id"),
        (VSCODE, "PreToolUse", "toolArgs", "tool_input"),
        (VSCODE, "preToolUse", "tool_name", "toolName"),
    ],
)
def test_a_field_of_another_hosts_spelling_is_null(world: World, file: str, event: str, field: str, right: str) -> None:
    put(world, grouped("./scripts/guard.sh", event), file)
    place = script(world, f"#!/bin/bash\nINPUT=$(cat)\nX=$(echo \"$INPUT\" | jq -r '«.{field}»')\n")
    only = one(world, "undefined-field")
    assert (only.severity, place_of(only)) == ("warning", place)
    assert right in only.hint


@pytest.mark.parametrize(
    ("event", "program"),
    [
        ("PreToolUse", "jq -r .session_id"),
        ("PreToolUse", "jq -r '.session_id // .sessionId'"),
        ("PreToolUse", "jq -r '.sessionId // empty'"),
        ("PreToolUse", "jq -r .data.sessionId"),
        ("preToolUse", "jq -r .sessionId"),
        ("PreToolUse", "grep sessionId"),
    ],
)
def test_other_reads_are_fine(world: World, event: str, program: str) -> None:
    put(world, entry(program, event))
    assert found(world, "undefined-field") == []


# What a hook names -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("file", "command"),
    [
        (VSCODE, "«./scripts/gone.sh»"),
        (VSCODE, "bash «./scripts/gone.sh» --quiet"),
        (VSCODE, "FOO=1 python3 -I «scripts/gone.py» | tee log"),
        (CLAUDE, "cd sub && «../gone.sh»"),
        (CLAUDE, "«~/gone.sh»"),
    ],
)
def test_a_script_that_does_not_exist_is_an_error_at_its_name(world: World, file: str, command: str) -> None:
    place = put(world, grouped(command), file)
    only = one(world, "missing-script")
    assert (only.severity, place_of(only)) == ("error", place)


def test_a_missing_script_below_claudes_project_directory(world: World) -> None:
    place = put(world, grouped("X").replace('"X"', '"«\\"$CLAUDE_PROJECT_DIR\\"/.claude/gone.sh» a"'), CLAUDE)
    assert place_of(one(world, "missing-script")) == place


@pytest.mark.parametrize(
    "command",
    [
        "[ -x ./gone.sh ] && ./gone.sh",
        "test -f gone.py || exit 0; python3 gone.py",
        "./$(name).sh",
        '"$HOOKS"/gone.sh',
        "./*.sh",
        "npx prettier --write .",
        "python3 -m http.server",
        "echo hi >> ./gone.log",
        "./scripts/guard.sh",
        "sh -c './gone.sh'",
        "true",
    ],
)
def test_what_cannot_be_told_is_not_reported(world: World, command: str) -> None:
    script(world, "#!/bin/sh\n")
    put(world, entry(command))
    assert found(world, "missing-script") == []


def test_a_users_relative_script_belongs_to_no_project(world: World) -> None:
    write(world.home / CLAUDE, grouped("./gone.sh"))
    assert found(world, "missing-script") == []


def test_a_script_of_another_system_is_looked_for_too(world: World) -> None:
    script(world, "#!/bin/sh\n")
    commands = '"linux": "./scripts/guard.sh", "osx": "«./mac.sh»", "windows": "x\\\\y.ps1"'
    place = put(world, f'{{"hooks": {{"Stop": [{{"type": "command", {commands}}}]}}}}')
    assert place_of(one(world, "missing-script")) == place


def test_a_script_that_cannot_be_executed_is_told_and_mended(world: World) -> None:
    write(world.project / "guard.sh", "#!/bin/sh\n").chmod(0o644)
    place = put(world, entry("«./guard.sh» now"))
    only = one(world, "not-executable")
    assert (only.severity, place_of(only)) == ("warning", place)
    assert only.fix
    fixes.apply(only.fix)
    assert os.access(world.project / "guard.sh", os.X_OK)
    assert found(world, "not-executable") == []


def test_an_interpreters_script_need_not_be_executable(world: World) -> None:
    write(world.project / "guard.py", "").chmod(0o644)
    put(world, entry("python3 ./guard.py"))
    assert found(world, "not-executable") == []


def test_a_command_in_two_files_runs_twice_in_vs_code(world: World) -> None:
    put(world, grouped("make check"), CLAUDE)
    place = put(world, entry("«make check»").replace('"«', '«"').replace('»"', '"»'))
    only = one(world, "duplicate-command")
    assert (only.severity, only.hosts, place_of(only)) == ("warning", ("vscode",), place)


def test_one_command_on_two_events_is_no_duplicate(world: World) -> None:
    put(world, grouped("make check"), CLAUDE)
    put(world, entry("make check", "PostToolUse"))
    assert found(world, "duplicate-command") == []


def test_a_handler_twice_in_one_file_is_told(world: World) -> None:
    same = {"type": "command", "command": "true"}
    put(world, json.dumps({"hooks": {"Stop": [{"hooks": [same, same]}]}}), CLAUDE)
    assert one(world, "duplicate-hook").hook == "claude:project:settings.json:Stop:2"


def test_one_command_behind_two_matchers_is_no_duplicate(world: World) -> None:
    groups = [{"matcher": name, "hooks": [{"type": "command", "command": "true"}]} for name in ("Bash", "Edit")]
    put(world, json.dumps({"hooks": {"PreToolUse": groups}}), CLAUDE)
    assert found(world, "duplicate-hook") == []


def test_a_clean_project_has_nothing_to_say(world: World) -> None:
    """The samples of seeds 003 and 004 that are right on their own hosts."""
    script(world, "#!/bin/bash\njq -r .tool_name\nexit 0\n")
    put(world, entry("./scripts/guard.sh", timeout=15))
    put(world, grouped('"$CLAUDE_PROJECT_DIR"/scripts/guard.sh', "UserPromptSubmit"), CLAUDE)
    put(world, "kind: GlobalHook\nmetadata: {name: g}\nspec: {eventType: Stop, hook: {prompt: Is it done?}}\n", "a.yaml")
    assert [one.code for one in catalog.load(str(world.project)).diagnostics if one.code not in NOISE] == []
