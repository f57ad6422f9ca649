"""Programs that are not installed, and variables that no host sets."""

from __future__ import annotations

import json

import pytest

from tests.unit.diagnostics.host_files import CLAUDE, entry, found, grouped, one, put, script
from tests.unit.formats.agenthooks_world import World, place_of

GONE = "no-such-program"
# Texts that test for a program, define it, or can do without it.
NOT_MISSING = [
    "command -v no-such-program >/dev/null && no-such-program",
    "if which no-such-program; then no-such-program; fi",
    "need() { command -v $1; }; need no-such-program || exit 0; no-such-program",
    "for p in no-such-program; do hash $p || exit 0; done; no-such-program",
    "no-such-program || true",
    "no-such-program | head || echo none",
    "no-such-program || cat",
    "bash x.sh 2>/dev/null || no-such-program -File y.ps1",
    "[ -f x.json ] && cat x.json || no-such-program",
    '[ "$(uname)" = Darwin ] && no-such-program',
    'if [[ "$OSTYPE" == darwin* ]]; then no-such-program; fi',
    "no-such-program() { :; }; no-such-program",
    ". ./env.sh; no-such-program",
    'export PATH="$HOME/bin:$PATH"; no-such-program',
    "echo no-such-program",
    '"$PROGRAM" x',
    "test -f x && [ -d y ] && printf z",
    'case "$node" in *.exe) no-such-program -w "$script" ;; esac',
    'if [ -f biome.json ] || [ -f "$ROOT/biome.jsonc" ]; then no-such-program "$f"; fi',
    "[[ -e deno.json ]] && no-such-program fmt",
    "[ -x /usr/bin/no-such-program ] && /usr/bin/no-such-program",
    "if [ -f a.toml ]; then :; elif [ -f b.toml ]; then no-such-program; fi",
    "output=$(no-such-program x 2>&1) || code=$?",
    "output=$(no-such-program x)\n\ncode=$?",
    "no-such-program x\nif [ $? -ne 0 ]; then exit 2; fi",
]
# Texts that set the variable, give it a default value, or do not expand it.
NOT_UNDEFINED = [
    "FILE_PATH=$(cat); echo $FILE_PATH",
    "read -r FILE_PATH; echo $FILE_PATH",
    "for file in *; do echo ${file}; done",
    "echo ${FILE:-none} ${FILE_PATH:=none} ${FILE_PATH:-$(cat)}",
    "source ./env.sh; echo $FILE_PATH",
    "echo '$FILE_PATH'",
]


@pytest.mark.parametrize(
    "text",
    [
        "no-such-program",
        "cat | no-such-program -r .x",
        "x=$(no-such-program)",
        "if no-such-program; then exit 2; fi",
        "bash -c 'no-such-program'",
        "env A=1 timeout 5 no-such-program",
        'case "$f" in *.py) no-such-program "$f" ;; esac',
        "check() { no-such-program; }; check",
        'if [ -f "$file" ]; then no-such-program "$file"; fi',
        "if [ -f .claude/settings.json ]; then no-such-program; fi",
        "if [ ! -f x.json ]; then no-such-program; fi",
        "if [ -f x.json ]; then :; else no-such-program; fi",
        "if ! [ -f x.json ]; then no-such-program; fi",
        "[ -f x.json ] || no-such-program",
        "no-such-program || exit 2",
        "no-such-program || { echo failed; exit 1; }",
        "if [ -f x.json ]; then no-such-program; fi; no-such-program",
    ],
)
def test_missing_program_is_reported(world: World, text: str) -> None:
    put(world, grouped(text), CLAUDE)
    only = one(world, "missing-program")
    assert (only.severity, only.message) == ("warning", "no-such-program is not installed here: the hook fails")


