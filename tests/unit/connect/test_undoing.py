"""`disconnect` undoes `connect` to the byte, whatever the file contained and however it has changed since."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hooktui.connect import SITES
from hooktui.formats.json_hooks import json_edit

from .settings_files import settings_texts
from .world import World, a_world, value_of

HOSTS = sorted(SITES)
WITH_ENTRIES = sorted(name for name, site in SITES.items() if site.path(site.scopes[0]).endswith(".json"))
PROPERTY = settings(deadline=None, max_examples=20)
ANY_FILE = st.sampled_from(WITH_ENTRIES).flatmap(lambda host: st.tuples(st.just(host), settings_texts(host)))


@PROPERTY
@given(ANY_FILE, st.booleans(), st.sampled_from(["project", "user"]))
def test_connect_and_disconnect_leave_every_file_as_it_was(file: tuple[str, str], observe: bool, scope: str) -> None:
    host, text = file
    with a_world() as world:
        world.write(world.file(host, scope), text)  # type: ignore[arg-type]  # sampled from the literals
        before = world.tree()
        world.connect(host, scope, observe=observe)  # type: ignore[arg-type]
        assert world.tree() != before
        world.disconnect(host, scope)  # type: ignore[arg-type]
        assert world.tree() == before


@PROPERTY
@given(ANY_FILE, st.booleans(), st.sampled_from(["// theirs\n{}", "{} // theirs", "{}\n\n/* theirs */", "\n{}"]))
def test_disconnecting_keeps_edits_made_elsewhere_in_the_file(file: tuple[str, str], observe: bool, edit: str) -> None:
    host, text = file
    with a_world() as world:
        own = world.write(world.file(host), text)
        world.connect(host, observe=observe)
        own.write_bytes(_framed(own.read_bytes().decode(), edit).encode())
        world.disconnect(host)
        assert own.read_bytes().decode() == _framed(text, edit)


@pytest.mark.parametrize("observe", [False, True])
def test_disconnecting_leaves_no_comma_that_a_strict_host_rejects(world: World, observe: bool) -> None:
    own = world.write(world.file("gemini"), "{\n}\n")
    world.connect("gemini", observe=observe)
    own.write_text(own.read_text().replace("{", '{\n  "theirs": 1,', 1))
    world.disconnect("gemini")
    assert json.loads(own.read_text()) == {"theirs": 1}


@PROPERTY
@given(ANY_FILE, st.booleans(), st.sampled_from([("theirs",), ("hooks", "PreCompact"), ("hooks", "Stop", 0)]))
def test_values_of_others_stay_anywhere_in_the_file(file: tuple[str, str], observe: bool, path: tuple[str | int, ...]) -> None:
    host, text = file
    group = {"hooks": [{"type": "command", "command": "theirs"}]}
    theirs = group if path[-1] == 0 else [group]
    with a_world() as world:
        own = world.write(world.file(host), text)
        world.connect(host, observe=observe)
        own.write_bytes(json_edit.put(own.read_bytes().decode(), path, theirs).encode())
        world.disconnect(host)
        left = value_of(own.read_bytes().decode())
        assert _without_empty(left) == _without_empty(value_of(json_edit.put(text, path, theirs)))


@PROPERTY
@given(ANY_FILE, st.booleans())
def test_disconnecting_works_without_memory(file: tuple[str, str], observe: bool) -> None:
    host, text = file
    with a_world() as world:
        own = world.write(world.file(host), text)
        world.connect(host, observe=observe)
        world.forget()
        world.disconnect(host)
        left = value_of(own.read_bytes().decode()) if own.exists() else value_of(SITES[host].spec.entry.blank)
        assert _without_empty(left) == _without_empty(value_of(text))


@PROPERTY
@given(ANY_FILE, st.booleans())
def test_connecting_again_finds_nothing_to_do(file: tuple[str, str], observe: bool) -> None:
    host, text = file
    with a_world() as world:
        world.write(world.file(host), text)
        world.connect(host, observe=observe)
        assert world.connect(host, observe=observe).changes == ()


@PROPERTY
@given(ANY_FILE)
def test_connecting_again_replaces_the_entries(file: tuple[str, str]) -> None:
    host, text = file
    first, second = SITES[host].events()[:2]
    with a_world() as world:
        own = world.write(world.file(host), text)
        before = world.tree()
        world.connect(host, "project", first)
        world.connect(host, "project", second)
        written = own.read_bytes().decode()
        assert written.count("/hooktui/hook ") == 1
        assert " -- " not in written
        world.disconnect(host)
        assert world.tree() == before


@pytest.mark.parametrize(
    ("host", "scope"), [(host, scope) for host in HOSTS for scope in ("project", "user") if scope in SITES[host].scopes]
)
def test_a_file_and_directories_that_were_not_there_are_gone_again(world: World, host: str, scope: str) -> None:
    world.connect(host, scope)  # type: ignore[arg-type]
    assert world.file(host, scope).exists()  # type: ignore[arg-type]
    world.disconnect(host, scope)  # type: ignore[arg-type]
    assert world.tree() == {}


def test_a_directory_that_others_have_started_to_use_stays(world: World) -> None:
    world.connect("vscode")
    theirs = world.write(world.file("vscode").with_name("theirs.json"), "{}")
    world.disconnect("vscode")
    assert [path for path, content in world.tree().items() if content is not None] == [str(theirs)]


def test_entries_of_others_in_our_file_stay(world: World) -> None:
    world.connect("claude")
    own = world.file("claude")
    own.write_text(json_edit.put(own.read_text(), ("model",), "theirs"))
    world.disconnect("claude")
    assert json.loads(own.read_text()) == {"model": "theirs"}


def test_a_comment_in_a_file_that_we_made_stays(world: World) -> None:
    world.connect("claude")
    own = world.file("claude")
    own.write_text("// theirs\n" + own.read_text())
    world.disconnect("claude")
    assert own.read_text() == "// theirs\n{}\n"


def test_a_hook_added_next_to_ours_stays_with_its_comment(world: World) -> None:
    world.connect("vscode", "project", "Stop")
    own = world.file("vscode")
    theirs = '      // theirs\n      {"type": "command", "command": "true"}\n'
    own.write_text(own.read_text().replace("      }\n    ]", "      },\n" + theirs + "    ]"))
    world.disconnect("vscode")
    assert own.read_text() == '{\n  "hooks": {\n    "Stop": [\n' + theirs + "    ]\n  }\n}\n"


def test_a_group_that_has_got_another_hook_stays(world: World) -> None:
    world.connect("claude", "project", "Stop")
    own = world.file("claude")
    own.write_text(json_edit.put(own.read_text(), ("hooks", "Stop", 0, "hooks", "-"), {"type": "command", "command": "x"}))
    world.disconnect("claude")
    left = {"matcher": "*", "hooks": [{"type": "command", "command": "x"}]}
    assert json.loads(own.read_text()) == {"hooks": {"Stop": [left]}}


def test_a_file_that_was_removed_meanwhile_is_not_made_again(world: World) -> None:
    world.connect("claude")
    world.file("claude").unlink()
    world.disconnect("claude")
    assert world.tree() == {}


@pytest.mark.parametrize("interpreter", ["/old/venv/bin/python", "'/o l d/bin/python3'"])
def test_entries_of_an_interpreter_that_moved_are_replaced(world: World, interpreter: str) -> None:
    theirs = '{"hooks": {"Stop": [{"type": "command", "command": "true"}]}}'
    old = f', {{"type": "command", "command": "{interpreter} -I -m hooktui run --host vscode"}}]}}}}'
    own = world.write(world.file("vscode"), theirs.removesuffix("]}}") + old)
    world.connect("vscode", "project", "Stop")
    assert interpreter not in own.read_text()
    assert own.read_text().count("/hooktui/hook vscode") == 1
    world.disconnect("vscode")
    assert own.read_text() == theirs


def _without_empty(value: object) -> object:
    """The value without empty lists and objects."""
    if isinstance(value, dict):
        inner = {key: _without_empty(one) for key, one in value.items()}
        return {key: one for key, one in inner.items() if one not in ({}, [])}
    return [_without_empty(one) for one in value] if isinstance(value, list) else value


def _framed(text: str, edit: str) -> str:
    """Text of another program around the object of a file, after its byte order mark."""
    mark = text[: len(text) - len(text.removeprefix("\ufeff"))]
    return mark + edit.replace("{}", text.removeprefix("\ufeff"))
