"""Differences between hosts in commands and their files (formats.md §3, the table)."""

from __future__ import annotations

import json
import os
import shlex

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hooktui.catalog import catalog
from hooktui.diagnostics.rule_context import place_in_argument
from hooktui.edit import apply_fixes
from tests.unit.diagnostics.host_files import CLAUDE, NOISE, VSCODE, entry, found, grouped, one, put, script, use_vscode
from tests.unit.formats.agenthooks_world import World, place_of
from tests.unit.formats.json_world import write


@pytest.mark.parametrize(
    ("file", "command"),
    [
        (VSCODE, "«./scripts/gone.sh»"),
        (VSCODE, "bash «./scripts/gone.sh» --quiet"),
        (VSCODE, "FOO=1 python3 -I «scripts/gone.py» | tee log"),
        (CLAUDE, "cd sub && «../gone.sh»"),
    ],
)
def test_missing_script_is_an_error_at_its_name(world: World, file: str, command: str) -> None:
    place = put(world, grouped(command), file)
    only = one(world, "missing-script")
    assert (only.severity, place_of(only)) == ("error", place)


def test_a_missing_script_below_claudes_project_directory(world: World) -> None:
    place = put(world, grouped("X").replace('"X"', '"«\\"$CLAUDE_PROJECT_DIR\\"/.claude/gone.sh» a"'), CLAUDE)
    assert place_of(one(world, "missing-script")) == place


COPILOT = ".github/hooks/copilot.json"


@pytest.mark.parametrize(
    ("file", "entry"),
    [
        (CLAUDE, '"command": "python3", "args": ["-I", "«./gone.py»", "--quiet"]'),
        (CLAUDE, '"command": "bash", "args": ["-u", "«it\'s \\"gone\\".sh»"]'),
        (CLAUDE, '"command": "«./gone dir/run»", "args": []'),
        (COPILOT, '"exec": "python3", "args": ["«./gone.py»"]'),
        (COPILOT, '"exec": "«./gone dir/run»"'),
    ],
)
def test_a_missing_script_of_a_program_without_a_shell_is_an_error_at_its_own_value(
    world: World, file: str, entry: str
) -> None:
    event = "PreToolUse" if file == CLAUDE else "preToolUse"
    place = put(world, f'{{"hooks": {{"{event}": [\n{{"hooks": [\n{{"type": "command", {entry}}}]}}]}}}}', file)
    only = one(world, "missing-script")
    assert (only.severity, place_of(only)) == ("error", place)


def test_problem_in_an_argument_is_reported_at_its_characters(world: World) -> None:
    program = '"command": "bash", "args": ["-c", "echo \'it is blocked\' >&2; «exit 1»", "x"]'
    place = put(world, f'{{"hooks": {{"PreToolUse": [{{"hooks": [{{"type": "command", {program}}}]}}]}}}}', CLAUDE)
    assert place_of(one(world, "weak-exit")) == place


def test_repeated_program_is_reported_at_its_name(world: World) -> None:
    handler = '{"type": "command", "command": "«make»", "args": ["check"]}'
    first = handler.replace("«", "").replace("»", "")
    place = put(world, f'{{"hooks": {{"Stop": [{{"hooks": [{first}, {handler}]}}]}}}}'.replace('"«make»"', '«"make"»'), CLAUDE)
    assert place_of(one(world, "duplicate-hook")) == place


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
        "make && ./gone.sh",
        "./gone.sh || true",
        "case $x in ./gone.sh) exit 2;; esac",
        "cat <<EOF\n./gone.sh\nEOF",
        "true",
    ],
)
def test_undecidable_script_is_not_reported(world: World, command: str) -> None:
    script(world, "#!/bin/sh\n")
    put(world, entry(command))
    assert found(world, "missing-script") == []


@pytest.mark.parametrize(
    "command",
    [
        "cat >x; «./gone.sh»",
        "sh -c '«./gone.sh»'",
        "A=1 timeout 5 «./gone.sh»",
        "cd scripts && «../gone.sh»",
        "f() { «./gone.sh»; ./scripts/guard.sh; }; f",
        "./scripts/guard.sh && «.claude/hooks/gone.sh»",
        "grep -q x && «./gone.sh»",
        "if jq -e .a; then «./gone.sh»; fi",
        "e=$(cat); printf %s $e | «./gone.sh» || exit 2",
        "guard() («./gone.sh»); event=$(cat); printf %s $event | python3 -I -c 'x' && exit 0; printf %s $event | guard",
    ],
)
def test_a_missing_script_is_found_wherever_a_command_calls_it(world: World, command: str) -> None:
    script(world, "#!/bin/sh\n")
    place = put(world, entry(command))
    assert place_of(one(world, "missing-script")) == place


