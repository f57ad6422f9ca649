"""Entries of TOML files are changed like those of JSON files, and comments and other tables stay as they are."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from hooktui.edit import trash
from hooktui.edit.event_change import change_event
from hooktui.edit.file_entries import remove_entry
from hooktui.edit.form_edit import fill
from hooktui.edit.switch import switch
from hooktui.formats import load

from .world import SPELLINGS

if TYPE_CHECKING:
    from hooktui.core.model import Hook

    from .world import World

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
FILES = {"codex": (".codex/config.toml", CODEX)}
EVERY_HOOK = [("codex", "first"), ("codex", "second"), ("codex", "stop")]


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
        changed = fill(hook, text, field, value)
        again = next(other for other in load(host).fields(changed, _same(changed, hook)) if other.address == field.address)
        assert again.value == value
        assert fill(_same(changed, hook), changed, again, field.value, saved=text) == text


def _same(text: str, hook: Hook) -> Hook:
    """The hook at its place in a changed text."""
    return next(other for other in load(hook.format).parse(text, hook.file, hook.scope).hooks if other.id == hook.id)


def test_removing_the_last_entry_leaves_the_other_tables(world: World) -> None:
    path = added(world, "codex")
    for script in ("first", "second", "stop"):
        remove_entry(world.called("codex", script)).do()
    left = world.read(path).decode()
    assert left.startswith('# the model\nmodel = "x"   # kept\n')
    assert left.endswith("[features]\nhooks = true\n")
    assert "[[hooks" not in left
