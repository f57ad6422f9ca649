"""The rows of the Diagnostics screen: what belongs together is one row."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from hooktui.catalog import catalog
from hooktui.diagnostics import check_output
from hooktui.screens.diagnostics.problem_rows import rows


@pytest.fixture(autouse=True)
def _own_state(own_home: Path) -> None:
    """Hide the user's own hooks."""


GONE = "no-such-program"


def claude(*commands: str) -> str:
    """Claude settings with a hook for each command."""
    groups = [{"matcher": "Bash", "hooks": [{"type": "command", "command": command}]} for command in commands]
    return json.dumps({"hooks": {"PreToolUse": groups}}, indent=1)


def lines(project: Path, settings: str, words: str = "", arrangement: str = "severity") -> list[str]:
    """The rows of a project's Claude settings, without places and codes."""
    path = project / ".claude/settings.json"
    path.parent.mkdir(exist_ok=True)
    path.write_text(settings)
    groups = rows(catalog.load(str(project)), arrangement, words)
    return ["".join(text for text, _style in row.left) for group in groups for row in group.children]


def test_a_file_that_its_host_ignores_is_one_row_with_file_and_consequence(tmp_path: Path) -> None:
    flat = '{"type": "command", "command": "true"}'
    text = f'{{"hooks": {{"PreToolUse": [\n{flat},\n{flat},\n{flat}\n]}}}}'
    error, *_ = lines(tmp_path, text)
    assert error.startswith("✕ Claude Code ignores .claude/settings.json: ")
    assert "None of its 3 hooks run: true, " in error
    assert sum("ignores" in line for line in lines(tmp_path, text)) == 1


def test_a_cause_is_one_row_with_its_hooks_and_files_and_the_one_of_most_hooks_is_first(tmp_path: Path) -> None:
    path = tmp_path / ".claude/hooks/a.sh"
    path.parent.mkdir(parents=True)
    path.write_text(f"#!/bin/sh\n{GONE}-b\n")
    script = 'sh "$CLAUDE_PROJECT_DIR"/.claude/hooks/a.sh'
    settings = claude(f"{GONE}-a", f"{GONE}-b", f"{GONE}-b 2", script)
    assert lines(tmp_path, settings)[:2] == [
        f"▲ {GONE}-b is not installed here: 3 hooks fail",
        f"▲ {GONE}-a is not installed here: the hook fails",
    ]
    warnings = rows(catalog.load(str(tmp_path)), "severity", "warning")[0]
    assert [row.right[0][0] for row in warnings.children[:2]] == [
        "in 2 files  missing-program",
        "settings.json:9  missing-program",
    ]


def test_by_file_each_file_has_its_part_of_a_cause(tmp_path: Path) -> None:
    (tmp_path / "a.sh").write_text(f"#!/bin/sh\n{GONE}\n")
    settings = claude(GONE, f"{GONE} 2", 'sh "$CLAUDE_PROJECT_DIR"/a.sh')
    assert [line for line in lines(tmp_path, settings, arrangement="file") if GONE in line] == [
        f"▲ {GONE} is not installed here: 2 hooks fail",
        f"▲ {GONE} is not installed here: the hook fails",
    ]


def test_problems_are_counted_as_check_counts_them(tmp_path: Path) -> None:
    lines(tmp_path, claude(GONE, f"{GONE} 2", f"{GONE}-b", "/gone/x.sh", "/gone/y.sh", "/gone/y.sh 2"))
    loaded = catalog.load(str(tmp_path))
    counts = {group.key: group.count for group in rows(loaded, "severity", "")}
    assert check_output.to_text(loaded).endswith(f": {counts['group:error']} errors, {counts['group:warning']} warnings")


def with_hooks(project: Path, *names: str) -> None:
    """HOOK.md hooks of a project, which hooktui runs once they are approved."""
    for name in names:
        scripts = project / ".agents/hooks" / name / "scripts"
        scripts.mkdir(parents=True)
        (scripts / "run").write_text("#!/bin/sh\n")
        (scripts / "run").chmod(0o755)
        about = f"name: {name}\ndescription: Watch\ntrigger: pre-tool-call\n"
        (scripts.parent / "HOOK.md").write_text(f"---\n{about}---\n")


def test_hooks_without_approval_are_one_row_which_names_a_single_one(tmp_path: Path) -> None:
    with_hooks(tmp_path, "guard")
    assert "· guard is not approved: hooktui does not run it" in lines(tmp_path, "{}")
    with_hooks(tmp_path, "a", "b")
    assert "· 3 hooks not approved: hooktui does not run them" in lines(tmp_path, "{}")


def test_a_hook_that_its_host_runs_needs_no_approval(tmp_path: Path) -> None:
    assert not [line for line in lines(tmp_path, claude("true", "true 2", "true 3")) if "approved" in line]


def test_the_filter_finds_a_problem_by_the_label_of_its_hook(tmp_path: Path) -> None:
    settings = claude("jq-that-is-missing .tool_input")
    assert lines(tmp_path, settings, "jq-that-is-missing .tool_input")
    assert not lines(tmp_path, settings, "prettier")
