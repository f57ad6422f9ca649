"""Reading the log: results, missing, newer and broken files, and how soon changes are noticed."""

from __future__ import annotations

import asyncio
import json
import sqlite3
import subprocess
import sys
from contextlib import aclosing
from pathlib import Path

import pytest

from hooktui.core import ids
from hooktui.log.read import query
from hooktui.log.read.reader import LogError, LogReader
from hooktui.log.read.rows import SUBJECT
from tests.bench.generate_log import generate
from tests.log_world import NOON, LogWorld, run
from tests.unit.log.tampering import rows, tamper

ALL = query.parse("")


async def search(reader: LogReader, text: str) -> list[int]:
    return [number async for batch in reader.search(query.parse(text)) for number in batch]


async def test_search_finds_newest_first(reader: LogReader, log: LogWorld) -> None:
    numbers = [log.add(tool="Shell") for _ in range(5)]
    assert await search(reader, "tool:Shell") == numbers[::-1]


async def test_search_above_an_id_finds_only_newer_dispatches(reader: LogReader, log: LogWorld) -> None:
    first, second = log.add(), log.add()
    assert [number async for batch in reader.search(ALL, first) for number in batch] == [second]
    assert [batch async for batch in reader.search(ALL, second)] == []


async def test_rows_have_the_columns_of_a_list(reader: LogReader, log: LogWorld) -> None:
    number = log.add(
        tool="Shell",
        decision="deny",
        reason="no",
        runs=[run("a"), run("b", "timeout"), run("c", "skipped")],
        host="claude",
    )
    (row,) = await reader.rows([number])
    assert (row.id, row.at, row.event, row.tool) == (number, NOON, "pre-tool-call", "Shell")
    assert (row.decision, row.state, row.ran, row.reason) == ("deny", "timeout", ("a", "b"), "no")
    assert (row.session_name, row.host, row.project, row.synthetic) == ("s1", "claude", "/home/dev/app", False)


async def test_rows_have_a_capped_subject(reader: LogReader, log: LogWorld) -> None:
    number = log.add(tool="Shell", payload={"tool_input": {"command": "x" * 5000}})
    (row,) = await reader.rows([number])
    assert row.subject == "x" * SUBJECT


async def test_rows_come_in_order_without_missing_ids(reader: LogReader, log: LogWorld) -> None:
    first, second = log.add(), log.add()
    assert [row.id for row in await reader.rows([second, 5, first])] == [first, second]


async def test_tail_is_the_newest_dispatches_oldest_first(reader: LogReader, log: LogWorld) -> None:
    numbers = [log.add(tool="Shell" if place % 2 else "Write") for place in range(6)]
    assert [row.id for row in await reader.rows(await reader.newest(query.parse("tool:Shell"), 2))] == [numbers[3], numbers[5]]


async def test_count_and_total(reader: LogReader, log: LogWorld) -> None:
    for tool in ("Shell", "Shell", "Write"):
        log.add(tool=tool)
    assert await reader.count(query.parse("tool:Shell")) == 2
    assert await reader.total() == 3


async def test_newer_returns_matches_above_an_id(reader: LogReader, log: LogWorld) -> None:
    first, *rest = [log.add(tool="Shell") for _ in range(3)]
    log.add(tool="Write")
    assert list(await reader.newer(query.parse("tool:Shell"), first)) == rest


async def test_report_is_the_contracts_with_time_and_payload(reader: LogReader, log: LogWorld) -> None:
    ran = run("guard", decision="deny", via="exit-2", reason="no", exit_code=2, stderr="no\n", why="matched tool Shell")
    number = log.add(
        tool="Shell",
        decision="deny",
        reason="no",
        runs=[ran, run("late", "skipped", skip="blocked-earlier", why="blocked earlier by guard")],
        payload={"tool_input": {"command": "rm -rf /"}},
        additional_context=("mind the gap",),
    )
    report = await reader.report(number)
    assert report is not None
    assert report["id"] == ids.text(number)
    assert report["at"] == "2026-01-21T12:00:00.000Z"
    assert report["payload"] == {"tool_input": {"command": "rm -rf /"}}
    assert (report["decision"], report["reason"], report["modified_input"]) == ("deny", "no", None)
    assert (report["additional_context"], report["system_messages"]) == (["mind the gap"], [])
    guard, late = report["hooks"]
    assert (guard["name"], guard["via"], guard["exit_code"], guard["stderr"]) == ("guard", "exit-2", 2, "no\n")
    assert (guard["file"], guard["line"], guard["problems"]) == ("/home/me/.config/agents/hooks/guard/HOOK.md", 4, [])
    assert (late["state"], late["skip"], late["why"]) == ("skipped", "blocked-earlier", "blocked earlier by guard")
    json.dumps(report)


