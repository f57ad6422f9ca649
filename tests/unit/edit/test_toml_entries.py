"""Entries of TOML files are changed like those of JSON files, and comments and other tables stay as they are."""

from __future__ import annotations

import re
import shutil

import pytest

from hooktui.core.model import Hook
from hooktui.edit import trash
from hooktui.edit.copy_plan import copy
from hooktui.edit.copy_targets import targets
from hooktui.edit.document import Document
from hooktui.edit.file_entries import remove_entry
from hooktui.edit.new_hook_places import places
from hooktui.edit.switch import change_event, switch
from hooktui.formats import load

from .world import SPELLINGS, World

CODEX = """\
# the model
model = "x"   # kept

[[hooks.PreToolUse]]
matcher = "Bash|apply_patch"

[[hooks.PreToolUse.hooks]]
type = "command"
command = './first.sh'   # the first

# the second
[[hooks.PreToolUse.hooks]]
type = "command"
command = "./second.sh"
timeout = 5

[[hooks.Stop]]
hooks = [{ type = "command", command = "./stop.sh" }]

[features]
hooks = true
"""
KIMI = """\
# the model
default_model = "x"   # kept

[[hooks]]
event = "PreToolUse"   # first
matcher = "Bash"
command = './first.sh'

# the second
[[hooks]]
event = "PreToolUse"
matcher = "Write|Edit"
command = "./second.sh"
timeout = 5

[thinking]
enabled = true
"""
FILES = {"codex": (".codex/config.toml", CODEX), "kimi": ("~/.kimi-code/config.toml", KIMI)}
EVERY_HOOK = [("codex", "first"), ("codex", "second"), ("codex", "stop"), ("kimi", "first"), ("kimi", "second")]


def added(world: World, host: str, spelling: str = "plain") -> str:
    """Write the file of a host; its path."""
    name, text = FILES[host]
    world.write(world.path(name), SPELLINGS[spelling](text))
    return world.path(name)


def names(world: World, host: str) -> dict[str, bool]:
    """The scripts of a host's hooks, and whether they are on."""
    return {(hook.command or "")[2:-3]: hook.enabled for hook in world.hooks(host)}


@pytest.mark.parametrize("spelling", SPELLINGS)
@pytest.mark.parametrize(("host", "script"), EVERY_HOOK)
def test_switching_off_and_on_restores_every_byte(world: World, host: str, script: str, spelling: str) -> None:
    path = added(world, host, spelling)
    before, everything = world.read(path), names(world, host)
    change = world.do(switch(world.called(host, script), False))
    assert names(world, host) == everything | {script: False}
    world.undo(change)
    assert world.read(path) == before
    world.do(switch(world.called(host, script), False))
    world.do(switch(world.called(host, script), True))
    assert world.read(path) == before


def test_the_only_hook_of_a_group_can_be_turned_on_again(world: World) -> None:
    path = world.path(".codex/config.toml")
    world.write(path, b'[[hooks.Stop]]\n\n[[hooks.Stop.hooks]]\ntype = "command"\ncommand = "./only.sh"\n')
    before = world.read(path)
    world.do(switch(world.hook("codex"), False))
    assert names(world, "codex") == {"only": False}
    shutil.rmtree(world.path("~/.local/state"))
    world.do(switch(world.hook("codex"), True))
    assert world.read(path) == before


@pytest.mark.parametrize(("host", "script"), EVERY_HOOK)
def test_a_deleted_entry_takes_its_lines_along_and_undo_restores_them(world: World, host: str, script: str) -> None:
    path = added(world, host)
    before, everything = world.read(path), names(world, host)
    change = world.do(trash.delete(world.called(host, script), world.project))
    assert list(names(world, host)) == [name for name in everything if name != script]
    assert b"# the model" in world.read(path)
    world.undo(change)
    assert world.read(path) == before


