"""Any sequence of changes to hooks of every format can be undone in reverse, to the byte."""

from __future__ import annotations

import random

import pytest

from hooktui.catalog import catalog
from hooktui.core.model import Hook
from hooktui.edit import switch, trash
from hooktui.edit.change_plan import AppliedChange, ChangePlan
from hooktui.edit.copy_plan import copy, move
from hooktui.edit.copy_targets import targets
from hooktui.edit.file_steps import ChangeRefusedError
from hooktui.edit.switch import change_event

from .world import FILES, SPELLINGS, World

CHANGES = 8
WAYS = ("switch", "copy", "move", "delete", "restore", "listen")
EVENTS = ("Stop", "PostToolUse", "postToolUse", "agentStop")
BROKEN = ("bad-json", "bad-yaml", "duplicate-key", "missing-entry")


def planned(world: World, way: str, hook: Hook, chance: random.Random) -> ChangePlan:
    """Plan some change of a hook. Raises ChangeRefusedError if it is impossible."""
    places = [one for one in targets(hook, world.project) if way == "copy" or one.format == hook.format]
    deleted = list(trash.contents(world.project))
    match way:
        case "switch":
            return switch.switch(hook, not hook.enabled)
        case "copy" | "move" if places:
            return (copy if way == "copy" else move)(hook, chance.choice(places))
        case "restore" if deleted:
            return trash.restore(deleted[0])
        case "listen" if hook.format != "agenthooks":
            return change_event(hook, chance.choice(EVENTS))
        case _:
            return trash.delete(hook, world.project)


@pytest.mark.parametrize("seed", range(6))
def test_undoing_any_changes_restores_every_byte(world: World, seed: int) -> None:
    chance = random.Random(seed)
    for name in FILES:
        world.add(name, chance.choice(list(SPELLINGS)))
    done: list[tuple[dict[str, tuple[int, bytes]], AppliedChange]] = []
    loaded = catalog.load(world.project, tuple(FILES))
    while len(done) < CHANGES:
        before = world.tree()
        try:
            done.append((before, world.do(planned(world, chance.choice(WAYS), chance.choice(loaded.hooks), chance))))
        except ChangeRefusedError:
            assert world.tree() == before
        loaded = catalog.load(world.project, tuple(FILES))
        assert not [one for one in loaded.diagnostics if one.code in BROKEN]
    for before, change in reversed(done):
        world.undo(change)
        assert world.tree() == before, change.plan.title


def test_hook_of_one_azure_agent_moves_to_all_agents_unchanged(world: World) -> None:
    path = world.add("azure")
    text = world.read(path).replace(b"command: ./end.sh", b"command: ./end.sh\n        failMode: block\n        timeout: 7")
    world.write(path, text)
    before, hook = world.tree(), world.called("azure", "end.sh")
    where = next(one for one in targets(hook, world.project) if one.format == "azure")
    plan = move(hook, where)
    change = world.do(plan)
    assert [row.note for row in plan.fields if row.fate != "kept"] == ["keeper: Azure SRE Agent runs it for every agent"]
    (made,) = [one for one in world.hooks("azure") if one.command == "./end.sh"]
    assert (made.scope, made.fail_mode, made.timeout_ms) == ("project", "block", 7000)
    world.undo(change)
    assert world.tree() == before
