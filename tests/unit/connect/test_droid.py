"""Connecting Factory droid switches off none of the user's own hooks."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from hooktui import connect, formats

from .world import World

OWN = [{"hooks": [{"type": "command", "command": "./mine"}]}]


def own_hooks(world: World) -> list[tuple[str, bool]]:
    """The event of each of the user's own hooks, and whether droid reads it."""
    hooks = formats.load("droid").discover(str(world.project)).hooks
    return [(hook.event_as_written, hook.enabled) for hook in hooks if not hook.calls_hooktui]


def factory(world: World, name: str) -> Path:
    return world.project / ".factory" / name


def test_a_new_file_has_the_events_at_the_top(world: World) -> None:
    world.connect("droid")
    assert list(json.loads(factory(world, "hooks.json").read_text())) == ["SessionStart", "PreToolUse", "Stop"]


def test_hooks_in_the_settings_get_our_entries_beside_them(world: World) -> None:
    settings = world.write(factory(world, "settings.json"), json.dumps({"hooks": {"PreToolUse": OWN}}))
    before = settings.read_bytes()
    world.connect("droid")
    assert not factory(world, "hooks.json").exists()
    assert own_hooks(world) == [("PreToolUse", True)]
    world.disconnect("droid")
    assert settings.read_bytes() == before


def test_an_event_that_only_the_settings_have_stays_there(world: World) -> None:
    settings = world.write(factory(world, "settings.json"), json.dumps({"hooks": {"Stop": OWN}}))
    hooks = world.write(factory(world, "hooks.json"), json.dumps({"PreToolUse": OWN}))
    before = settings.read_bytes(), hooks.read_bytes()
    world.connect("droid")
    assert sorted(own_hooks(world)) == [("PreToolUse", True), ("Stop", True)]
    states = connect.states(str(world.project))
    assert sorted((state.events, state.why) for state in states) == [(1, ""), (2, "")]
    world.disconnect("droid")
    assert (settings.read_bytes(), hooks.read_bytes()) == before


def test_settings_without_hooks_stay_as_they_are(world: World) -> None:
    settings = world.write(factory(world, "settings.json"), '{"model": "x"}')
    world.connect("droid")
    assert settings.read_text() == '{"model": "x"}'
    assert factory(world, "hooks.json").exists()


def test_a_file_that_droid_ignores_gets_no_entries(world: World) -> None:
    hooks = world.write(factory(world, "hooks.json"), json.dumps({"hooks": {"PreToolUse": OWN}}))
    before = hooks.read_bytes()
    with pytest.raises(connect.RefusedError, match="its events are inside hooks: run `hooktui check --fix` first"):
        world.connect("droid")
    assert hooks.read_bytes() == before
