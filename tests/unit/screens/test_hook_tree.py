"""What a line of the hooks' tree tells of a hook."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from hooktui.catalog import catalog
from hooktui.screens.hooks.hook_browser import rows

pytestmark = pytest.mark.usefixtures("own_home")

PROJECT, LOCAL = ".claude/settings.json", ".claude/settings.local.json"


def write(project: Path, *entries: dict[str, str], matcher: str = "", event: str = "PreToolUse", name: str = PROJECT) -> None:
    """Write Claude settings with one group."""
    settings = project / name
    settings.parent.mkdir(parents=True, exist_ok=True)
    settings.write_text(json.dumps({"hooks": {event: [{"matcher": matcher, "hooks": list(entries)}]}}))


def lines(project: Path, arrangement: str = "event", words: str = "") -> list[str]:
    """The left sides of the lines of hooks."""
    groups = rows(catalog.load(str(project)), arrangement, words)
    return ["".join(text for text, _style in row.left) for group in groups for row in group.children]


def command(text: str) -> dict[str, str]:
    return {"type": "command", "command": text}


@pytest.mark.parametrize(
    ("entry", "line"),
    [
        (command("npx lint --fix"), "● lint --fix Bash"),
        (command("./scripts/guard.sh --strict"), "▲ guard.sh Bash"),
        ({"type": "prompt", "prompt": "Is it safe?"}, "● Is it safe? Bash"),
        ({"type": "http", "url": "http://127.0.0.1/hook"}, "● 127.0.0.1/hook Bash"),
    ],
)
def test_an_entry_is_called_by_what_it_runs_beside_its_matcher(tmp_path: Path, entry: dict[str, str], line: str) -> None:
    script = tmp_path / "scripts/guard.sh"
    script.parent.mkdir()
    script.write_text("#!/bin/sh\n")
    script.chmod(0o755)
    write(tmp_path, entry, matcher="Bash")
    assert [shown.replace("▲", "●") for shown in lines(tmp_path)] == [line.replace("▲", "●")]


def test_two_entries_of_one_label_and_matcher_show_their_files(tmp_path: Path) -> None:
    write(tmp_path, command("true"), matcher="Bash")
    write(tmp_path, command("true"), matcher="Bash", name=LOCAL)
    assert sorted(line[2:] for line in lines(tmp_path)) == [f"true Bash {PROJECT}", f"true Bash {LOCAL}"]


@pytest.mark.parametrize("arrangement", ["file", "scope", "host"])
def test_an_entry_shows_its_event_where_its_group_does_not(tmp_path: Path, arrangement: str) -> None:
    write(tmp_path, command("true"), matcher="Bash")
    assert lines(tmp_path, arrangement) == ["● true PreToolUse Bash"]


def test_an_entry_with_problems_says_its_host_where_there_are_several(tmp_path: Path) -> None:
    write(tmp_path, command("./missing.sh"), matcher="Bash")
    write(tmp_path, command("true"), matcher="*", event="BeforeTool", name=".gemini/settings.json")
    groups = rows(catalog.load(str(tmp_path)), "event", "missing")
    [row] = [row for group in groups for row in group.children]
    assert [text for text, _style in row.right] == ["project claude 1 error", "claude 1 error", "1 error"]


def test_a_hook_of_an_agent_names_the_agent(tmp_path: Path) -> None:
    agent = tmp_path / ".claude/agents/reviewer.md"
    agent.parent.mkdir(parents=True)
    entry = "hooks:\n  PreToolUse:\n    - matcher: Bash\n      hooks:\n        - type: command\n          command: 'true'\n"
    agent.write_text(f"---\nname: reviewer\ndescription: Reviews\n{entry}---\nReview.\n")
    assert lines(tmp_path) == ["● true Bash agent reviewer"]


def test_the_host_is_shown_only_where_there_are_several(tmp_path: Path) -> None:
    def right() -> list[str]:
        groups = rows(catalog.load(str(tmp_path)), "event", "")
        return [row.right[0][0] for group in groups for row in group.children]

    write(tmp_path, command("true"), matcher="Bash")
    assert right() == ["project"]
    codex = tmp_path / ".codex/hooks.json"
    codex.parent.mkdir()
    codex.write_text(json.dumps({"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [command("true")]}]}}))
    assert sorted(right()) == ["project claude", "project codex"]


@pytest.mark.parametrize("arrangement", ["event", "file", "scope", "host"])
def test_the_connection_is_one_row_at_the_end(tmp_path: Path, arrangement: str) -> None:
    write(tmp_path, command("true"), matcher="Bash")
    write(tmp_path, command("/x/hooktui/hook claude"), event="Stop", name=LOCAL)
    *others, last = rows(catalog.load(str(tmp_path)), arrangement, "")
    assert len(others) == 1
    assert (last.left[0][0], last.right[0][0]) == ("hooktui connection", "1 event")
    assert [row.left[1][0] for row in last.children] == ["Stop"]


def test_filter_finds_an_entry_by_what_it_runs(tmp_path: Path) -> None:
    write(tmp_path, command("npx lint --max-warnings 0"), command("npx format"))
    assert len(lines(tmp_path, words="max-warnings")) == 1
