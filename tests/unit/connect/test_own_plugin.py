"""A host without hook files gets a plugin of ours."""

from __future__ import annotations

import json
import re

import pytest

from hooktui import connect, formats
from hooktui.connect import RefusedError
from hooktui.core.paths import launcher

from .world import World

HOST = "opencode"


def constant(text: str, name: str) -> object:
    """The value of a constant in the plugin."""
    match = re.search(rf"^const {name} = (.*)$", text, re.MULTILINE)
    assert match
    return json.loads(match[1])


def test_the_plugin_calls_hooktui_and_is_listed_as_its_connection(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(world.home / 'a "quoted" $place'))
    world.connect(HOST, "project", "PreToolUse", "Stop")
    text = world.file(HOST).read_text()
    assert constant(text, "COMMAND") == [launcher(), HOST]
    assert constant(text, "EVENTS") == ["PreToolUse", "Stop"]
    listed = formats.load(HOST).discover(str(world.project)).hooks
    assert [(hook.event, hook.calls_hooktui, bool(hook.read_only)) for hook in listed] == [
        ("pre-tool-call", True, True),
        ("pre-agent-turn-stop", True, True),
    ]
    (state,) = connect.states(str(world.project))
    assert (state.works, state.events, state.line) == (True, 2, listed[0].line)


def test_the_plugins_of_the_project_and_of_the_user_are_no_repeated_connection(world: World) -> None:
    world.connect(HOST)
    world.connect(HOST, "user")
    assert [state.why for state in connect.states(str(world.project))] == ["", ""]


def test_a_connection_without_launcher_does_not_work(world: World) -> None:
    world.connect(HOST)
    (world.home / ".local/share/hooktui/hook").unlink()
    (state,) = connect.states(str(world.project))
    assert not state.works
    assert connect.remedy(state) == "hooktui connect opencode --scope project"


def test_an_edited_plugin_is_replaced_and_deleted_all_the_same(world: World) -> None:
    world.connect(HOST)
    path = world.file(HOST)
    path.write_text(path.read_text().replace("900", "9"))
    assert world.connect(HOST).visible
    path.write_text(path.read_text().replace("900", "9"))
    world.disconnect(HOST)
    assert world.tree() == {}


def test_a_file_of_somebody_else_is_neither_replaced_nor_deleted(world: World) -> None:
    path = world.write(world.file(HOST), "export const Mine = async () => ({})\n")
    with pytest.raises(RefusedError, match="is not hooktui's"):
        world.connect(HOST)
    world.disconnect(HOST)
    assert path.read_text() == "export const Mine = async () => ({})\n"
    assert formats.load(HOST).discover(str(world.project)).hooks == ()
