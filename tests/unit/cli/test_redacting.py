"""`hooktui redact` shows what the log would store."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing

from hooktui.runner.redaction import MARK
from tests.command_world import CommandWorld


def test_redact_shows_the_stored_text_and_stores_nothing(world: CommandWorld) -> None:
    ended = world.run("redact", stdin="DB_PASSWORD=hunter2hunter2 make\n")
    assert ended.stdout == f"DB_PASSWORD={MARK} make\n"
    assert ended.stderr == "1 redacted\n"
    assert not world.db.parent.exists()


def test_redact_shows_an_event_as_its_payload(world: CommandWorld) -> None:
    (world.project / "event.json").write_text(json.dumps({"tool_input": {"password": "x", "path": "/a"}}))
    shown = world.run("redact", "event.json", "--json").json()
    assert shown["redacted"] == 1
    assert json.loads(shown["text"]) == {"tool_input": {"password": MARK, "path": "/a"}}


def test_redact_agrees_with_the_log(world: CommandWorld) -> None:
    given = {"passwords": {"prod": "x"}, "pin": 1234, "content": "y" * 300_000, "json": '{"Cookie": "abc"}'}
    event = {"event_type": "pre-tool-call", "session_id": "s", "work_dir": str(world.project), "tool_input": given}
    shown = json.loads(world.run("redact", "--json", stdin=json.dumps(event)).json()["text"])
    world.run("run", stdin=json.dumps(event))
    with closing(sqlite3.connect(world.stored())) as connection:
        ((stored,),) = connection.execute("SELECT payload FROM content")
    assert shown == json.loads(stored)
    assert (shown["tool_input"]["passwords"], shown["tool_input"]["pin"]) == ({"prod": MARK}, MARK)


def test_redact_applies_configured_and_given_patterns(world: CommandWorld) -> None:
    assert world.run("redact", stdin="badge 12-34").stderr.startswith("nothing to redact")
    assert world.run("redact", "--pattern", r"\d\d-\d\d", stdin="badge 12-34").stdout == f"badge {MARK}\n"
    world.configure("[log]\nredact = ['\\d\\d-\\d\\d']\n")
    assert world.run("redact", stdin="badge 12-34").stdout == f"badge {MARK}\n"


def test_invalid_pattern_is_reported(world: CommandWorld) -> None:
    assert "--pattern (" in world.run("redact", "--pattern", "(", stdin="x", code=2).stderr


def test_escape_sequences_are_made_visible(world: CommandWorld) -> None:
    assert "\x1b" not in world.run("redact", stdin="\x1b[31mred\x1b[0m").stdout