async def test_cut_payload_has_a_mark(reader: LogReader, log: LogWorld) -> None:
    number = log.add(payload={"tool_input": {"content": "x" * 300_000, "file_path": "/a"}})
    report = await reader.report(number)
    assert report is not None
    assert report["payload"]["tool_input"]["file_path"] == "/a"
    assert "left out …" in report["payload"]["tool_input"]["content"]


async def test_payload_cut_by_an_older_log_is_a_string(reader: LogReader, log: LogWorld) -> None:
    number = log.add()
    tamper(log, """UPDATE content SET payload = '{"a": "xx' """)
    report = await reader.report(number)
    assert report is not None
    assert report["payload"] == '{"a": "xx'


async def test_report_of_an_unknown_id_is_none(reader: LogReader, log: LogWorld) -> None:
    log.add()
    assert await reader.report(7) is None


# The file ---------------------------------------------------------------------------------------------------------------------


async def test_missing_log_is_empty_until_it_appears(reader: LogReader, log: LogWorld) -> None:
    assert await search(reader, "") == []
    assert (await reader.count(ALL), await reader.total(), await reader.sessions()) == (0, 0, [])
    number = log.add()
    assert await search(reader, "") == [number]


async def test_newer_log_is_refused(log: LogWorld) -> None:
    log.add()
    tamper(log, "PRAGMA user_version = 99")
    with pytest.raises(LogError, match="newer hooktui"):
        await LogReader.open(log.db)


async def test_other_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "log.db"
    path.write_text("not a database, and longer than a header " * 10)
    with pytest.raises(LogError, match="cannot be read"):
        await LogReader.open(str(path))


@pytest.mark.parametrize("opened", [False, True])
async def test_corrupt_log_raises_log_error(reader: LogReader, log: LogWorld, opened: bool) -> None:
    log.add_all([log.made(payload={"text": "x" * 5000}) for _ in range(200)])
    assert not opened or await reader.total()
    rows(log, "PRAGMA wal_checkpoint(TRUNCATE)")
    with open(log.db, "r+b") as file:
        size = file.truncate(8192)
        if not opened:
            file.seek(size)
            file.write(b"\xff" * 500_000)
    with pytest.raises(LogError, match=r"log\.db cannot be read: .*hooktui doctor"):
        await search(reader, "")


async def test_closed_reader_does_not_reopen(reader: LogReader, log: LogWorld) -> None:
    log.add()
    await reader.close()
    assert (await search(reader, ""), await reader.total()) == ([], 0)


async def test_reader_cannot_write(reader: LogReader, log: LogWorld) -> None:
    log.add()
    connection = await reader._connection("rows")
    assert connection is not None
    with pytest.raises(sqlite3.OperationalError, match="readonly"):
        await connection.execute("DELETE FROM dispatch")


# Changes ----------------------------------------------------------------------------------------------------------------------

_COMMIT = """
import sqlite3, sys
with sqlite3.connect(sys.argv[1]) as connection:
    connection.execute("UPDATE dispatch SET reason = 'changed'")
"""


async def test_commit_of_another_process_is_noticed(reader: LogReader, log: LogWorld) -> None:
    log.add()
    async with aclosing(reader.changes()) as changes:
        await anext(changes)
        subprocess.run([sys.executable, "-c", _COMMIT, log.db], check=True)
        await asyncio.wait_for(anext(changes), 5)


async def test_new_log_is_noticed(reader: LogReader, log: LogWorld) -> None:
    async with aclosing(reader.changes()) as changes:
        await anext(changes)
        log.add()
        await asyncio.wait_for(anext(changes), 5)


async def test_cancelled_search_does_not_block_the_next(log: LogWorld, tmp_path: Path) -> None:
    path = str(tmp_path / "big.db")
    generate(path, 3000)
    reader = await LogReader.open(path)

    async def slow_search() -> None:
        async for _ in reader.search(query.parse("parser")):
            await asyncio.sleep(3600)

    first = asyncio.ensure_future(slow_search())
    while not reader._searching.locked():
        await asyncio.sleep(0)
    first.cancel()
    assert len(await asyncio.wait_for(search(reader, ""), 10)) == 3000
    await reader.close()


