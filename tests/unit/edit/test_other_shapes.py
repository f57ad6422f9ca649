"""Files without a `hooks` key (droid) or without groups (Cursor): switching, moving, copying and converting their hooks."""

from __future__ import annotations

import json
from typing import Any

import pytest

from hooktui import formats
from hooktui.core.model import Hook
from hooktui.edit import copy_plan, create_hook
from hooktui.edit.copy_targets import targets
from hooktui.edit.file_steps import ChangeRefusedError
from hooktui.edit.switch import change_event, switch
from tests.new_hooks import draft

from .world import World

DROID, CURSOR = ".factory/hooks.json", ".cursor/hooks.json"
TEXTS = {
    "droid": (DROID, """{
  // mine
  "PreToolUse": [
    {"matcher": "Execute", "hooks": [{"type": "command", "command": "./one.sh", "timeout": 5}]},
    {"hooks": [{"type": "command", "command": "./two.sh"}]}
  ]
}
"""),
    "cursor": (CURSOR, """{
  "version": 1, // needed
  "hooks": {
    "preToolUse": [
      {"command": "./one.sh", "matcher": "Shell", "failClosed": true},
      {"command": "./two.sh"}
    ]
  }
}
"""),
}  # fmt: skip


@pytest.fixture(params=TEXTS)
def host(request: pytest.FixtureRequest, world: World) -> str:
    """A host with its file in the project."""
    name: str = request.param
    path, text = TEXTS[name]
    world.write(world.path(path), text.encode())
    return name


def text_of(world: World, host: str) -> str:
    with open(world.path(TEXTS[host][0]), encoding="utf-8") as file:
        return file.read()


def converted(world: World, hook: Hook, host: str) -> Hook:
    """The copy of a hook in the project's file of another host."""
    target = next(target for target in targets(hook, world.project) if (target.format, target.scope) == (host, "project"))
    plan = copy_plan.copy(hook, target)
    world.do(plan)
    assert plan.result is not None
    return plan.result


@pytest.mark.parametrize("number", [0, 1])
def test_a_switched_off_hook_breaks_nothing_and_comes_back(world: World, host: str, number: int) -> None:
    before = text_of(world, host)
    hook = world.hook(host, number)
    world.do(switch(hook, False))
    found = world.hooks(host)
    assert [one.enabled for one in found].count(False) == 1
    assert all(one.obstacle is None for one in found)
    world.do(switch(next(one for one in found if not one.enabled), True))
    assert text_of(world, host) == before


def test_without_a_record_a_hook_comes_back_too(world: World, host: str) -> None:
    edited = formats.load(host)
    world.do(switch(world.hook(host, 0), False))
    off = next(one for one in world.hooks(host) if not one.enabled)
    world.write(world.path(TEXTS[host][0]), text_of(world, host).replace("./two.sh", "./2.sh").encode())
    off = next(one for one in world.hooks(host) if not one.enabled)
    world.do(switch(off, True))
    found = edited.parse(text_of(world, host), world.path(TEXTS[host][0]), "project").hooks
    assert {one.command for one in found if one.enabled} == {"./one.sh", "./2.sh"}


def test_a_hook_moves_to_another_event(world: World, host: str) -> None:
    after = "PostToolUse" if host == "droid" else "postToolUse"
    world.do(change_event(world.hook(host, 0), after))
    assert {hook.event_as_written for hook in world.hooks(host)} == {after, after.replace("ost", "re")}
    assert all(hook.obstacle is None for hook in world.hooks(host))


def test_conversion_translates_tool_and_event(world: World, host: str) -> None:
    hook = world.hook(host, 0)
    claude = converted(world, hook, "claude")
    assert (claude.event_as_written, claude.tool) == ("PreToolUse", "Bash")
    other = "cursor" if host == "droid" else "droid"
    there = converted(world, claude, other)
    assert (there.event, there.tool, there.obstacle) == (
        "pre-tool-call",
        {"cursor": "^Shell$", "droid": "^Execute$"}[other],
        None,
    )


def test_a_hook_whose_event_is_unknown_is_not_set_aside(world: World) -> None:
    entries = {"userPromptSubmit": [{"command": "./one.sh"}]}
    world.write(world.path(CURSOR), json.dumps({"version": 1, "hooks": entries}).encode())
    with pytest.raises(ChangeRefusedError, match="Cursor has no event userPromptSubmit"):
        switch(world.hook("cursor"), False)


def test_a_new_hook_is_refused_where_its_host_would_not_find_it(world: World) -> None:
    group = {"matcher": "Execute", "hooks": [{"type": "command", "command": "./one.sh"}]}
    world.write(world.path(DROID), json.dumps({"hooks": {"PreToolUse": [group]}}).encode())
    with pytest.raises(ChangeRefusedError, match="would not contain the hook"):
        create_hook.plan(draft(world.project, "guard", "pre-tool-call", "droid"), own=True)


def test_a_new_hook_is_refused_where_it_would_switch_off_others(world: World) -> None:
    group: dict[str, Any] = {"hooks": [{"type": "command", "command": "./mine"}]}
    world.write(world.path(".factory/settings.json"), json.dumps({"hooks": {"Stop": [group]}}).encode())
    world.write(world.path(DROID), b"{}")
    for event, refused in (("pre-agent-turn-stop", True), ("pre-tool-call", False)):
        new = draft(world.project, "guard", event, "droid")
        assert bool(create_hook.refusal(new)) == refused
    with pytest.raises(ChangeRefusedError, match=r"would no longer read the Stop hooks in .*settings.json"):
        create_hook.plan(draft(world.project, "guard", "pre-agent-turn-stop", "droid"), own=False)