@pytest.mark.parametrize(
    ("code", "text"),
    [*(("missing-program", text) for text in NOT_MISSING), *(("undefined-variable", text) for text in NOT_UNDEFINED)],
)
def test_name_that_the_text_tests_for_or_sets_is_not_reported(world: World, code: str, text: str) -> None:
    put(world, grouped(text), CLAUDE)
    assert found(world, code) == []


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("no-such-program x 2>/dev/null", ", and the hook hides its error"),
        ("x=$(no-such-program x 2> /dev/null | head -1)", ", and the hook hides its error"),
        ("no-such-program x &>/dev/null", ", and the hook hides its error"),
        ("no-such-program x 2>/dev/null; no-such-program y", ": the hook fails"),
        ("no-such-program x >/dev/null", ": the hook fails"),
    ],
)
def test_program_whose_error_nobody_sees_is_said_to_be_so(world: World, text: str, said: str) -> None:
    put(world, grouped(text), CLAUDE)
    assert one(world, "missing-program").message == f"no-such-program is not installed here{said}"


def test_program_that_the_host_fills_in_is_not_missing(world: World) -> None:
    hook = {"type": "command", "command": "${user_config.node}", "args": ["x.js"]}
    put(world, '{"name": "guards"}', ".claude-plugin/plugin.json")
    put(world, json.dumps({"hooks": {"PreToolUse": [{"hooks": [hook]}]}}), "hooks/hooks.json")
    assert found(world, "missing-program") == []


def test_missing_program_is_found_in_scripts(world: World) -> None:
    put(world, grouped("./scripts/guard.sh"), CLAUDE)
    place = script(world, f"#!/bin/bash\nx=1\ny=$(«{GONE}» x)\n")
    only = one(world, "missing-program")
    assert (place_of(only), only.file.rpartition("/")[2]) == (place, "guard.sh")


@pytest.mark.parametrize(
    ("library", "reported"),
    [
        ("log() { echo x; }\n", True),
        ("no-such-program() { :; }\n", False),
        ('PATH="$HOME/bin:$PATH"\n', False),
        ("need() { command -v no-such-program; }\n", False),
        ("eval $(env)\n", False),
    ],
)
def test_library_that_a_script_sources_is_read_as_well(world: World, library: str, reported: bool) -> None:
    put(world, grouped("./scripts/guard.sh"), CLAUDE)
    script(world, library, "scripts/lib/log.sh")
    start = 'DIR="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"\nsource "$DIR/lib/log.sh"\n'
    script(world, f'#!/bin/bash\n{start}x=$({GONE} -r .x 2>/dev/null)\n[ -n "$x" ] && exit 2\n')
    assert bool(found(world, "missing-program")) == reported


@pytest.mark.parametrize(
    ("command", "code"), [("/usr/bin/no-such-program -r .x", "missing-script"), ("bash scripts/guard.sh", "missing-program")]
)
def test_program_of_the_system_by_its_path_is_reported(world: World, command: str, code: str) -> None:
    put(world, grouped(command), CLAUDE)
    script(world, "#!/bin/bash\nx=$(cat | /usr/bin/no-such-program -r .x)\n/usr/bin/env -u A /usr/bin/env true\n")
    assert [only.code for only in (*found(world, "missing-script"), *found(world, "missing-program"))] == [code]


def test_missing_interpreter_of_a_program_is_reported(world: World) -> None:
    put(world, grouped("./scripts/guard.sh"), CLAUDE)
    place = script(world, f"«#!/usr/bin/env -S {GONE}» run --script\n")
    assert place_of(one(world, "missing-program"))[:2] == place[:2]


def test_interpreter_that_the_command_names_makes_the_first_line_irrelevant(world: World) -> None:
    put(world, grouped("bash scripts/guard.sh"), CLAUDE)
    script(world, f"#!/usr/bin/env {GONE}\n")
    assert found(world, "missing-program") == []


GUARD = 'case "$TOOL_NAME" in Bash) echo no >&2; exit 2 ;; esac\n'