@pytest.mark.parametrize(("host", "script"), EVERY_HOOK)
def test_an_entry_moves_to_another_event(world: World, host: str, script: str) -> None:
    path = added(world, host)
    everything = names(world, host)
    hook = world.called(host, script)
    world.do(change_event(hook, "SubagentStop"))
    moved = world.called(host, script)
    assert (moved.event_as_written, moved.tool, moved.timeout_ms) == ("SubagentStop", None, hook.timeout_ms)
    assert sorted(names(world, host)) == sorted(everything)
    assert b"# kept" in world.read(path)


@pytest.mark.parametrize(("host", "script"), EVERY_HOOK)
def test_every_field_of_the_form_is_set_and_set_back(world: World, host: str, script: str) -> None:
    path = added(world, host)
    text = world.read(path).decode()
    hook = world.called(host, script)
    for field in load(host).fields(text, hook):
        if field.moves or field.kind == "choice":
            continue
        value: object = {"text": 'a "b" \\ é', "regex": "^x$", "number": 7, "flag": True}[field.kind]
        changed = Document.of(hook, text).fill(field, value).text
        again = next(other for other in load(host).fields(changed, _same(changed, hook)) if other.path == field.path)
        assert again.value == value
        assert Document.of(hook, changed).fill(again, field.value, saved=text).text == text


def _same(text: str, hook: Hook) -> Hook:
    """The hook at its place in a changed text."""
    return next(other for other in load(hook.format).parse(text, hook.file, hook.scope).hooks if other.id == hook.id)


@pytest.mark.parametrize("source", ["agenthooks", "claude", "copilot"])
def test_a_hook_is_converted_to_an_entry_that_kimi_accepts(world: World, source: str) -> None:
    path = added(world, "kimi")
    world.add(source)
    world.write(world.path("first.sh"), b"#!/bin/sh\nexit 2\n")
    hook = world.hook(source)
    plan = copy(hook, next(one for one in targets(hook, world.project) if one.format == "kimi"))
    change = world.do(plan)
    assert world.read(path).startswith(KIMI[: KIMI.index("[thinking]")].rstrip().encode())
    parsed = load("kimi").parse(world.read(path).decode(), path, "user")
    assert [problem.code for problem in parsed.diagnostics] == []
    made = parsed.hooks[-1]
    assert (made.event, made.timeout_ms) == ("pre-tool-call", -(-hook.timeout_ms // 1000) * 1000)
    assert {tool: bool(re.search(made.tool or "", tool)) for tool in ("Bash", "Edit", "BashOutput", "Read")} == {
        "Bash": True,
        "Edit": source == "claude",
        "BashOutput": False,
        "Read": False,
    }
    world.undo(change)
    assert world.read(path) == KIMI.encode()


@pytest.mark.parametrize("target", ["agenthooks", "claude", "codex", "azure"])
def test_a_hook_of_kimi_is_converted_to_other_hosts(world: World, target: str) -> None:
    added(world, "kimi")
    world.write(world.path("first.sh"), b"#!/bin/sh\nexit 2\n")
    hook = world.called("kimi", "first")
    plan = copy(hook, next(one for one in targets(hook, world.project) if one.format == target))
    world.do(plan)
    assert plan.result is not None
    assert (plan.result.format, plan.result.event) == (target, "pre-tool-call")
    assert plan.result.tool == ("^Shell$" if target == "agenthooks" else "Bash")


def test_a_hook_is_copied_within_kimi_as_it_is_written(world: World) -> None:
    added(world, "kimi")
    place = next(place for place in places(world.project) if place.format == "kimi")
    assert (place.scope, place.shown) == ("user", "~/.kimi-code/config.toml")
    hook = world.called("kimi", "second")
    world.do(copy(hook, place.target("second")))
    again = world.hooks("kimi")[-1]
    assert (again.command, again.tool, again.timeout_ms) == (hook.command, hook.tool, hook.timeout_ms)


def test_removing_the_last_entry_leaves_the_other_tables(world: World) -> None:
    path = added(world, "codex")
    for script in ("first", "second", "stop"):
        remove_entry(world.called("codex", script)).do()
    left = world.read(path).decode()
    assert left.startswith('# the model\nmodel = "x"   # kept\n')
    assert left.endswith("[features]\nhooks = true\n")
    assert "[[hooks" not in left
