"""hooktui's own command lines in hook files: written, recognized, and removed without a trace."""

from __future__ import annotations

import json
import shlex

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hooktui.core import own_commands
from hooktui.core.own_commands import Observed

OBSERVED = Observed("claude", "it's.json:PreToolUse:1", "/a b/\\x\"'é.json")
# Contents of JSON literals: quotes in both spellings, escapes, and text that resembles our own words.
PIECES = st.sampled_from(["'", "\\u0027", "\\\\", '\\"', "\\u00e9", "é", "\\n", "a ", "u0027", "-- /bin/sh -c '", "$X"])


@given(st.lists(PIECES, max_size=12).map(lambda pieces: f'"{"".join(pieces)}"'), st.booleans())
def test_unwrapping_a_literal_restores_every_byte(literal: str, is_async: bool) -> None:
    observed = Observed("claude", OBSERVED.name, OBSERVED.file, is_async)
    wrapped = own_commands.wrapped_literal(literal, observed, "/bin/sh")
    assert own_commands.observed_command(json.loads(wrapped), "claude") == (observed, ("/bin/sh", "-c", json.loads(literal)))
    assert own_commands.unwrapped_literal(wrapped, "claude") == literal
    assert own_commands.unwrapped_literal(wrapped, "vscode") is None
    assert own_commands.unwrapped_literal(literal, "claude") is None


@pytest.mark.parametrize(
    "command",
    ["'/o l d/python3' -I -m hooktui run --host claude", own_commands.run("claude"), own_commands.run("claude", "Stop")],
)
def test_own_commands_are_recognized_with_any_interpreter(command: str) -> None:
    assert own_commands.runs(command, "claude")
    assert not own_commands.runs(command, "copilot")


@pytest.mark.parametrize(
    "command", [None, 3, "", "python -m hooktui run --host claude", "echo hooktui run --host claude", "it's open"]
)
def test_other_commands_are_not_recognized_as_own(command: object) -> None:
    assert not own_commands.runs(command, "claude")
    assert own_commands.observed_command(command, "claude") is None


def test_observed_call_yields_the_program_and_its_arguments() -> None:
    words = [*own_commands.arguments(OBSERVED), "prog", "--", "-x"]
    assert own_commands.observed(words, "claude") == (OBSERVED, ("prog", "--", "-x"))
    assert own_commands.observed(words[:-3], "claude") is None
    assert own_commands.original(shlex.join(words), "claude") is None
