"""Programs that are not installed, and variables that no host sets."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.unit.diagnostics.host_files import CLAUDE, entry, found, grouped, one, put, script
from tests.unit.formats.agenthooks_world import place_of

if TYPE_CHECKING:
    from tests.unit.formats.agenthooks_world import World

GONE = "no-such-program"
# Texts that test for a program, define it, or can do without it.
NOT_MISSING = [
    "command -v no-such-program >/dev/null && no-such-program",
    "if which no-such-program; then no-such-program; fi",
    "need() { command -v $1; }; need no-such-program || exit 0; no-such-program",
    "for p in no-such-program; do hash $p || exit 0; done; no-such-program",
    "no-such-program || true",
    "no-such-program | head || echo none",
    '[ "$(uname)" = Darwin ] && no-such-program',
    'if [[ "$OSTYPE" == darwin* ]]; then no-such-program; fi',
    "no-such-program() { :; }; no-such-program",
    ". ./env.sh; no-such-program",
    'export PATH="$HOME/bin:$PATH"; no-such-program',
    "echo no-such-program",
    '"$PROGRAM" x',
    "test -f x && [ -d y ] && printf z",
]
# Texts that set the variable, give it a default value, or do not expand it.
NOT_UNDEFINED = [
    "FILE_PATH=$(cat); echo $FILE_PATH",
    "read -r FILE_PATH; echo $FILE_PATH",
    "for file in *; do echo ${file}; done",
    "echo ${FILE_PATH:-none}",
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


def test_missing_program_is_found_in_scripts(world: World) -> None:
    put(world, grouped("./scripts/guard.sh"), CLAUDE)
    place = script(world, f"#!/bin/bash\nx=1\ny=$(«{GONE}» x)\n")
    only = one(world, "missing-program")
    assert (place_of(only), only.file.rpartition("/")[2]) == (place, "guard.sh")


def test_missing_interpreter_of_a_program_is_reported(world: World) -> None:
    put(world, grouped("./scripts/guard.sh"), CLAUDE)
    place = script(world, f"«#!/usr/bin/env -S {GONE}» run --script\n")
    assert place_of(one(world, "missing-program"))[:2] == place[:2]


def test_interpreter_that_the_command_names_makes_the_first_line_irrelevant(world: World) -> None:
    put(world, grouped("bash scripts/guard.sh"), CLAUDE)
    script(world, f"#!/usr/bin/env {GONE}\n")
    assert found(world, "missing-program") == []


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
