"""The query language: the meaning of each term, on a real log."""

from __future__ import annotations

import contextlib
import os
import sqlite3
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hooktui.log.read.query import FIELDS, QueryError, parse
from hooktui.log.store import database
from tests.log_world import NOON, LogWorld, run

Find = Callable[[str], list[str]]


@pytest.fixture(autouse=True)
def utc(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


@pytest.fixture
def find(tmp_path: Path) -> Find:
    """Query a log of named dispatches; returns the matching names, oldest first."""
    world = LogWorld(str(tmp_path / "log.db"))
    home = os.path.expanduser("~")
    names = {
        world.add("pre-session", session="s1", payload={"model": "swift-1", "note": "prêt à commencer"}): "start",
        world.add(
            tool="Shell",
            decision="deny",
            reason="Dangerous command blocked: rm -rf /",
            payload={"tool_input": {"command": 'cd /tmp && echo "all gone"\nrm -rf /'}},
            runs=[run("block-dangerous", decision="deny"), run("format-py", "skipped", skip="blocked-earlier")],
        ): "denied",
        world.add(
            "post-tool-call", tool="Write", runs=[run("format-py", stdout="3 files reformatted"), run("audit", "timeout")]
        ): "wrote",
        world.add(
            "post-tool-call", tool="Write", session="s10", host="claude", project=f"{home}/src/x", duration_ms=900
        ): "other",
        world.add("Notification", session="run-42", host="claude", project="/home/dev/my app", decision="allow"): "own",
        world.add(
            "pre-agent-turn-stop", session="abc-123", decision="deny", reason="100% of tests_fail", at=NOON + 86400
        ): "gate",
    }

    def ask(text: str) -> list[str]:
        query = parse(text, now=NOON + 60)
        with sqlite3.connect(world.db) as connection:
            found = connection.execute(f"SELECT {query.key} {query.source} ORDER BY {query.key}", query.params)
            return [names[number] for (number,) in found]

    return ask


EVERYTHING = ["start", "denied", "wrote", "other", "own", "gate"]


# Queries, and the names of what they find.
TERMS = [
    ("", EVERYTHING),
    ("   ", EVERYTHING),
    ("event:pre-tool-call", ["denied"]),
    ("event:before_tool", ["denied"]),
    ("event:PreToolUse", ["denied"]),
    ("event:preToolUse", ["denied"]),
    ("EVENT:Stop", ["gate"]),
    ("event:Notification", ["own"]),
    ("event:pre-*", ["start", "denied", "gate"]),
    ("event:Post*Use", ["wrote", "other"]),
    ("event:Notif*", ["own"]),
    ("tool:Write", ["wrote", "other"]),
    ("tool:W*", ["wrote", "other"]),
    ("tool:write", []),
    ('tool:"W*"', []),
    ("-tool:Write", ["start", "denied", "own", "gate"]),
    ("decision:deny", ["denied", "gate"]),
    ("decision:none", ["start", "wrote", "other"]),
    ("decision:a*", ["own"]),
    ("-decision:none", ["denied", "own", "gate"]),
    ("decision:rewrote", []),
    ("state:timeout", ["wrote"]),
    ("state:ok", ["denied", "wrote"]),
    ("state:skipped", ["denied"]),
    ("-state:ok", ["start", "other", "own", "gate"]),
    ("hook:format-py", ["wrote"]),
    ("hook:block-*", ["denied"]),
    ("hook:format-py state:skipped", ["denied"]),
    ("hook:format-py state:timeout", []),
    ("hook:audit state:timeout", ["wrote"]),
    ("hook:audit hook:format-py", ["wrote"]),
    ("-hook:audit state:ok", ["denied"]),
    ("session:s1", ["start", "denied", "wrote"]),
    ("session:abc", ["gate"]),
    ("session:s*", ["start", "denied", "wrote", "other"]),
    ("host:claude", ["other", "own"]),
    ("host:cl*", ["other", "own"]),
    ("project:~/src/x", ["other"]),
    ("project:/home/dev/app/../app", ["start", "denied", "wrote", "gate"]),
    ("project:app", ["start", "denied", "wrote", "gate"]),
    ('project:"my app"', ["own"]),
    ("project:/home/*", ["start", "denied", "wrote", "own", "gate"]),
    ("since:59s", ["denied", "wrote", "other", "own", "gate"]),
    ("until:1m", []),
    ("until:58s", ["start", "denied"]),
    ("since:2026-01-22", ["gate"]),
    ("until:2026-01-21", ["start", "denied", "wrote", "other", "own"]),
    ("since:2026-01-21T12:00:01 until:2026-01-21T12:00:03", ["denied", "wrote"]),
    ("since:1d", EVERYTHING),
    ("since:today", EVERYTHING),
    ("since:Wednesday", EVERYTHING),
    ("until:tue", []),
    ("until:yesterday", []),
    ("slower:200ms", ["other"]),
    ("slower:0.5s", ["other"]),
    ("slower:12", EVERYTHING),
    ("slower:900ms", []),
    ("reformatted", ["wrote"]),
    ("REFORM", ["wrote"]),
    ("formatted", []),
    ('"files reformatted"', ["wrote"]),
    ('"reformatted files"', []),
    ('"rm -rf /"', ["denied"]),
    ('"echo \\"all gone"', []),
    ('"all gone"', ["denied"]),
    ("rm*/", ["denied"]),
    ("100%", ["gate"]),
    ("tests_fail", ["gate"]),
    ("testsXfail", []),
    ("pret", ["start"]),
    ("prêt", ["start"]),
    ('"prêt à"', ["start"]),
    ("dangerous -gone", []),
    ("-dangerous", ["start", "wrote", "other", "own", "gate"]),
    ("--", []),
    ("-", ["start", "denied", "wrote", "other", "gate"]),
    ("event:post-tool-call tool:Write -host:claude", ["wrote"]),
]


@pytest.mark.parametrize(("query", "expected"), TERMS)
def test_term_selects(find: Find, query: str, expected: list[str]) -> None:
    assert find(query) == expected


@pytest.mark.parametrize(
    ("query", "parts"),
    [
        ("evnt:stop", ["evnt:stop", "did you mean event:stop?", *FIELDS]),
        ("http://x", ["http://x", "quote text to search for it"]),
        ("decision:denied", ["decision:denied", "did you mean deny?", "none, allow, ask, deny, stop"]),
        ("state:slow", ["state:slow", "timeout", "skipped"]),
        ("event:pre-tool-cal", ["event:pre-tool-cal", "did you mean pre-tool-call?", "post-session"]),
        ("event:PreToolUs", ["event:PreToolUs", "did you mean"]),
        ("since:yesterdayish", ["since:yesterdayish", "2h", "2026-02-01"]),
        ("until:2026-13-01", ["until:2026-13-01"]),
        ("slower:quick", ["slower:quick", "200ms"]),
        ("tool:", ["tool:", "tool:Shell"]),
        ("tool:Shell -tool:", ["-tool:"]),
    ],
)
def test_invalid_term_is_named_with_the_valid_ones_on_one_line(query: str, parts: list[str]) -> None:
    with pytest.raises(QueryError) as raised:
        parse(query)
    message = str(raised.value)
    assert "\n" not in message
    for part in parts:
        assert part in message


def test_control_characters_of_a_query_stay_out_of_the_error() -> None:
    with pytest.raises(QueryError) as raised:
        parse('tool:x evnt:"a\nb\x1b[31m"')
    assert str(raised.value).isprintable()


@pytest.fixture(scope="module")
def empty_log(tmp_path_factory: pytest.TempPathFactory) -> sqlite3.Connection:
    connection = database.connect(str(tmp_path_factory.mktemp("log") / "log.db"))
    connection.execute("INSERT INTO words (rowid, body) VALUES (1, 'some body')")
    return connection


_PIECES = st.sampled_from(
    [*(f"{name}:" for name in FIELDS), '"', "*", "-", " ", "é", "漢字", "\0", "\\", "%", "'", "NEAR(", "OR ", "AND "]
)


@given(text=st.lists(_PIECES | st.text(max_size=6), max_size=12).map("".join))
def test_any_text_is_a_valid_query_or_a_query_error(empty_log: sqlite3.Connection, text: str) -> None:
    try:
        query = parse(text)
    except QueryError as error:
        assert len(str(error).splitlines()) == 1
        return
    empty_log.execute(f"SELECT {query.key} {query.source}", query.params).fetchall()


@given(
    text=st.text(st.characters(exclude_characters='"', exclude_categories=["C", "Z"]) | st.just(" "), min_size=1, max_size=20)
)
def test_quoted_text_matches_at_the_beginning_of_a_word(text: str) -> None:
    query = parse(f'"{text}"')
    body = f"before {text.encode(errors='replace').decode()} after"
    with contextlib.closing(sqlite3.connect(":memory:")) as connection:
        with open(os.path.join(os.path.dirname(database.__file__), "schema.sql"), encoding="utf-8") as schema:
            connection.executescript(schema.read())
        connection.execute("CREATE TABLE unindexed (id INTEGER PRIMARY KEY)")  # schema-7.sql
        connection.execute("INSERT INTO session (name, host, project, first, last) VALUES ('s', 'h', 'p', 1, 1)")
        columns = "session, event, decision, state, ran, duration_ms, reason"
        connection.execute(f"INSERT INTO dispatch ({columns}) VALUES (1, 'x', 'none', '', '', 1, ?)", (body,))
        connection.execute("INSERT INTO words (rowid, body) VALUES (1, ?)", (body,))
        connection.execute("INSERT INTO content (id, payload) VALUES (1, '{}')")
        assert connection.execute(f"SELECT {query.key} {query.source}", query.params).fetchall() == [(1,)]
