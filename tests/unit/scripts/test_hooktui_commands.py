"""hooktui's own command lines in hook files: written, recognized, and removed without a trace."""

from __future__ import annotations

import json
import shlex

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hooktui.scripts import hooktui_commands

# Contents of JSON literals: quotes in both spellings, escapes, and text that resembles our own words.
PIECES = st.sampled_from(["'", "\\u0027", "\\\\", '\\"', "\\u00e9", "é", "\\n", "a ", "u0027", "-- /bin/sh -c '", "$X"])


@given(st.lists(PIECES, max_size=12).map(lambda pieces: f'"{"".join(pieces)}"'))
def test_unwrapping_a_literal_restores_every_byte(literal: str) -> None:
    wrapped = hooktui_commands.wrapped_literal(literal, "claude", "/bin/sh")
    assert hooktui_commands.observed_command(json.loads(wrapped), "claude") == ("/bin/sh", "-c", json.loads(literal))
    assert hooktui_commands.unwrapped_literal(wrapped, "claude") == literal
    assert hooktui_commands.unwrapped_literal(wrapped, "vscode") is None
    assert hooktui_commands.unwrapped_literal(literal, "claude") is None


def test_wrapper_that_does_not_test_for_its_launcher_is_removed_too() -> None:
    former = shlex.join(("/a b/hooktui/hook", "claude", "--", "/bin/sh", "-c", "echo é"))
    assert hooktui_commands.original(former, "claude") == "echo é"
    assert hooktui_commands.unwrapped_literal(json.dumps(former, ensure_ascii=False), "claude") == '"echo é"'
    assert hooktui_commands.with_command(former, "it's") == former.replace("'echo é'", """'it'"'"'s'""")


def test_command_inside_an_observed_one_can_be_replaced() -> None:
    wrapped = json.loads(hooktui_commands.wrapped_literal('"echo é"', "claude", "/bin/sh"))
    assert hooktui_commands.original(hooktui_commands.with_command(wrapped, "it's"), "claude") == "it's"


@pytest.mark.parametrize(
    "command",
    [
        "'/o l d/python3' -I -m hooktui run --host claude",
        "'/o l d/hooktui/hook' claude",
        hooktui_commands.run("claude"),
        hooktui_commands.run("claude", "Stop"),
    ],
)
def test_own_commands_are_recognized_with_any_launcher_and_interpreter(command: str) -> None:
    assert hooktui_commands.runs(command, "claude")
    assert not hooktui_commands.runs(command, "copilot")
    assert hooktui_commands.observed_command(command, "claude") == ()


@pytest.mark.parametrize(
    "command",
    [
        *(None, 3, "", "python -m hooktui run --host claude", "echo hooktui run --host claude", "it's open"),
        *("/x/hook claude", "/x/hooktui/hook", "/x/hooktui/hook claude Stop more", "/x/hooktui/hook claude --"),
    ],
)
def test_other_commands_are_not_recognized_as_own(command: object) -> None:
    assert not hooktui_commands.runs(command, "claude")
    assert hooktui_commands.observed_command(command, "claude") == ()


@pytest.mark.parametrize("front", [("/x/hooktui/hook", "claude", "--"), hooktui_commands.observing("claude")])
def test_observed_call_yields_the_program_and_its_arguments(front: list[str]) -> None:
    words = [*front, "prog", "--", "-x"]
    assert hooktui_commands.observed(words, "claude") == ("prog", "--", "-x")
    assert hooktui_commands.observed(words[:-3], "claude") == ()
    assert hooktui_commands.original(shlex.join(words), "claude") is None
    assert not hooktui_commands.runs(shlex.join(words), "claude")
