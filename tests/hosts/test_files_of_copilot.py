"""Which files, and events in `.github/hooks`, the real Copilot CLI runs, and that hooktui says so of the others."""

from __future__ import annotations

from typing import Any

import pytest

from tests.hosts.copilot_cli import CopilotWorld

_NOTE = {"type": "command", "command": "cat > /dev/null; echo fired >> fired.txt"}
_CAMEL = {"type": "command", "bash": _NOTE["command"]}


@pytest.mark.parametrize(
    ("content", "fires"),
    [
        ({"version": 1, "hooks": {"preToolUse": [_CAMEL]}}, True),
        ({"hooks": {"SessionEnd": [_NOTE]}}, True),
        ({"hooks": {"SessionEnd": [_NOTE], "sessionStart": None}}, False),
        ({"disableAllHooks": "false", "hooks": {"preToolUse": [_CAMEL]}}, False),
        ({"preToolUse": [_CAMEL]}, False),
        ({"PreToolUse": [_NOTE]}, False),
        ({"version": 1, "preToolUse": [_CAMEL]}, False),
        ([{"hooks": {"preToolUse": [_CAMEL]}}], False),
        ([{"hooks": {"PreToolUse": [_NOTE]}}], False),
    ],
)
def test_copilot_runs_the_hooks_unless_check_reports_an_error(copilot: CopilotWorld, content: Any, fires: bool) -> None:
    copilot.write(".github/hooks/own.json", content)
    report = copilot.run("check", "--format", "json", code=0 if fires else 1).json()
    assert bool(report["errors"]) is not fires, report["diagnostics"]
    copilot.session()
    assert (copilot.project / "fired.txt").exists() is fires


@pytest.mark.parametrize(
    ("files", "fires"),
    [
        ({"~/.copilot/settings.json": True}, True),
        ({".github/copilot/settings.json": True}, False),
        ({".github/copilot/settings.json": True, ".github/copilot/settings.local.json": False}, True),
        ({".claude/settings.json": True}, False),
        ({".claude/settings.json": True, ".claude/settings.local.json": False}, True),
        ({".claude/settings.local.json": True, ".github/copilot/settings.json": False}, True),
        ({".claude/settings.local.json": False, ".github/copilot/settings.json": True}, False),
    ],
    ids=str,
)
def test_settings_of_a_project_switch_off_all_hooks(copilot: CopilotWorld, files: dict[str, bool], fires: bool) -> None:
    copilot.write("~/.copilot/hooks/own.json", {"version": 1, "hooks": {"preToolUse": [_CAMEL]}})
    copilot.write(".github/hooks/own.json", {"version": 1, "hooks": {"preToolUse": [_CAMEL]}})
    for name, off in files.items():
        copilot.write(name, {"disableAllHooks": off})
    copilot.session()
    assert (copilot.project / "fired.txt").exists() is fires
    assert {hook["enabled"] for hook in copilot.run("list", "--json").json()} == {fires}