@pytest.mark.parametrize(
    ("command", "text", "messages"),
    [
        (
            "{}",
            f'TOOL_NAME="${{CLAUDE_TOOL_NAME:-unknown}}"\n{GUARD}',
            ["no host sets CLAUDE_TOOL_NAME for this hook: it is always unknown"],
        ),
        ("{}", f'TOOL_NAME="${{TOOL_NAME:-}}"\n{GUARD}', ["no host sets TOOL_NAME for this hook: it is empty"]),
        (
            "{}",
            f'TOOL_NAME="${{GEMINI_TOOL_NAME:-x}}"\n{GUARD}',
            ["no host sets GEMINI_TOOL_NAME for this hook: it is always x"],
        ),
        (
            "{}",
            'code="${CLAUDE_TOOL_EXIT_CODE:-0}"\nexit $code\n',
            ["no host sets CLAUDE_TOOL_EXIT_CODE for this hook: it is always 0"],
        ),
        (
            "{}",
            'TOOL="${1:-unknown}"\n[ "$TOOL" = Bash ] && exit 2\n',
            ["the command passes no argument $1: it is always unknown"],
        ),
        ("{}", f"TOOL_NAME=$1\n{GUARD}", ["the command passes no argument $1: it is empty"]),
        (
            "bash {}",
            'ERROR=$2\nFILE_PATH="$1"\nprettier "$FILE_PATH" || exit 2\n',
            ["the command passes no argument $1: it is empty"],
        ),
        (
            "{}",
            'TOOL="${1:-x}"\ncat > f <<E\n$TOOL\nE\n"$(echo y | python3 -c "import sys; sys.stdin.read()")"\n',
            ["the command passes no argument $1: it is always x"],
        ),
        # Something else may give the value.
        ("{}", "cat > f\nTOOL=$1\necho $TOOL\n", []),
        ("{}", "TOOL=${1:-$(python3 -c 'import sys; sys.stdin.read()')}\necho $TOOL\n", []),
        ("{}", "TOOL=$1\nx=$(python3 -c '\nimport sys\nsys.stdin.read()')\n", []),
        ("{} Bash", f"TOOL_NAME=$1\n{GUARD}", []),
        ("{}", 'f() { TOOL_NAME="$1"; }\nf Bash\n', []),
        ("{}", f'TOOL_NAME="${{1:-$(cat | jq -r .tool_name)}}"\n{GUARD}', []),
        ("{}", f"INPUT=$(cat)\nTOOL_NAME=${{1:-}}\n{GUARD}", []),
        ("{}", "MODE=${1:-check}\necho $MODE\n", []),
        ("{}", 'while [ $# -gt 0 ]; do FILE="$1"; shift; done\n', []),
        ("{}", f'INPUT=$(cat)\nTOOL_NAME="${{CLAUDE_TOOL_NAME:-}}"\n[ -n "$TOOL_NAME" ] || TOOL_NAME=$(x)\n{GUARD}', []),
        ("{}", f'TOOL_NAME="${{CLAUDE_TOOL_NAME:-$(jq -r .tool_name)}}"\n{GUARD}', []),
        ("CLAUDE_TOOL_NAME=x {}", "echo x\n", []),
        ("{}", 'export CLAUDE_TOOL_NAME=Bash\necho "${CLAUDE_TOOL_NAME:-}"\n', []),
        ("{}", '. ./env.sh\necho "${CLAUDE_TOOL_NAME:-}"\n', []),
        ("{}", 'echo "${CLAUDE_DRY_RUN:-0} ${HOOK_LOG:-x} ${CLAUDE_PROJECT_DIR:-.} ${CLAUDE_PLUGIN_ROOT:-.}"\n', []),
    ],
)
def test_value_that_comes_from_nowhere_is_reported(world: World, command: str, text: str, messages: list[str]) -> None:
    put(world, grouped(command.format("scripts/guard.sh")), CLAUDE)
    script(world, f"#!/bin/bash\n{text}")
    assert [only.message for only in found(world, "undefined-variable")] == messages


