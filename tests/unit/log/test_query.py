"""Queries: the meaning of each term on a real log, search in texts, results while events arrive, and completion."""

from __future__ import annotations

import contextlib
import os
import sqlite3
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import closing

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hooktui.log.read.query import FIELDS, QueryError, joined, parse
from hooktui.log.read.reader import LogReader
from hooktui.log.read.search import SearchResults
from hooktui.log.store import database
from tests.log_world import NOON, LogWorld, LogWriter, run
from tests.unit.log.tampering import downgrade

Find = Callable[[str], list[str]]
Values = Callable[..., Awaitable[list[str]]]


@pytest.fixture(autouse=True)
def utc(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


@pytest.fixture(scope="module")
def find(tmp_path_factory: pytest.TempPathFactory) -> Find:
    """Query a log of named dispatches; returns the matching names, oldest first."""
    world = LogWorld(str(tmp_path_factory.mktemp("queries") / "log.db"))
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
        ("evnt:stop", ["unknown field evnt", "did you mean event:stop?", *FIELDS]),
        ("http://x", ["unknown field http", "quote text to search for it"]),
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


async def search(reader: LogReader, text: str) -> list[int]:
    return list(await reader.newest(parse(text)))


async def test_outputs_and_payloads_are_searched_together(log: LogWorld, reader: LogReader) -> None:
    match = log.add(payload={"k": "reformat"}, runs=[run("a", stdout="three files"), run("b", stderr="a warning")])
    log.add(payload={"k": "three"})
    assert await search(reader, "reformat three warn") == [match]
    assert await search(reader, '"three files" reformat') == [match]


async def test_output_of_an_async_hook_is_searched(log: LogWorld, reader: LogReader) -> None:
    started = run("notify", "started")
    number = log.add(payload={"k": "message"}, runs=[started])
    log.end(started.replace(id=number + 1, state="ok", stdout="message delivered"), number, 0)
    assert await search(reader, "delivered") == [number]
    assert await search(reader, "message") == [number]


async def test_prefix_of_many_words_is_found(log: LogWorld, reader: LogReader) -> None:
    numbers = [log.add(payload={"k": f"module{number:03}"}) for number in range(40)]
    assert await search(reader, "modu") == numbers[::-1]
    assert await search(reader, "MODULE03") == numbers[39:29:-1]
    assert await search(reader, "odule") == []


async def test_outputs_of_an_older_log_are_found_after_its_upgrade(log: LogWorld, reader: LogReader) -> None:
    older = log.add(payload={"k": "C:\\temp\nmkdir"}, runs=[run("a", stdout="three files", reason="why not")])
    with closing(sqlite3.connect(log.db)) as connection:
        connection.execute("INSERT INTO words (words) VALUES ('delete-all')")
        connection.execute("INSERT INTO words (rowid, body) VALUES (?, 'three files')", (older + 1,))
        connection.commit()
    downgrade(log, 2)
    log.recorder = LogWriter(log.db)
    newer = log.add(payload={"k": "three"})
    assert await search(reader, "three") == [newer, older]
    assert await search(reader, "mkdir temp why") == [older]


@pytest.mark.parametrize(
    ("query", "text", "marked"),
    [
        ("time", "Timeout, time-out, sometime", ["Time", "time"]),
        ('"rm -rf"', "rm -rf / ; farm -rf", ["rm -rf"]),
        ("out* -none tool:Shell", "output: none of Shell", ["out"]),
        ("--force", "git push --force", ["--force"]),
        ("a*b", "a to b", ["a", "b"]),
        ("tool:Shell", "Shell", []),
        ("", "anything", []),
    ],
)
def test_matches_are_highlighted(query: str, text: str, marked: list[str]) -> None:
    shown = parse(query).highlight
    assert ([] if shown is None else shown.findall(text)) == marked


def test_queries_with_an_open_quotation_can_be_joined() -> None:
    assert joined('"rm -rf', "tool:Shell") == '"rm -rf" tool:Shell'
    assert joined("", "x") == "x"


def results(*batches: list[int]) -> SearchResults:
    rows = SearchResults()
    for batch in batches:
        rows.add_older(batch)
    return rows


def test_older_batches_go_before_newer_ones() -> None:
    assert list(results([9, 8], [7, 5], [1]).ids) == [1, 5, 7, 8, 9]


def test_row_of_a_missing_id_is_the_next_row() -> None:
    rows = results([9, 7, 5])
    assert [rows.row_of(number) for number in (5, 6, 7, 10)] == [0, 1, 1, 3]
    assert rows.after(5) == 2


def test_rows_beyond_either_end_are_left_out() -> None:
    assert list(results([9, 7, 5]).between(-4, 2)) == [5, 7]
    assert list(results([9, 7, 5]).between(2, 40)) == [9]


def test_new_ids_are_inserted_in_order_once() -> None:
    rows = results([9, 7, 5])
    rows.complete = True
    rows.add([8, 10, 7, 3])
    assert list(rows.ids) == [3, 5, 7, 8, 9, 10]


def test_older_new_ids_are_left_to_a_running_search() -> None:
    rows = results([9, 7])
    rows.add([8, 3])
    rows.add_older([5, 3])
    assert list(rows.ids) == [3, 5, 7, 8, 9]


@pytest.fixture
def values(log: LogWorld, reader: LogReader) -> Values:
    """The values in a log of five events that complete the beginning of one."""
    for tool in ("Shell", "Write", "Search", "Shell"):
        log.add(tool=tool, runs=[run("audit"), run(f"on-{tool}")], session=f"s-{tool}")
    log.add("Notification", host="claude", project="/home/dev/other")
    return reader.values


@pytest.mark.parametrize(
    ("field", "beginning", "found"),
    [
        ("tool", "", ["Search", "Shell", "Write"]),
        ("tool", "S", ["Search", "Shell"]),
        ("tool", "x", []),
        ("event", "", ["Notification", "PreToolUse", "pre-tool-call"]),
        ("hook", "on-S", ["on-Search", "on-Shell"]),
        ("session", "s-", ["s-Search", "s-Shell", "s-Write"]),
        ("host", "", ["agenthooks", "claude"]),
        ("project", "/home/dev/o", ["/home/dev/other"]),
        ("slower", "", []),
    ],
)
async def test_values_with_a_prefix_are_listed_once(values: Values, field: str, beginning: str, found: list[str]) -> None:
    assert await values(field, beginning) == found


async def test_number_of_values_is_limited(values: Values) -> None:
    assert await values("tool", "", most=2) == ["Search", "Shell"]
