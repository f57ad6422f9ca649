"""A fix that brings a new error is not safe: it is left to the person, who sees it with `f`."""

from __future__ import annotations

import json
from typing import Any

import pytest

from .fix_project import Project

CURSOR, CLAUDE = ".cursor/hooks.json", ".claude/settings.json"


def cursor(event: str = "preToolUse", matcher: str = "Shell", **more: Any) -> str:
    return json.dumps({"version": 1, "hooks": {event: [{"command": "echo hello", "matcher": matcher, **more}]}}, indent=2)


@pytest.mark.parametrize(
    ("file", "text"),
    [
        (CURSOR, cursor(matcher="Bash")),  # it would deny every shell command
        (CURSOR, cursor("preTolUse")),
        (CURSOR, cursor().replace('"version": 1', '"version": "1"')),
        (CLAUDE, json.dumps({"hooks": {"pre_tool_use": "./gone.sh"}})),  # it would miss its script
    ],
)
def test_fix_that_brings_a_new_error_is_left_out(project: Project, file: str, text: str) -> None:
    path = project.write(file, text)
    assert any(problem.fix for problem in project.load().diagnostics), "a person may apply it"
    project.apply(project.plan())
    assert path.read_text() == text


@pytest.mark.parametrize(
    ("file", "text", "fixed"),
    [
        (CURSOR, cursor(matcher="Bash", command="exit 2"), '"Shell"'),
        (CLAUDE, '{"hooks": {"pre_tool_use": "true"}}', '"PreToolUse": [{"hooks": [{"type": "command", "command": "true"}]}]'),
        (
            CLAUDE,
            json.dumps({"hooks": {"pre_tool_use": [{"hooks": [{"type": "command", "command": "true"}]}]}}),
            '"PreToolUse"',
        ),
    ],
)
def test_fix_without_a_new_error_is_applied(project: Project, file: str, text: str, fixed: str) -> None:
    path = project.write(file, text)
    project.apply(project.plan())
    assert fixed in path.read_text()


def test_fixes_beside_one_that_brings_an_error_are_applied(project: Project) -> None:
    entries = [{"command": "echo hello", "matcher": "Bash"}, {"command": "exit 2", "matcher": "Bash"}]
    path = project.write(
        CURSOR, json.dumps({"version": 1, "hooks": {"preToolUse": entries[:1], "beforeReadFile": entries[1:]}})
    )
    script = project.write(".cursor/x.sh", "#!/bin/sh\nexit 0\n")
    events = {"preToolUse": entries[:1], "stop": [{"command": "./.cursor/x.sh"}]}
    path.write_text(json.dumps({"version": 1, "hooks": events}))
    project.apply(project.plan())
    assert '"Bash"' in path.read_text()
    assert script.stat().st_mode & 0o100