@pytest.mark.parametrize(
    ("name", "text", "reported"),
    [
        ("x.py", 'import os\nt = os.environ.get("CLAUDE_TOOL_NAME", "")\n', True),
        ("x.py", 'import os\nt = os.getenv("GEMINI_TOOL_NAME")\n', True),
        ("x.py", 'import os, sys\nt = os.environ.get("CLAUDE_TOOL_NAME", "") or sys.stdin.read()\n', False),
        ("x.py", 'import os\nt = os.environ.get("CLAUDE_DRY_RUN", "")\n', False),
        ("x.js", "const t = process.env.CLAUDE_TOOL_NAME || '';\n", True),
        ("x.js", "const t = process.env.CLAUDE_TOOL_NAME || JSON.parse(fs.readFileSync(0)).tool_name;\n", False),
    ],
)
def test_variable_of_a_script_in_another_language(world: World, name: str, text: str, reported: bool) -> None:
    put(world, grouped(f"{'node' if name == 'x.js' else 'python3'} scripts/{name}"), CLAUDE)
    script(world, text, f"scripts/{name}")
    assert bool(found(world, "undefined-variable")) == reported


def test_plugin_variable_of_a_project_hook_is_empty(world: World) -> None:
    put(world, grouped("node ${CODEX_PLUGIN_ROOT}/dist/x.js"), ".codex/hooks.json")
    only = one(world, "undefined-variable")
    assert (only.message, only.hosts) == ("no host sets CODEX_PLUGIN_ROOT for this hook: it is empty", ("codex",))
    assert found(world, "missing-script") == []


def test_variable_of_the_entry_is_set(world: World) -> None:
    put(
        world,
        entry('echo "${CLAUDE_TOOL_NAME:-}"', "preToolUse", env={"CLAUDE_TOOL_NAME": "x"}).replace(
            '{"hooks"', '{"version": 1, "hooks"'
        ),
    )
    assert found(world, "undefined-variable") == []


@pytest.mark.parametrize(
    "name", ["TOOL_INPUT", "FILE_PATH", "TOOL_FILE_PATH", "TOOL_COMMAND", "HOOK_INPUT", "CLAUDE_FILE_PATHS"]
)
def test_variable_that_no_host_sets_is_reported(world: World, name: str) -> None:
    place = put(world, entry(f'echo \\"«${name}»\\"').replace('\\\\\\"', '\\"'))
    only = one(world, "undefined-variable")
    assert (only.severity, place_of(only)) == ("warning", place)


def test_variable_of_an_editor_is_reported_and_not_taken_for_a_path(world: World) -> None:
    put(world, grouped('bash "${workspaceFolder}/x.sh"'), CLAUDE)
    assert one(world, "undefined-variable").message == "no host sets workspaceFolder for this hook: it is empty"
    assert found(world, "missing-script") == []


def test_template_literal_of_a_script_is_no_variable(world: World) -> None:
    put(world, grouped('node "$CLAUDE_PROJECT_DIR"/scripts/guard.js'), CLAUDE)
    script(world, "console.log(`${file} ${FILE_PATH}`);\n", "scripts/guard.js")
    assert found(world, "undefined-variable") == []


@pytest.mark.parametrize(("more", "reported"), [({}, True), ({"args": ["${user_config.key}"]}, False)])
def test_option_of_a_plugin_in_a_shell_command_keeps_it_from_running(
    world: World, more: dict[str, list[str]], *, reported: bool
) -> None:
    hook = {"type": "command", "command": "echo" if more else "echo ${user_config.key}", **more}
    put(world, '{"name": "guards"}', ".claude-plugin/plugin.json")
    put(world, json.dumps({"hooks": {"PreToolUse": [{"hooks": [hook]}]}}), "hooks/hooks.json")
    messages = [problem.message for problem in found(world, "undefined-variable")]
    assert messages == ["Claude Code runs no shell command with ${user_config.key}: only args may have it"] * reported
