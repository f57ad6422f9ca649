"""Before a hook's directory is deleted or moved, the hooks of any format and scope that run scripts in it are known."""

from __future__ import annotations

import json
import os

import pytest

from hooktui.catalog import catalog
from hooktui.edit.copy_plan import copy, move
from hooktui.edit.copy_targets import broken_by_move, callers, remaining_scripts, targets

from .world import World

INSIDE = ".agents/hooks/guard/scripts/run.sh"
FILES = {
    "~/.claude/settings.json": {"Stop": [{"hooks": [{"type": "command", "command": "cd ~/shop && sh INSIDE"}]}]},
    ".claude/settings.local.json": {"Stop": [{"hooks": [{"type": "command", "command": "bash", "args": ["FULL"]}]}]},
    ".github/hooks/a.json": {"Stop": [{"type": "command", "command": "jq -e .x && ./INSIDE"}]},
    ".github/hooks/b.json": {"preToolUse": [{"type": "command", "bash": "f() { INSIDE; }; f"}]},
    ".github/hooks/c.json": {"Stop": [{"type": "command", "command": "cat INSIDE .agents/hooks/guards/run.sh"}]},
}
AZURE = """
kind: GlobalHook
metadata: {name: z}
spec:
  eventType: Stop
  hook: {type: command, command: ./INSIDE, failMode: block}
"""


def furnish(world: World) -> None:
    world.add("agenthooks")
    written = {**{name: json.dumps({"hooks": hooks}) for name, hooks in FILES.items()}, "azuresre/z.yaml": AZURE}
    for name, text in written.items():
        world.write(world.path(name), text.replace("INSIDE", INSIDE).replace("FULL", world.path(INSIDE)).encode())
    os.makedirs(world.path("~/.config/agents/hooks"))
    os.symlink(world.path(".agents/hooks/guard"), world.path("~/.config/agents/hooks/linked"))


def test_hooks_of_every_format_and_scope_that_run_a_script_of_it_are_found(world: World) -> None:
    furnish(world)
    hook = next(one for one in world.hooks("agenthooks") if one.scope == "project")
    needed = callers(hook, catalog.load(world.project).hooks)
    assert {(one.hook.format, one.hook.scope) for one in needed} == {
        *(("claude", "user"), ("claude", "local"), ("vscode", "project"), ("copilot", "project"), ("azure", "project")),
        ("agenthooks", "user"),
    }
    assert {one.script for one in needed if one.hook.format != "agenthooks"} == {world.path(INSIDE)}
    text = " ".join(one.consequence for one in needed)
    assert "run.sh (VS Code, project: ~/shop/.github/hooks/a.json) runs run.sh, and allows everything" in text
    assert "run.sh (Copilot CLI, project: ~/shop/.github/hooks/b.json) runs run.sh, and denies everything" in text
    assert "z (Azure SRE Agent, project: ~/shop/azuresre/z.yaml) runs run.sh, and denies everything" in text


def test_a_link_to_a_directory_can_go_without_harm(world: World) -> None:
    furnish(world)
    linked = next(one for one in world.hooks("agenthooks") if one.scope == "user")
    assert callers(linked, catalog.load(world.project).hooks) == []


def test_only_a_move_takes_the_directory_away(world: World) -> None:
    furnish(world)
    os.unlink(world.path("~/.config/agents/hooks/linked"))
    (hook,) = world.hooks("agenthooks")
    where = next(one for one in targets(hook, world.project) if one.format == "agenthooks")
    hooks = catalog.load(world.project).hooks
    assert len(broken_by_move(move(hook, where), hooks)) == 5
    assert broken_by_move(copy(hook, where), hooks) == []


@pytest.mark.parametrize("format_name", ["claude", "vscode", "copilot", "azure"])
def test_a_converted_hook_needs_nothing_of_the_original_and_leaves_its_own_script(world: World, format_name: str) -> None:
    world.add("agenthooks")
    (hook,) = world.hooks("agenthooks")
    world.do(copy(hook, next(one for one in targets(hook, world.project) if one.format == format_name)))
    assert callers(hook, catalog.load(world.project).hooks) == []
    left = [os.path.basename(name) for name in remaining_scripts(world.hook(format_name))]
    assert left == ([] if format_name == "azure" else ["guard.sh", "run.sh"])
