"""Fixes apply completely or not at all, and only to the text they were made for."""

from __future__ import annotations

import os
import stat

import pytest

from hooktui.core.model import Diagnostic
from hooktui.edit import apply_fixes
from hooktui.edit.file_steps import ChangeRefusedError
from tests.unit.formats.agenthooks_world import World, changed


def fix(problem: Diagnostic) -> None:
    apply_fixes.apply(apply_fixes.plan_one(problem, ()), (), "")


def test_chmod_of_a_missing_file_is_refused(world: World) -> None:
    path = world.hook(mode=0o640) / "scripts/run"
    problem = world.problem("not-executable")
    path.unlink()
    with pytest.raises(ChangeRefusedError, match="has changed"):
        fix(problem)
    path.mkdir()
    with pytest.raises(ChangeRefusedError, match="has changed"):
        fix(problem)


def test_rename_never_replaces_a_file(world: World) -> None:
    directory = world.hook()
    (directory / "HOOK.md").rename(directory / "hook.md")
    problem = world.problem("misnamed-file")
    (directory / "HOOK.md").write_text("precious")
    with pytest.raises(ChangeRefusedError, match=r"HOOK\.md already exists"):
        fix(problem)
    assert (directory / "HOOK.md").read_text() == "precious"


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
@pytest.mark.parametrize("bom", ["", "\ufeff"])
@pytest.mark.parametrize(
    ("code", "fields", "fixed"),
    [
        ("unknown-event", {"trigger": "PreToolUse"}, {"trigger": "pre-tool-call"}),
        ("unknown-key", {"priorty": "5"}, {"priority": "5"}),
        ("out-of-range", {"priority": "5000  # high"}, {"priority": "1000  # high"}),
        ("wrong-type", {"timeout": "'5000'"}, {"timeout": "5000"}),
        ("bad-yaml", {"description": r'"\.py$"'}, {"description": r"'\.py$'"}),
        ("bad-yaml", {"description": "a: b  # c"}, {"description": "'a: b'  # c"}),
    ],
)
def test_replace_changes_that_value_and_no_other_byte(
    code: str, fields: dict[str, str], fixed: dict[str, str], bom: str, newline: str, world: World
) -> None:
    before, after = (f"{bom}{changed(**one)}".replace("\n", newline).encode() for one in (fields, fixed))
    file = world.hook(text=before) / "HOOK.md"
    file.chmod(0o600)
    fix(world.problem(code))
    assert file.read_bytes() == after
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert world.codes() == []


def test_replace_is_refused_when_the_text_has_changed(world: World) -> None:
    file = world.hook(text=changed(priority="5000")) / "HOOK.md"
    problem = world.problem("out-of-range")
    file.write_text("# new first line\n" + changed(priority="5000"))
    before = file.read_bytes()
    with pytest.raises(ChangeRefusedError, match="has changed"):
        fix(problem)
    assert file.read_bytes() == before
    assert os.listdir(file.parent) == ["scripts", "HOOK.md"] or sorted(os.listdir(file.parent)) == ["HOOK.md", "scripts"]


def test_replace_is_refused_when_the_file_is_gone(world: World) -> None:
    file = world.hook(text=changed(priority="5000")) / "HOOK.md"
    problem = world.problem("out-of-range")
    file.unlink()
    with pytest.raises(ChangeRefusedError, match=r"HOOK\.md"):
        fix(problem)


def test_replace_in_a_linked_file_keeps_the_link(world: World) -> None:
    file = world.hook(text=changed(priority="5000")) / "HOOK.md"
    target = file.rename(world.home / "shared.md")
    file.symlink_to(target)
    fix(world.problem("out-of-range"))
    assert file.is_symlink()
    assert "priority: 1000" in target.read_text()
