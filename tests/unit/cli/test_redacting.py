"""`hooktui redact`: what the log would keep, shown before anything is stored."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from hooktui.redact import MARK

if TYPE_CHECKING:
    from tests.command_world import CommandWorld


def test_it_shows_what_would_be_stored_and_stores_nothing(world: CommandWorld) -> None:
    ended = world.run("redact", stdin="DB_PASSWORD=hunter2hunter2 make\n")
    assert ended.stdout == f"DB_PASSWORD={MARK} make\n"
    assert ended.stderr == "1 redacted\n"
    assert not world.db.parent.exists()


def test_an_event_is_shown_as_its_payload_would_be(world: CommandWorld) -> None:
    (world.project / "event.json").write_text(json.dumps({"tool_input": {"password": "x", "path": "/a"}}))
    shown = world.run("redact", "event.json", "--json").json()
    assert shown["redacted"] == 1
    assert json.loads(shown["text"]) == {"tool_input": {"password": MARK, "path": "/a"}}


def test_own_patterns_count_and_can_be_tried_before_they_are_configured(world: CommandWorld) -> None:
    assert world.run("redact", stdin="badge 12-34").stderr.startswith("nothing to redact")
    assert world.run("redact", "--pattern", r"\d\d-\d\d", stdin="badge 12-34").stdout == f"badge {MARK}\n"
    config = world.home / ".config/hooktui/config.toml"
    config.parent.mkdir(parents=True)
    config.write_text("[log]\nredact = ['\\d\\d-\\d\\d']\n")
    assert world.run("redact", stdin="badge 12-34").stdout == f"badge {MARK}\n"


def test_a_pattern_that_is_no_regex_is_named(world: CommandWorld) -> None:
    assert "--pattern (" in world.run("redact", "--pattern", "(", stdin="x", code=2).stderr


def test_escape_sequences_are_made_visible(world: CommandWorld) -> None:
    assert "\x1b" not in world.run("redact", stdin="\x1b[31mred\x1b[0m").stdout
