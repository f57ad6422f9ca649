"""Hook files of valid JSON that is no object: an error where the host reads hooks, and never a crash."""

from __future__ import annotations

from pathlib import Path

import pytest

from hooktui.catalog import catalog
from hooktui.core.model import Diagnostic

HOOK_FILES = (".claude/settings.json", ".claude/settings.local.json", ".claude-plugin/plugin.json", "~/.claude/settings.json")
SHARED = (".github/hooks/a.json", "~/.copilot/hooks/a.json")  # hosts read every JSON file there, also those of other tools
TEXTS = ("[]", '"x"', "3", "null", "true")


def _problems(file: str, text: str, home: Path, project: Path) -> list[Diagnostic]:
    path = home / file[2:] if file.startswith("~/") else project / file
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return [found for found in catalog.load(str(project)).diagnostics if found.file == str(path)]


@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize("file", HOOK_FILES)
def test_value_that_is_no_object_is_an_error(file: str, text: str, own_home: Path, tmp_path: Path) -> None:
    problems = _problems(file, text, own_home, tmp_path)
    assert [(problem.severity, problem.code, problem.line) for problem in problems] == [("error", "not-a-mapping", 1)]


@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize("file", SHARED)
def test_value_in_a_shared_directory_is_no_hook_file(file: str, text: str, own_home: Path, tmp_path: Path) -> None:
    assert {problem.code for problem in _problems(file, text, own_home, tmp_path)} == {"no-hook-file"}
