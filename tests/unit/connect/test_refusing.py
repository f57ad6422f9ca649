"""A file that cannot be changed safely is refused with a reason, and nothing changes."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from hooktui import connect
from hooktui.connect import SITES, RefusedError
from hooktui.formats import documents

from .world import World


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "the file is empty"),
        ('{\n  "hooks": {\n}', "line 3: .* not closed"),
        ('{"model": x}', "line 1: x is not a JSON value"),
        ("[]", "must contain a JSON object"),
        ('{"hooks": []}', "no index"),
        ('{"hooks": null}', "no object or list at /hooks"),
        ('{"hooks": {"Stop": {}}}', "Stop must be a list"),
        ('{"hooks": {}, "hooks": {}}', "duplicate key"),
    ],
)
def test_a_file_without_room_for_our_entries_is_refused(world: World, text: str, message: str) -> None:
    world.write(world.file("claude"), text)
    before = world.tree()
    with pytest.raises(RefusedError, match=rf"settings\.json.*{message}"):
        world.connect("claude", "project", "Stop")
    assert world.tree() == before


@pytest.mark.parametrize("host", ["vscode", "copilot", "claude"])
def test_hooks_below_a_key_that_is_given_twice_are_not_observed(world: World, host: str) -> None:
    entries = [{"type": "command", "command": "x"}, {"type": "command", "command": "y"}]
    first, second = (json.dumps([{"hooks": [entry]} if host == "claude" else entry]) for entry in entries)
    file = world.file("claude") if host == "claude" else world.project / ".github/hooks/d.json"
    version = '"version": 1, ' if host == "copilot" else ""
    world.write(file, f'{{{version}"hooks": {{"Stop": {first}, "Stop": {second}}}}}')
    before = world.tree()
    with pytest.raises(RefusedError, match=rf"{file.name} cannot be edited: duplicate key Stop"):
        world.connect(host, observe=True)
    assert world.tree() == before


def test_a_file_that_is_not_utf_8_is_refused(world: World) -> None:
    own = world.write(world.file("claude"), "{}")
    own.write_bytes(b'{"a": "\xff"}')
    with pytest.raises(RefusedError, match="not UTF-8: byte 7"):
        world.connect("claude")


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (os.mkdir, "not a regular file"),
        (os.mkfifo, "not a regular file"),
        (partial(os.symlink, "nowhere"), "broken link"),
    ],
)
def test_a_path_that_is_not_a_file_is_refused(world: World, make: Callable[[Path], None], message: str) -> None:
    own = world.file("claude")
    own.parent.mkdir()
    make(own)
    with pytest.raises(RefusedError, match=message):
        world.connect("claude")


def test_a_file_that_grew_too_large_is_refused(world: World) -> None:
    world.write(world.file("claude"), "{}" + " " * (1 << 20))
    with pytest.raises(RefusedError, match="exceed the size limit of a hook file"):
        world.connect("claude")


def test_disconnect_refuses_a_connected_file_that_has_become_invalid(world: World) -> None:
    world.connect("claude")
    own = world.file("claude")
    own.write_text(own.read_text() + "}")
    before = world.tree()
    with pytest.raises(RefusedError, match="cannot be read as JSON"):
        world.disconnect("claude")
    assert world.tree() == before


def test_a_linked_file_stays_a_link_and_its_target_changes(world: World) -> None:
    target = world.write(world.home / "dotfiles/settings.json", "{}\n")
    target.chmod(0o640)
    own = world.file("claude")
    own.parent.mkdir()
    own.symlink_to(target)
    world.connect("claude")
    assert own.is_symlink()
    assert "/hooktui/hook claude" in target.read_text()
    assert target.stat().st_mode & 0o777 == 0o640
    world.disconnect("claude")
    assert own.is_symlink()
    assert target.read_text() == "{}\n"


def test_a_file_that_changes_after_the_plan_was_made_is_not_overwritten(world: World) -> None:
    own = world.write(world.file("claude"), "{}")
    plan = connect.connect("claude", "project", str(world.project), SITES["claude"].events())
    own.write_text('{"theirs": 1}')
    with pytest.raises(documents.ChangedError, match="has changed in the meantime"):
        connect.carry_out(plan)
    assert own.read_text() == '{"theirs": 1}'


def test_when_the_last_thing_cannot_be_written_the_first_is_put_back(world: World) -> None:
    world.write(world.file("claude"), "{}")
    (world.home / ".local").write_text("no directory, so nothing can be remembered")
    before = world.tree()
    with pytest.raises(OSError):
        world.connect("claude")
    assert world.tree() == before


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everything")
def test_a_read_only_file_is_not_replaced(world: World) -> None:
    own = world.write(world.file("claude"), "{}")
    own.chmod(0o444)
    with pytest.raises(PermissionError):
        world.connect("claude")
    assert own.read_text() == "{}"


def test_a_broken_memory_is_no_obstacle(world: World) -> None:
    own = world.write(world.file("claude"), '{"a": 1}\n')
    world.connect("claude")
    memory: Path = world.home / ".local/state/hooktui/connections.json"
    for content in ("", "[]", '{"claude": 3}', json.dumps({"claude": {str(own): {"before": 1}}})):
        memory.write_text(content)
        assert world.connect("claude").changes == ()
    world.disconnect("claude")
    assert own.read_text() == '{"a": 1}\n'


def test_the_memory_is_for_its_owner_alone(world: World) -> None:
    """It holds whole settings files, which may hold secrets."""
    world.connect("claude")
    memory: Path = world.home / ".local/state/hooktui/connections.json"
    assert memory.stat().st_mode & 0o777 == 0o600
    assert memory.parent.stat().st_mode & 0o777 == 0o700
