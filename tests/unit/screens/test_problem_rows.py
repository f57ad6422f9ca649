"""The rows of the Diagnostics screen: what belongs together is one row."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from hooktui.catalog import catalog
from hooktui.screens.diagnostics.problem_rows import rows

if TYPE_CHECKING:
    from pathlib import Path

HOOKS = json.dumps({"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "true"}]}] * 3})


@pytest.fixture(autouse=True)
def _own_state(own_home: Path) -> None:
    """Hide the user's own hooks."""


def lines(project: Path, settings: str, words: str = "") -> list[str]:
    """The rows of a project's Claude settings, without their codes."""
    path = project / ".claude/settings.json"
    path.parent.mkdir(exist_ok=True)
    path.write_text(settings)
    groups = rows(catalog.load(str(project)), "severity", words)
    return ["".join(text for text, _style in row.left) for group in groups for row in group.children]


def test_a_file_that_its_host_ignores_is_one_row_with_file_and_consequence(tmp_path: Path) -> None:
    flat = '{"type": "command", "command": "true"}'
    text = f'{{"hooks": {{"PreToolUse": [\n{flat},\n{flat},\n{flat}\n]}}}}'
    error, *_ = lines(tmp_path, text)
    assert error.startswith("✕ Claude Code ignores .claude/settings.json: ")
    assert "None of its 3 hooks run: true, " in error
    assert error.endswith("Also at lines 3, 4.")
    assert sum("ignores" in line for line in lines(tmp_path, text)) == 1


def test_hooks_without_approval_are_one_row(tmp_path: Path) -> None:
    assert (
        lines(tmp_path, f'{{"hooks": {HOOKS}}}')[-1]
        == "· 3 hooks not approved: hooktui does not run them, but Claude Code does"
    )


def test_a_single_hook_without_approval_is_named(tmp_path: Path) -> None:
    one = json.dumps({"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "true"}]}]}})
    assert lines(tmp_path, one) == ["· true is not approved: hooktui does not run it, but Claude Code does"]


def test_the_filter_finds_a_problem_by_the_label_of_its_hook(tmp_path: Path) -> None:
    entry = {"type": "command", "command": "jq-that-is-missing .tool_input"}
    settings = json.dumps({"hooks": {"Stop": [{"hooks": [entry]}]}})
    assert lines(tmp_path, settings, "jq-that-is-missing .tool_input")
    assert not lines(tmp_path, settings, "prettier")