@pytest.mark.parametrize(
    ("file", "command"),
    [
        (VSCODE, "./scripts/«gaurd.sh»"),
        (VSCODE, "bash './scripts/«guard_.sh»' --quiet && true"),
        (VSCODE, "scripts/«Guard.sh»"),
        (CLAUDE, "./scripts/«guard»"),
        (CLAUDE, "cd scripts && ./«gurd.sh»"),
    ],
)
def test_typo_in_a_script_name_is_fixed_by_the_file_next_to_it(world: World, file: str, command: str) -> None:
    script(world, "#!/bin/sh\n")
    put(world, grouped(command), file)
    before = (world.project / file).read_text()
    slip = command.partition("«")[2].partition("»")[0]
    only = one(world, "missing-script")
    assert only.hint == "did you mean guard.sh?"
    apply_fixes.apply(apply_fixes.plan_one(only, ()), (), "")
    assert (world.project / file).read_text() == before.replace(slip, "guard.sh")
    assert found(world, "missing-script") == []


@pytest.mark.parametrize("command", ["python3 scripts/guard.py", "./scripts/lint.sh", "./other/guard.sh"])
def test_script_of_another_kind_name_or_place_is_not_suggested(world: World, command: str) -> None:
    script(world, "#!/bin/sh\n")
    put(world, entry(command))
    only = one(world, "missing-script")
    assert only.fix is not None
    assert only.fix.kind == "create"


def test_a_users_relative_script_belongs_to_no_project(world: World) -> None:
    write(world.home / CLAUDE, grouped("./gone.sh"))
    assert found(world, "missing-script") == []


def test_script_for_another_system_is_checked(world: World) -> None:
    script(world, "#!/bin/sh\n")
    commands = '"linux": "./scripts/guard.sh", "osx": "«./mac.sh»", "windows": "x\\\\y.ps1"'
    place = put(world, f'{{"hooks": {{"Stop": [{{"type": "command", {commands}}}]}}}}')
    assert place_of(one(world, "missing-script")) == place


def test_non_executable_script_is_reported_and_fixed(world: World) -> None:
    write(world.project / "guard.sh", "#!/bin/sh\n").chmod(0o644)
    place = put(world, entry("«./guard.sh» now"))
    only = one(world, "not-executable")
    assert (only.severity, place_of(only)) == ("warning", place)
    apply_fixes.apply(apply_fixes.plan_one(only, ()), (), "")
    assert os.access(world.project / "guard.sh", os.X_OK)
    assert found(world, "not-executable") == []


def test_an_interpreters_script_need_not_be_executable(world: World) -> None:
    write(world.project / "guard.py", "").chmod(0o644)
    put(world, entry("python3 ./guard.py"))
    assert found(world, "not-executable") == []


def test_a_command_in_two_files_runs_twice_in_vs_code(world: World) -> None:
    use_vscode(world)
    put(world, grouped("make check"), CLAUDE)
    place = put(world, entry("«make check»").replace('"«', '«"').replace('»"', '"»'))
    only = one(world, "runs-twice")
    assert (only.severity, only.hosts, place_of(only)) == ("warning", ("vscode",), place)


def test_same_command_on_two_events_is_not_a_duplicate(world: World) -> None:
    use_vscode(world)
    put(world, grouped("make check"), CLAUDE)
    put(world, entry("make check", "PostToolUse"))
    assert found(world, "runs-twice") == []


def test_same_command_with_two_matchers_is_not_a_duplicate(world: World) -> None:
    groups = [{"matcher": name, "hooks": [{"type": "command", "command": "true"}]} for name in ("Bash", "Edit")]
    put(world, json.dumps({"hooks": {"PreToolUse": groups}}), CLAUDE)
    assert found(world, "duplicate-hook") == []


def test_clean_project_has_no_diagnostics(world: World) -> None:
    """The samples of seeds 003 and 004 that are right on their own hosts."""
    script(world, "#!/bin/bash\njq -r .tool_name\nexit 0\n")
    put(world, entry("./scripts/guard.sh", timeout=15))
    put(world, grouped('"$CLAUDE_PROJECT_DIR"/scripts/guard.sh', "UserPromptSubmit"), CLAUDE)
    put(world, "kind: GlobalHook\nmetadata: {name: g}\nspec: {eventType: Stop, hook: {prompt: Is it done?}}\n", "a.yaml")
    assert [one.code for one in catalog.load(str(world.project)).diagnostics if one.code not in NOISE] == []


@given(st.lists(st.text(alphabet="ab'\" $/\\"), min_size=1), st.data())
def test_index_in_joined_arguments_maps_to_its_argument(arguments: list[str], data: st.DataObject) -> None:
    number = data.draw(st.integers(0, len(arguments) - 1))
    own = arguments[number]
    inside = data.draw(st.integers(0, len(own)))
    before = "".join(shlex.quote(one) + " " for one in arguments[:number])
    quoted = shlex.quote(own)
    at = inside if quoted == own else len(shlex.quote(own[:inside] + " ")) - 2 if own[:inside] else 1
    assert place_in_argument(arguments, len(before) + at) == (number, inside)
