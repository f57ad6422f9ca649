"""A host whose hooks are in a TOML file is connected and disconnected like the others: comments and bytes stay."""

from __future__ import annotations

import tomllib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hooktui import connect, formats
from hooktui.scripts import hooktui_commands

from .world import World, a_world

OWN = "# mine\r\ndefault_model = \"x\"  # kept\r\n\r\n[[hooks]]\r\nevent = 'Stop'\r\ncommand = '''\r\nexit 0'''\r\n"
PARTS = (
    "# note\n",
    "model = 'x'  # kept\n",
    '[[hooks]]\nevent = "PreToolUse"\ncommand = "exit 2"\n',
    "[[hooks]]\n  event = 'Stop'   # mine\n  command = 'echo \"a\\b\"'\n",
    "[[hooks_off]]\nevent = 'Stop'\ncommand = 'off'\n",
    "[other]\nx = 1\n",
    "\n",
)


def is_valid(text: str) -> bool:
    try:
        tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return False
    return True


FILES = st.lists(st.sampled_from(PARTS), max_size=6).map("".join).filter(is_valid)


@settings(deadline=None, max_examples=20)
@given(FILES | st.just(OWN) | st.just("hooks = []\n") | st.just("hooks = [{event='Stop', command='x'}]"), st.booleans())
def test_connect_and_disconnect_leave_the_file_as_it_was(text: str, observe: bool) -> None:
    with a_world() as world:
        own = world.write(world.file("kimi", "user"), text)
        before = world.tree()
        world.connect("kimi", "user", observe=observe)
        assert own.read_bytes().decode().startswith(text.split("hooks")[0].rstrip("[ "))
        assert world.connect("kimi", "user", observe=observe).changes == ()
        world.disconnect("kimi", "user")
        assert world.tree() == before


@settings(deadline=None, max_examples=20)
@given(FILES, st.booleans())
def test_disconnecting_keeps_what_others_have_written_since(text: str, observe: bool) -> None:
    theirs = "\n[[hooks]]\nevent = 'Notification'\ncommand = 'theirs'\n"
    with a_world() as world:
        own = world.write(world.file("kimi", "user"), text)
        world.connect("kimi", "user", observe=observe)
        own.write_bytes(own.read_bytes() + theirs.encode())
        world.forget()
        world.disconnect("kimi", "user")
        assert tomllib.loads(own.read_text()) == tomllib.loads(text + theirs)


def test_each_event_gets_an_entry_that_kimi_accepts(world: World) -> None:
    world.connect("kimi", "user")
    own = world.file("kimi", "user")
    parsed = formats.load("kimi").parse(own.read_text(), str(own), "user")
    assert parsed.diagnostics == ()
    assert [hook.event_as_written for hook in parsed.hooks] == ["SessionStart", "PreToolUse", "Stop"]
    assert all(hook.calls_hooktui and hooktui_commands.runs(hook.command, "kimi") for hook in parsed.hooks)
    (state,) = [state for state in connect.states(str(world.project)) if state.host == "kimi"]
    assert (state.works, state.events, state.scope) == (True, 3, "user")


def test_an_observed_command_is_shown_as_the_user_wrote_it(world: World) -> None:
    world.write(world.file("kimi", "user"), OWN)
    world.connect("kimi", "user", observe=True)
    hooks = formats.load("kimi").discover(str(world.project)).hooks
    (mine,) = [hook for hook in hooks if not hook.calls_hooktui]
    assert (mine.command, mine.unwrapped_text != mine.text) == ("exit 0", True)


def test_a_broken_file_is_refused(world: World) -> None:
    own = world.write(world.file("kimi", "user"), "x = = 1")
    with pytest.raises(connect.RefusedError, match="line 1: invalid value"):
        world.connect("kimi", "user")
    assert own.read_text() == "x = = 1"
