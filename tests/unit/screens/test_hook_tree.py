"""A hook's line in the tree."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from hooktui.catalog import catalog
from hooktui.screens.hooks.hook_browser import rows

if TYPE_CHECKING:
    from pathlib import Path


def lines(project: Path, *entries: dict[str, str], matcher: str = "", words: str = "") -> list[str]:
    """The left sides of the lines of hooks in a project's Claude settings."""
    settings = project / ".claude/settings.json"
    settings.parent.mkdir(parents=True, exist_ok=True)
    settings.write_text(json.dumps({"hooks": {"PreToolUse": [{"matcher": matcher, "hooks": list(entries)}]}}))
    groups = rows(catalog.load(str(project)), "event", words)
    return ["".join(text for text, _style in row.left) for group in groups for row in group.children]


@pytest.mark.parametrize(
    ("entry", "gist"),
    [
        ({"type": "command", "command": "npx lint --fix"}, "Bash npx lint --fix"),
        ({"type": "command", "command": "./scripts/guard.sh --strict"}, "Bash guard.sh"),
        ({"type": "prompt", "prompt": "Is it safe?"}, "Bash Is it safe?"),
        ({"type": "http", "url": "http://127.0.0.1/hook"}, "Bash http://127.0.0.1/hook"),
    ],
)
def test_entry_without_a_name_shows_its_matcher_and_what_it_does(tmp_path: Path, entry: dict[str, str], gist: str) -> None:
    script = tmp_path / "scripts/guard.sh"
    script.parent.mkdir()
    script.write_text("#!/bin/sh\n")
    script.chmod(0o755)
    assert [line.partition("› 1 ")[2] for line in lines(tmp_path, entry, matcher="Bash")] == [gist]


def test_filter_finds_an_entry_by_what_it_does(tmp_path: Path) -> None:
    entries = ({"type": "command", "command": "npx lint"}, {"type": "command", "command": "npx format"})
    assert len(lines(tmp_path, *entries, words="lint")) == 1
