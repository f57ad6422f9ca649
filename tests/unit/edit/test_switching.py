"""A hook that is turned off stays in place, is ignored by its host, and is restored to the byte."""

from __future__ import annotations

import os
import shutil

import pytest

from hooktui.catalog import catalog
from hooktui.edit.file_steps import ChangeRefusedError
from hooktui.edit.switch import switch
from hooktui.formats import documents, json_source

from .world import FILES, SPELLINGS, World

EVERY_HOOK = [
    ("agenthooks", 0),
    *(("claude", n) for n in range(4)),
    *((name, n) for name in ("vscode", "copilot") for n in range(2)),
]
EVERY_HOOK += [("azure", n) for n in range(4)]


@pytest.mark.parametrize("spelling", SPELLINGS)
@pytest.mark.parametrize(("format_name", "number"), EVERY_HOOK)
def test_switching_off_and_on_restores_every_byte(world: World, format_name: str, number: int, spelling: str) -> None:
    world.add(format_name, spelling)
    before = world.tree()
    hook = world.hook(format_name, number)
    plan = switch(hook, False)
    world.do(plan)
    now = world.hooks(format_name)
    assert [one.enabled for one in now].count(False) == 1
    assert len(now) == len(world.hooks(format_name))
    found = next(one for one in now if not one.enabled)
    assert plan.result is not None
    assert (found.id, found.event, found.tool, found.argv) == (plan.result.id, hook.event, hook.tool, hook.argv)
    world.do(switch(found, True))
    assert world.tree() == before


@pytest.mark.parametrize(("format_name", "number"), EVERY_HOOK)
def test_hook_is_switched_on_without_a_record_of_its_bytes(world: World, format_name: str, number: int) -> None:
    world.add(format_name)
    before = {(hook.event, hook.tool, hook.argv, hook.timeout_ms) for hook in world.hooks(format_name)}
    world.do(switch(world.hook(format_name, number), False))
    shutil.rmtree(world.path("~/.local/state"), ignore_errors=True)
    world.do(switch(next(hook for hook in world.hooks(format_name) if not hook.enabled), True))
    assert all(hook.enabled for hook in world.hooks(format_name))
    assert {(hook.event, hook.tool, hook.argv, hook.timeout_ms) for hook in world.hooks(format_name)} == before


@pytest.mark.parametrize("number", [0, 1])
def test_a_comment_behind_a_hook_stays_when_it_is_turned_off(world: World, number: int) -> None:
    entries = '{"type": "command", "command": "a"}, // first\n      {"type": "command", "command": "b"} // last'
    text = f'{{"hooks": {{"PreToolUse": [\n    {{"hooks": [\n      {entries}\n    ]}}\n]}}}}'
    world.write(path := world.path(FILES["claude"]), text.encode())
    world.do(switch(world.hook("claude", number), False))
    assert [one.command for one in world.hooks("claude") if not one.enabled] == [("a", "b")[number]]
    assert all(comment in world.read(path) for comment in (b"// first", b"// last"))


@pytest.mark.parametrize(("format_name", "number"), EVERY_HOOK)
def test_undoing_a_switch_restores_every_byte(world: World, format_name: str, number: int) -> None:
    world.add(format_name, "crlf")
    before = world.tree()
    change = world.do(switch(world.hook(format_name, number), False))
    again = world.undo(change)
    assert world.tree() == before
    world.undo(again)
    assert [hook.enabled for hook in world.hooks(format_name)].count(False) == 1


@pytest.mark.parametrize("format_name", ["claude", "vscode", "copilot"])
def test_host_does_not_see_a_hook_that_is_off(world: World, format_name: str) -> None:
    path = world.add(format_name)
    hook = world.hook(format_name, 0)
    world.do(switch(hook, False))
    root = json_source.read(world.read(path).decode()).root
    assert root is not None
    events = root.value["hooks"]
    at_work = [entry for items in events.values() for item in items for entry in item.get("hooks", [item])]
    assert hook.command
    assert hook.command not in str(at_work)
    assert len(at_work) == len(world.hooks(format_name)) - 1


