"""What commands print at a terminal: no word is cut where there is room for it, and no number ever."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from rich.cells import cell_len

from hooktui.cli.text_layout import folded, shortened
from tests.command_world import CommandWorld

LONG = "gate-推送-审核-with-a-very-long-name-that-fills-the-line"
REASON = "Deploys need a review:\n  1. open a pull request\n  2. ask 田中さん; see docs/deploying/production/checklist.md"


@pytest.fixture
def busy(world: CommandWorld) -> CommandWorld:
    """A project with hooks for four agents, one with a long name, and a denial with a reason of several lines."""
    world.hook(LONG, f"#!/bin/sh\ncat >/dev/null\ncat <<'END' >&2\n{REASON}\nEND\nexit 2\n", matcher={"pattern": "deploy"})
    entry = {"matcher": "Bash|run_shell_command", "hooks": [{"type": "command", "command": "./guard.sh"}]}
    for file, event in (
        (".claude/settings.json", "PreToolUse"),
        (".codex/hooks.json", "PreToolUse"),
        (".gemini/settings.json", "BeforeTool"),
    ):
        path = Path(world.project, file)
        path.parent.mkdir()
        path.write_text(json.dumps({"hooks": {event: [entry]}}))
    return world


@pytest.mark.parametrize("columns", [80, 120])
@pytest.mark.parametrize("words", ["list", "status", "check", "doctor"])
def test_lines_fit_and_lose_only_the_middle_of_a_long_name(busy: CommandWorld, words: str, columns: int) -> None:
    shown = busy.at_terminal(words, columns=columns, NO_COLOR="1").stdout
    lines = [line for line in shown.splitlines() if not line.startswith("Hash of all")]
    assert max(map(cell_len, lines)) <= columns
    whole = re.sub(r"gate-\S*…\S*-line", LONG, shown)
    assert "".join(whole.split()) == "".join(busy.run(words, code=None).stdout.split())


def test_list_has_no_blank_line_below_a_hook_without_a_matcher(world: CommandWorld) -> None:
    world.hook("a-name-that-is-as-long-as-its-column-is-wide")
    hooks, total = world.at_terminal("list", columns=56, NO_COLOR="1").stdout.split("\n\n")
    assert all(line.strip() for line in (*hooks.splitlines(), *total.splitlines()))


@pytest.mark.parametrize("columns", [80, 120])
def test_a_denial_is_shown_with_all_lines_of_its_reason(busy: CommandWorld, columns: int) -> None:
    denied = busy.fire(tool_name="Bash", tool_input={"command": "deploy --to production"})["id"]
    shown = busy.at_terminal("show", denied, columns=columns, NO_COLOR="1").stdout
    assert max(map(cell_len, shown.splitlines())) <= columns
    assert " ".join(REASON.split()) in " ".join(shown.split())
    [line] = busy.at_terminal("log", columns=columns, NO_COLOR="1").stdout.splitlines()
    assert cell_len(line) <= columns
    assert "Bash deploy" in line
    assert "deny" in line
    assert "-the-line" in line


def test_a_sentence_goes_on_indented() -> None:
    assert folded("  one two three four five six", 24, 2) == ["  one two three four", "    five six"]
    assert folded("one two three", None, 2) == ["one two three"]


def test_a_path_loses_its_middle() -> None:
    assert shortened("src/components/payment/Form.tsx", 16) == "src/com…Form.tsx"
    assert cell_len(shortened("推送" * 20, 11)) <= 11


def test_a_sentence_loses_its_last_words() -> None:
    assert shortened("Does the answer name the cause?", 27) == "Does the answer name the…"