# Sessions ---------------------------------------------------------------------------------------------------------------------


async def test_sessions_are_listed_with_their_totals(reader: LogReader, log: LogWorld) -> None:
    log.add("pre-session", session="s1", runs=[run("a", "failed")])
    log.add(session="s1", decision="deny")
    log.add(session="s2", host="claude", project="/home/dev/100%")
    newest, older = await reader.sessions()
    assert (newest.name, newest.host, newest.events, newest.denials) == ("s2", "claude", 1, 0)
    assert (older.name, older.events, older.denials, older.failures, older.hook_ms) == ("s1", 2, 1, 1, 25.0)
    assert (older.started, older.length_s) == (NOON, 1.0)
    assert [row.name for row in await reader.sessions(text="CLAU")] == ["s2"]
    assert [row.name for row in await reader.sessions(text="0%")] == ["s2"]
    assert await reader.session(older.id) == older


async def test_sessions_can_be_ordered_by_any_key(reader: LogReader, log: LogWorld) -> None:
    log.add(session="long", at=NOON)
    log.add(session="long", at=NOON + 50)
    log.add(session="late", at=NOON + 90, decision="deny", duration_ms=700.0)
    for order, names in (("last", ["late", "long"]), ("length", ["long", "late"]), ("denials", ["late", "long"])):
        assert [row.name for row in await reader.sessions(order=order)] == names
    assert [row.name for row in await reader.sessions(1, order="calls")] == ["long"]


async def test_summary_has_denials_and_hook_times(reader: LogReader, log: LogWorld) -> None:
    for milliseconds in (10.0, 20.0, 30.0, 400.0):
        runs = [run("slow", duration_ms=milliseconds), run("quick", duration_ms=1.0), run("off", "skipped")]
        log.add(runs=runs, duration_ms=milliseconds + 2.0)
    denied = log.add(tool="Shell", decision="deny", reason="no", runs=[run("quick", "timeout", duration_ms=5.0)])
    (session,) = await reader.sessions()
    summary = await reader.summary(session.id, await reader.session_events(session.id))
    assert summary.decisions == {"none": 4, "deny": 1}
    assert [(row.id, row.reason) for row in summary.denials] == [(denied, "no")]
    slow, quick = summary.hooks
    assert (slow.name, slow.runs, slow.p50_ms, slow.p95_ms, slow.total_ms) == ("slow", 4, 20.0, 400.0, 460.0)
    assert (quick.name, quick.runs, quick.failures, quick.p50_ms) == ("quick", 5, 1, 1.0)


async def test_bars_are_the_runs_in_order_without_skips(reader: LogReader, log: LogWorld) -> None:
    number = log.add(runs=[run("a", started_ms=0.5, duration_ms=3.0), run("b", "skipped"), run("c", "timeout", started_ms=4.0)])
    quiet = log.add()
    bars = await reader.bars([number, quiet])
    assert [(bar.name, bar.state, bar.started_ms, bar.duration_ms) for bar in bars[number]] == [
        ("a", "ok", 0.5, 3.0),
        ("c", "timeout", 4.0, 0.0),
    ]
    assert bars[quiet] == []


async def test_async_hooks_come_after_awaited_ones(reader: LogReader, log: LogWorld) -> None:
    waited = run("waited", started_ms=0.5, duration_ms=3.0)
    number = log.add(runs=[run("notify", duration_ms=700.0), waited, run("going", "started")], duration_ms=4.0)
    assert [bar.name for bar in (await reader.bars([number]))[number] if bar.unwaited] == ["notify", "going"]
    (session,) = await reader.sessions()
    hooks = (await reader.summary(session.id, await reader.session_events(session.id))).hooks
    assert [(hook.name, hook.unwaited, hook.total_ms) for hook in hooks] == [
        ("waited", False, 3.0),
        ("notify", True, 700.0),
        ("going", True, 0.0),
    ]


async def test_tries_have_a_session_of_their_own_that_is_no_trouble(reader: LogReader, log: LogWorld) -> None:
    log.add(session="s1", decision="deny")
    log.add(session="try", decision="deny", synthetic=True)
    assert [(row.label, row.has_trouble) for row in await reader.sessions()] == [("Tries", False), ("s1", True)]
    assert [row.label for row in await reader.sessions(trouble=True)] == ["s1"]
    assert await reader.count(query.of_trouble(query.parse(""))) == 1
