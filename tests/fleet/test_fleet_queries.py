"""A query means the same in SQLite and in ClickHouse: it finds the same dispatches."""

from __future__ import annotations

import asyncio
import os
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hooktui.fleet.fleet_log import FleetLog
from hooktui.log.read.query import of_trouble, parse
from hooktui.log.read.reader import LogReader
from tests.fleet.world import log_rows
from tests.log_world import NOON, LogWorld, busy_day, run
from tests.unit.log import test_query

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from hooktui.log.read.query import Query
    from tests.fleet.world import EngineProcess

    Ask = Callable[[Query], tuple[list[int], list[int]]]

# The queries of tests/unit/log/test_query.py, and what only a report has.
WRITTEN = [
    *(text for text, _ in test_query.TERMS),
    "hook:agenthooks:user:audit",
    "hook:*:audit state:timeout",
    "-state:skipped",
    "state:s*",
    "-hook:audit -hook:scan*",
    "effect:rewrite",
    "decision:rewrote tool:Shell",
    "origin:run",
    "-origin:r*",
    "today not [bold]",
    '"\\\\" rm',
    "café",
    "CAFE naïve",
    "mkdir",
    "nmkdir",
    "x*y",
    "100%_",
    "-payload",
    "session:s-a",
    "-session:s*",
    "-since:58s",
    "slower:4s",
    "mkdir " + " ".join(f"-absent{number}" for number in range(150)),
]


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> LogWorld:
    """The log of tests/unit/log/test_query.py, a busy day, and texts that are hard to search."""
    world = LogWorld(str(tmp_path_factory.mktemp("log") / "log.db"))
    home = os.path.expanduser("~")
    world.add("pre-session", session="s1", payload={"model": "swift-1", "note": "prêt à commencer"})
    world.add(
        tool="Shell",
        decision="deny",
        reason="Dangerous command blocked: rm -rf /",
        payload={"tool_input": {"command": 'cd /tmp && echo "all gone"\nrm -rf /'}},
        runs=[run("block-dangerous", decision="deny"), run("format-py", "skipped", skip="blocked-earlier")],
    )
    files, project = run("format-py", stdout="3 files reformatted"), f"{home}/src/x"
    world.add("post-tool-call", tool="Write", runs=[files, run("audit", "timeout")])
    world.add("post-tool-call", tool="Write", session="s10", host="claude", project=project, duration_ms=900)
    world.add("Notification", session="run-42", host="claude", project="/home/dev/my app", decision="allow")
    world.add("pre-agent-turn-stop", session="abc-123", decision="deny", reason="100% of tests_fail", at=NOON + 86400)
    busy_day(world)
    world.add(tool="Shell", payload={"tool_input": {"command": "a\\nmkdir x\n\tmkdir 'y' “café” C:\\new … x%y 100%_"}})
    world.add(
        tool="Shell", runs=[run("noisy", stdout="a\\nb\nCafé Ünïcode NAÏVE", stderr="\x1b[31mred", reason='it\'s \\ "so"')]
    )
    return world


@pytest.fixture(scope="module", params=["standard schema", "accelerated"])
def ask(request: pytest.FixtureRequest, world: LogWorld, engine: EngineProcess) -> Iterator[Ask]:
    """Ask the log, and a fleet of the one machine that has it."""
    with asyncio.Runner() as runner:
        engine.create("queries")
        if request.param == "accelerated":
            engine.accelerate("queries")
        engine.insert(log_rows(world.db), "queries")
        local = runner.run(LogReader.open(world.db))
        fleet = runner.run(FleetLog.open(engine.url("reader", database="queries")))

        async def both(query: Query) -> tuple[list[int], list[int]]:
            return list(await local.newest(query)), list(await fleet.newest(query))

        yield lambda query: runner.run(both(query))
        runner.run(local.close())
        runner.run(fleet.close())


def test_written_queries_find_the_same_dispatches(ask: Ask) -> None:
    queries = [parse(text, NOON + 60) for text in WRITTEN]
    queries += map(of_trouble, queries[::5])
    answers = {(query.text, query.only_trouble): ask(query) for query in queries}
    assert {asked: answer for asked, answer in answers.items() if answer[0] != answer[1]} == {}
    assert sum(len(local) for local, _ in answers.values()) > 500


_words = st.sampled_from(
    [
        "rm",
        "mkdir",
        "café",
        "naive",
        "files",
        "Shell",
        "100%",
        "x*y",
        '"rm -rf"',
        "tests_f*",
        "\\\\",
        "deny",
        "…",
        "a",
        '"y\'"',
        "*",
    ]
)
_values = {
    "event": ["pre-tool-call", "PreToolUse", "pre-*", "*tool*", "Notif*"],
    "tool": ["Shell", "W*", "*", "shell"],
    "decision": ["deny", "none", "a*", "rewrote"],
    "effect": ["rewrite", "none", "*"],
    "origin": ["run", "try"],
    "state": ["ok", "timeout", "skipped", "s*", "failed"],
    "hook": ["audit", "format-py", "block-*", "agenthooks:user:audit", "*:scan*", "*"],
    "session": ["s1", "s", "s-a1", "s*", "zzz"],
    "host": ["claude", "a*"],
    "project": ["app", "/home/*", "~/src/x", "my*"],
    "since": ["58s", "30s", "2026-01-21T12:00:05", "2026-01-22"],
    "until": ["50s", "2026-01-21"],
    "slower": ["12ms", "12.5", "1s"],
}
_terms = st.sampled_from([f"{field}:{value}" for field, values in _values.items() for value in values])


@given(st.lists(st.tuples(st.sampled_from(["", "-"]), _terms | _words).map("".join), min_size=1, max_size=4))
def test_any_query_finds_the_same_dispatches(ask: Ask, terms: list[str]) -> None:
    local, fleet = ask(parse(" ".join(terms), NOON + 60))
    assert local == fleet