def test_comments_inside_an_entry_stay_while_it_is_off(world: World) -> None:
    path = world.add("vscode")
    text = world.read(path).replace(b'"timeout": 7', b'"timeout": 7 // seconds\n')
    world.write(path, text)
    world.do(switch(world.hook("vscode", 1), False))
    assert b"// seconds" in world.read(path)


def test_switching_on_keeps_later_changes_by_others(world: World) -> None:
    path = world.add("claude")
    original = world.read(path)
    world.do(switch(world.called("claude", "second"), False))
    world.write(path, world.read(path).replace(b'"opus"', b'"haiku"'))
    world.do(switch(world.called("claude", "second"), True))
    assert world.read(path) == original.replace(b'"opus"', b'"haiku"')


def test_hook_is_switched_where_it_is_now(world: World) -> None:
    path = world.add("claude")
    hook = world.called("claude", "third")
    world.write(path, world.read(path).replace(b'\t\t\t\t{"type": "command", "command": "./second.sh"},\n', b""))
    world.do(switch(hook, False))
    assert {os.path.basename(one.command or ""): one.enabled for one in world.hooks("claude")} == {
        "first.sh": True,
        "third.sh": False,
        "stop.sh": True,
    }


def test_hook_that_another_program_changed_is_not_switched(world: World) -> None:
    path = world.add("claude")
    hook = world.called("claude", "third")
    world.write(path, world.read(path).replace(b"third", b"other"))
    with pytest.raises(ChangeRefusedError, match="changed by another program"):
        switch(hook, False)


def test_file_that_changes_after_the_plan_is_left_alone(world: World) -> None:
    path = world.add("vscode")
    plan = switch(world.hook("vscode", 0), False)
    world.write(path, world.read(path) + b"\n")
    with pytest.raises(documents.ChangedError):
        world.do(plan)
    assert world.read(path).endswith(b"}\n\n")


@pytest.mark.parametrize("format_name", FILES)
def test_approved_hooks_stay_approved(world: World, format_name: str) -> None:
    world.add(format_name)
    for name in ("first", "second", "third", "stop", "one", "two"):
        world.write(world.path(f"{name}.sh"), b"true\n")
    world.approve_all()
    for hook in world.hooks(format_name):
        world.do(switch(hook, False))
        on = [one for one in catalog.load(world.project).hooks if one.enabled and one.format == format_name]
        assert {catalog.load(world.project).trust[one.id] for one in on} <= {"trusted"}
        world.do(switch(next(one for one in world.hooks(format_name) if not one.enabled), True))
        assert set(world.trusted().values()) == {"trusted"}


def test_an_unapproved_hook_is_not_approved_by_switching_it(world: World) -> None:
    world.add("claude")
    world.do(switch(world.called("claude", "second"), False))
    world.do(switch(world.called("claude", "second"), True))
    assert set(world.trusted().values()) == {"untrusted"}


def test_hook_that_a_global_switch_disables_is_not_switched_on(world: World) -> None:
    world.write(
        world.path(FILES["claude"]),
        b'{"disableAllHooks": true, "hooks": {"Stop": [{"hooks": [{"type": "command", "command": "x"}]}]}}',
    )
    with pytest.raises(
        ChangeRefusedError, match=r"cannot be turned on here: disableAllHooks in .* disables all Claude Code hooks"
    ):
        switch(world.hook("claude"), True)


def test_a_hook_of_azures_that_its_author_left_off_is_switched_on(world: World) -> None:
    path = world.add("azure")
    world.write(path, world.read(path).replace(b"activationMode: always", b"activation_mode: on-demand"))
    world.do(switch(next(hook for hook in world.hooks("azure") if hook.name == "audit"), True))
    assert b"activation_mode: always\n" in world.read(path)
    assert all(hook.enabled for hook in world.hooks("azure"))


def test_a_read_only_file_is_not_replaced(world: World) -> None:
    path = world.add("claude")
    os.chmod(path, 0o444)
    if os.access(path, os.W_OK):
        pytest.skip("root may write anything")
    with pytest.raises(PermissionError):
        world.do(switch(world.hook("claude"), False))
