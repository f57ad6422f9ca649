"""Any shell text is read, however long, nested or broken."""

from __future__ import annotations

import shlex
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hooktui.scripts import in_command
from hooktui.scripts.commands import read


def test_a_script_after_a_long_text_is_found() -> None:
    (script,) = in_command("# a comment\n" * 1000 + "./a", "/p", {})
    assert (script.path, script.span, script.called) == ("/p/a", (12_000, 12_003), "always")


LONG_BODY = """\
    case "$1" in
        *.env) echo "BLOCKED (secret) $1" >&2; exit 2 ;;
        *)
            python3 - <<'EOF'
for x in range(3): print("${x")
EOF
            ;;
    esac
"""


@pytest.mark.parametrize("times", [1, 20, 60])
def test_a_long_script_is_read_in_whole_statements(times: int) -> None:
    """Cut anywhere, the rest of a `case` would look like commands."""
    function = f"check () {{\n{LONG_BODY * times}}}\n\n"
    text = read(f"#!/bin/bash\n{function * (120 // times)}check x &\n", None, {})
    assert (text.complete, {command.program for command in text.commands}) == (True, {"echo", "exit", "python3", "check"})


def test_a_broken_statement_leaves_those_before_it() -> None:
    text = read("echo x\n" * 1000 + "if a; then\n", None, {})
    assert (text.complete, len([command for command in text.commands if command.program == "echo"])) == (False, 1000)


@given(st.text(alphabet="./ab$\"'\\;&|<>(){}[]`#\n =*~-é🎉"))
def test_any_text_can_be_read(command: str) -> None:
    for script in in_command(command, "/p", {"CLAUDE_PROJECT_DIR": "/p"}):
        assert script.path.startswith("/")
        assert 0 <= script.span[0] < script.span[1] <= len(command)


PIECES = (
    "./a",
    " ",
    ";",
    "&& ",
    "|",
    "(",
    ")",
    "{ ",
    "}",
    "if ",
    "then ",
    "fi",
    "$(",
    '"',
    "'",
    "<<E\n",
    "E\n",
    "`",
    ">",
    "case x in ",
)


@given(st.lists(st.sampled_from(PIECES)).map("".join))
def test_any_syntax_can_be_read(command: str) -> None:
    assert all(command[slice(*script.span)] for script in in_command(command, "/p", {}))


@pytest.mark.parametrize(
    "piece",
    [
        *(
            '"$aaaaaaaaaaaa',
            "$a",
            "'",
            "\\",
            "> ",
            ";",
            '"$',
            "a/",
            "A=b ",
            "$(",
            "((",
            "${",
            "{",
            "a() ",
            "`",
            "case x in a) ",
        ),
        *("[", "a=(", "a | ", "a && ", "! ", "<<A\n", "if a; then ", "é)", "x='\n", "$(cd ", '"$(dirname "'),
    ],
)
def test_a_long_text_is_read_to_its_end(piece: str) -> None:
    assert all(script.path.startswith("/p/") for script in in_command(piece * (16_384 // len(piece)), "/p", {}))


@pytest.mark.parametrize(
    ("opening", "closing"),
    [("( ", " )"), ("{ ", "; }"), ("if x; then ", "; fi"), ("x && ( ", " ) >y"), ("x <(", ")"), ('"$(', ')"')],
)
def test_deeply_nested_commands_are_read(opening: str, closing: str) -> None:
    command = "./a"
    for _ in range(4):
        command = f"sh -c {shlex.quote(opening * 200 + command + closing * 200)}"
    assert in_command(command, "/p", {}) == []


@pytest.mark.parametrize("bracket", "()")
def test_a_text_of_brackets_is_read_in_seconds(bracket: str) -> None:
    start = time.process_time()
    assert in_command(bracket * 65_536, "/p", {}) == []
    assert time.process_time() - start < 10


def test_a_variable_that_is_doubled_again_and_again_becomes_unknown() -> None:
    assert in_command("a=x;" + 'a="$a$a";' * 60 + '"$a"/b; ./c', "/p", {})[-1].path == "/p/c"
