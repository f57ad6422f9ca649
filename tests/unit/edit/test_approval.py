from __future__ import annotations

import os
from pathlib import Path

import pytest

from hooktui.catalog import catalog
from hooktui.core import paths
from hooktui.core.model import Hook
from hooktui.edit import approval
from hooktui.edit.approval import CoveredFile
from hooktui.runner import trust
from tests.new_hooks import make


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A project with one HOOK.md hook and one of Claude's, in an empty home."""
    for variable in ("XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    project = paths.canonical(str(tmp_path / "project"))
    make(project)
    write(os.path.join(project, "guard.sh"), "exit 0\n")
    entry = '{"type": "command", "command": "./guard.sh"}'
    write(os.path.join(project, ".claude", "settings.json"), f'{{"hooks": {{"Stop": [{{"hooks": [{entry}]}}]}}}}')
    return project


def write(path: str, text: str) -> None:
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def hook_of(project: str, format_name: str) -> Hook:
    return next(hook for hook in catalog.load(project).hooks if hook.format == format_name)


def approve(project: str, hook: Hook) -> None:
    approval.approve(project, [(hook, trust.digest(hook))])


def seen(project: str, hook: Hook) -> dict[str, CoveredFile]:
    return {file.name: file for file in approval.covered_files(project, hook)}


def test_hook_without_approval_has_no_diff(project: str) -> None:
    files = seen(project, hook_of(project, "agenthooks"))
    assert {file.state for file in files.values()} == {"unknown"}
    assert files["HOOK.md"].text.startswith("---\nname: guard")


def test_an_approved_hook_may_run_and_has_not_changed(project: str) -> None:
    hook = hook_of(project, "agenthooks")
    approve(project, hook)
    assert trust.state(hook, trust.approvals(project)) == "trusted"
    assert {file.state for file in seen(project, hook).values()} == {"same"}


def test_a_changed_file_shows_the_lines_that_changed(project: str) -> None:
    hook = hook_of(project, "agenthooks")
    script = os.path.join(hook.root, "scripts", "run.sh")
    write(script, "#!/bin/sh\nexit 0\n")
    approve(project, hook)
    write(script, "#!/bin/sh\ncurl evil\n")
    assert seen(project, hook)["scripts/run.sh"].lines == (" #!/bin/sh", "-exit 0", "+curl evil")


def test_changed_files_come_first_with_distant_lines_folded(project: str) -> None:
    hook = hook_of(project, "agenthooks")
    script = os.path.join(hook.root, "scripts", "run.sh")
    before = [f"line {number}" for number in range(100)]
    write(script, "\n".join(before))
    write(os.path.join(hook.root, "zzz.txt"), "a\n")
    approve(project, hook)
    write(script, "\n".join(["line zero", *before[1:50], "evil", *before[50:]]))
    write(os.path.join(hook.root, "zzz.txt"), "b\n")
    files = approval.covered_files(project, hook)
    assert [file.state for file in files] == ["changed", "changed", "same"]
    assert files[0].lines == (
        *("-line 0", "+line zero", " line 1", " line 2", " line 3", " … 43 unchanged lines"),
        *(" line 47", " line 48", " line 49", "+evil", " line 50", " line 51", " line 52", " … 47 unchanged lines"),
    )


def test_new_and_deleted_files_are_marked(project: str) -> None:
    hook = hook_of(project, "agenthooks")
    write(os.path.join(hook.root, "old.txt"), "a\n")
    approve(project, hook)
    os.remove(os.path.join(hook.root, "old.txt"))
    write(os.path.join(hook.root, "new.txt"), "b\n")
    files = seen(project, hook)
    assert (files["old.txt"].state, files["old.txt"].lines) == ("gone", ("-a",))
    assert (files["new.txt"].state, files["new.txt"].lines) == ("new", ("+b",))


def test_entry_is_compared_by_its_text_and_its_scripts(project: str) -> None:
    approve(project, hook_of(project, "claude"))
    settings = os.path.join(project, ".claude", "settings.json")
    with open(settings, encoding="utf-8") as file:
        text = file.read()
    write(settings, text.replace("./guard.sh", "./guard.sh --fast"))
    files = seen(project, hook_of(project, "claude"))
    assert files["the entry"].lines == (
        '-{"type": "command", "command": "./guard.sh"}',
        '+{"type": "command", "command": "./guard.sh --fast"}',
    )
    assert files["guard.sh"].state == "same"


def test_revoked_approval_leaves_no_diff(project: str) -> None:
    hook = hook_of(project, "agenthooks")
    approve(project, hook)
    trust.revoke(project, {hook.identity})
    assert {file.state for file in approval.covered_files(project, hook)} == {"unknown"}


def test_change_during_review_is_not_stored_as_approved(project: str) -> None:
    hook = hook_of(project, "agenthooks")
    approval.approve(project, [(hook, "sha256:what was shown")])
    assert {file.state for file in approval.covered_files(project, hook)} == {"unknown"}


def test_broken_snapshot_counts_as_missing(project: str) -> None:
    hook = hook_of(project, "agenthooks")
    approve(project, hook)
    kept = os.path.join(paths.state_dir(), "approved")
    for name in os.listdir(kept):
        write(os.path.join(kept, name), "{")
    assert {file.state for file in approval.covered_files(project, hook)} == {"unknown"}


def test_binary_file_says_why_it_is_not_shown(project: str) -> None:
    hook = hook_of(project, "agenthooks")
    with open(os.path.join(hook.root, "tool.bin"), "wb") as file:
        file.write(b"\xff\xfe\x00")
    approve(project, hook)
    assert "not UTF-8" in seen(project, hook)["tool.bin"].problem
