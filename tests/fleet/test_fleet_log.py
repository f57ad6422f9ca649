"""A fleet's log reads like the log of one machine, for all machines at once."""

from __future__ import annotations

import json
import socket
import ssl
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING

import pytest
import trustme

from hooktui.core import ids
from hooktui.fleet import clickhouse_client, fleet_log
from hooktui.fleet.fleet_log import FleetLog
from hooktui.log.read.connection import LogError
from hooktui.log.read.query import of_session, parse
from hooktui.log.read.reader import LogReader
from hooktui.screens.sessions import comparison_dialog
from tests.fleet.world import log_rows
from tests.log_world import LogWorld, busy_day, run

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from tests.command_world import CommandWorld
    from tests.fleet.world import EngineProcess

ALL = parse("")


@pytest.fixture(params=["standard schema", "accelerated"])
async def fleet(request: pytest.FixtureRequest, engine: EngineProcess, log: LogWorld) -> AsyncIterator[FleetLog]:
    """A fleet of two machines with the same ids, of which one sent everything twice."""
    busy_day(log)
    engine.create()
    if request.param == "accelerated":
        engine.accelerate()
    for rows in (log_rows(log.db, "i-1", "build-1"), log_rows(log.db, "i-2", "build-2"), log_rows(log.db, "i-2", "build-2")):
        engine.insert(rows)
    reader = await FleetLog.open(engine.url("reader"))
    yield reader
    await reader.close()


async def test_machines_with_the_same_ids_are_told_apart(fleet: FleetLog, log: LogWorld) -> None:
    numbers = list(await fleet.newest(ALL))
    rows = await fleet.rows(numbers)
    assert len(numbers) == 2 * log.count == len(set(numbers))
    assert numbers == sorted(numbers, reverse=True)
    assert [row.id for row in rows] == numbers[::-1]
    assert {row.machine for row in rows if ids.seconds(row.id) == rows[-1].at} == {"build-1", "build-2"}
    assert await fleet.count(ALL) == len(numbers) == (await fleet.extent())[1]
    assert {row.machine for row in await fleet.rows(await fleet.newest(parse("machine:build-2")))} == {"build-2"}
    assert await fleet.count(parse("machine:i-1")) == log.count


async def test_rows_and_reports_are_those_of_the_machine(fleet: FleetLog, log: LogWorld) -> None:
    local = await LogReader.open(log.db)
    try:
        numbers = await local.newest(ALL)
        reports, rows, bars = await local.reports(numbers), await local.rows(numbers), await local.bars(numbers)
        events = await local.session_events(1)
    finally:
        await local.close()
    own = list(await fleet.newest(parse("machine:build-1")))
    shipped = await fleet.reports(own)
    assert [{**report, "machine": "build-1", "level": "full"} for report in reports] == shipped
    places = ("event", "tool", "decision", "state", "ran", "reason", "duration_ms", "subject", "effect", "session_name")
    assert [[getattr(row, name) for name in places] for row in await fleet.rows(own)] == [
        [getattr(row, name) for name in places] for row in rows
    ]
    assert list((await fleet.bars(own)).values()) == list(bars.values())
    session = next(row for row in await fleet.sessions() if row.machine == "build-1" and row.name == "s-a1")
    # A fleet has one row an event, and does not say which belong to one call.
    told = [event._replace(id=0) for event in await fleet.session_events(session.id)]
    assert told == [event._replace(id=0, head=None) for event in events]


async def test_sessions_are_listed_by_machine(fleet: FleetLog, log: LogWorld) -> None:
    local = await LogReader.open(log.db)
    try:
        (expected, *_) = await local.sessions()
        outline = await local.outline(1, await local.session_events(1))
        summary = await local.summary(1, await local.session_events(1))
    finally:
        await local.close()
    sessions = await fleet.sessions()
    assert sorted((row.machine, row.name) for row in sessions) == [
        (machine, name) for machine in ("build-1", "build-2") for name in ("s-a1", "s-b2")
    ]
    row = next(row for row in sessions if row.name == expected.name)
    counts = ("title", "host", "project", "events", "denials", "failures", "hook_ms", "first", "last", "synthetic")
    assert [getattr(row, name) for name in counts] == [getattr(expected, name) for name in counts]
    assert [found.name for found in await fleet.sessions(text="tidy")] == ["s-a1", "s-a1"]
    assert [found.machine for found in await fleet.sessions(text="BUILD-2", order="failures", trouble=True)] == ["build-2"]
    assert {found.machine for found in await fleet.sessions(text="machine:*-1")} == {"build-1"}
    assert [found.machine for found in await fleet.sessions(text="-machine:build-1 tidy")] == ["build-2"]
    assert await fleet.session(row.id) == row
    events = await fleet.session_events(row.id)
    assert len(await fleet.newest(of_session(row.id))) == row.events == len(events)
    assert (await fleet.summary(row.id, events)).hooks == summary.hooks
    assert list((await fleet.outline(row.id, events)).marks.values()) == list(outline.marks.values())
    comparison = await fleet.comparison(sessions[0].id, sessions[1].id)
    assert comparison is not None
    assert comparison.hooks[0].slower_ms == 0
    shown = "\n".join(line.plain for line in comparison_dialog.lines(comparison, wide=True))
    assert f"machine     {sessions[0].machine}" in shown


async def test_last_record_of_a_dispatch_counts(engine: EngineProcess, log: LogWorld) -> None:
    started = log.made(tool="Shell", runs=[run("slow", "started")])
    log.add_all([started])
    engine.create()
    engine.insert(log_rows(log.db))
    fleet = await FleetLog.open(engine.url("reader"))
    begun = await fleet.commits()
    assert await fleet.count(parse("state:started")) == 1
    log.end(started.runs[0].replace(state="failed", duration_ms=900.0), started.id, 0)
    engine.insert(log_rows(log.db, after=1))
    assert list(await fleet.newest(parse("state:started"))) == []
    assert await fleet.count(parse("state:started")) == 0
    (report,) = await fleet.reports(await fleet.newest(parse("state:failed")))
    assert report["hooks"][0]["duration_ms"] == 900
    assert (await fleet.extent())[1] == 1
    assert (await fleet.committed(begun)).new == []
    await fleet.close()


async def test_a_search_goes_back_through_all_times(
    engine: EngineProcess, log: LogWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fleet_log, "_FIRST_BATCH", 2)
    monkeypatch.setattr(fleet_log, "_LAST_BATCH", 4)
    now, hour = time.time(), 3600
    ages = sorted(
        [1, 2, 3, 4, 5, 50, hour - 1, hour, hour + 1, 13 * hour, *range(20 * hour, 20 * hour + 9), 30 * 24 * hour, 2e7]
    )
    numbers = [log.add(tool="Shell", at=now - age, decision="deny" if index % 5 else "none") for index, age in enumerate(ages)]
    engine.create()
    engine.insert(log_rows(log.db) + log_rows(log.db, "i-2"))
    fleet = await FleetLog.open(engine.url("reader"))
    assert [round(now - ids.seconds(number)) for number in await fleet.newest(ALL)] == [
        round(age) for age in ages for _ in (1, 2)
    ]
    assert list(await fleet.newest(parse("decision:none machine:i-2"))) == sorted(numbers[::5], reverse=True)
    await fleet.close()


async def test_new_records_are_followed(engine: EngineProcess, log: LogWorld) -> None:
    engine.create()
    fleet = await FleetLog.open(engine.url("reader"))
    changes = fleet.changes()
    await anext(changes)
    begun = await fleet.commits()
    number = log.add(tool="Shell", at=time.time() - 1)
    engine.insert(log_rows(log.db))
    await anext(changes)
    fresh = await fleet.committed(begun)
    assert list(fresh.new) == [number]
    assert await fleet.matching(parse("tool:Shell"), fresh.new) == [number]
    assert await fleet.matching(parse("tool:Read"), fresh.new) == []
    assert await fleet.imports() == (0,)
    late = log.add(tool="Read", at=time.time() - 86400)
    engine.insert(log_rows(log.db, after=1))
    await anext(changes)
    assert (await fleet.committed(fresh.last)).new == []
    assert await fleet.imports() == (1,), "a late record makes the screens read the log again"
    assert await fleet.neighbour(ALL, number, -1) == late
    assert await fleet.neighbour(ALL, late, 1) == number
    await changes.aclose()
    await fleet.close()


async def test_values_complete_what_is_typed(fleet: FleetLog) -> None:
    assert await fleet.values("machine", "build") == ["build-1", "build-2"]
    assert await fleet.values("hook", "b") == ["block-dangerous"]
    assert await fleet.values("event", "Pre") == ["PreToolUse"]
    assert await fleet.values("slower", "") == []
    assert await fleet.projects() == ["/home/dev/app"]


@pytest.mark.parametrize(
    ("of", "says"),
    [
        ({"password": "wrong"}, "wrong user or password"),
        ({"database": "nowhere"}, "no such database"),
        ({"database": "system"}, "it has no table otel_logs: a collector makes it when it exports its first log record"),
    ],
)
async def test_errors_are_one_line(engine: EngineProcess, of: dict[str, str], says: str) -> None:
    with pytest.raises(LogError) as caught:
        await FleetLog.open(engine.url(**of))
    assert str(caught.value) == f"127.0.0.1:{engine.port}/{of.get('database', 'otel')}: {says}"


async def test_stopped_server_is_told(engine: EngineProcess) -> None:
    with pytest.raises(LogError, match=r"127\.0\.0\.1:1/otel: cannot be reached: connection refused"):
        await FleetLog.open("clickhouse://127.0.0.1:1")


async def test_server_that_does_not_answer_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clickhouse_client, "_ANSWER_S", 1)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        port = silent.getsockname()[1]
        with pytest.raises(LogError, match=rf"{port}/otel: no answer within 1 s: narrow it with since: and until:"):
            await FleetLog.open(f"clickhouse://127.0.0.1:{port}")


def test_log_and_export_read_a_fleet(
    fleet: FleetLog, engine: EngineProcess, log: LogWorld, world: CommandWorld, tmp_path: Path
) -> None:
    url = engine.url("reader")
    lines = world.run("log", "machine:build-2", "decision:deny", "--fleet", url).stdout.splitlines()
    assert len(lines) == 2
    assert all("build-2" in line for line in lines)
    shown = world.run("show", lines[0].split()[0], "--fleet", url).stdout
    assert all(f", machine build-{number}" in shown for number in (1, 2))  # the machines have the same log
    world.configure(f'[fleet]\nurl = "{url}"\n')
    answered = world.run("log", "--json", "-n", "3", "--fleet", "tool:Shell", "machine:build-1")
    assert {json.loads(line)["machine"] for line in answered.stdout.splitlines()} == {"build-1"}
    page = tmp_path / "fleet.html"
    assert f"{2 * log.count} events" in world.run("export", "--fleet", "-o", str(page)).stderr
    assert "block-dangerous" in page.read_text()
    for name in ("html", "md", "csv", "jsonl"):
        path = tmp_path / f"session.{name}"
        world.run("export", "--fleet", "session:s-a1", "machine:build-2", "-o", str(path))
        assert "build-2" in (text := path.read_text())
        assert "build-1" not in text
    refused = world.run("log", "would:deny", "--fleet", code=1)
    assert refused.stderr.startswith("hooktui: would: asks today's hooks about the log of this machine")


class _Stranger(BaseHTTPRequestHandler):
    """A ClickHouse that knows nobody."""

    def do_POST(self) -> None:
        self.send_response(403)
        self.send_header("X-ClickHouse-Exception-Code", "516")
        self.send_header("Content-Length", "0")
        self.end_headers()

    def do_GET(self) -> None:
        self.do_POST()

    def log_message(self, *_: object) -> None: ...


def test_certificates_of_the_configuration_are_trusted_for_reading(world: CommandWorld, tmp_path: Path) -> None:
    authority, server = trustme.CA(), ThreadingHTTPServer(("127.0.0.1", 0), _Stranger)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert("127.0.0.1").configure_cert(context)
    authority.cert_pem.write_to_path(tmp_path / "ca.pem")
    server.socket = context.wrap_socket(server.socket, server_side=True)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    url = f"clickhouses://127.0.0.1:{server.server_port}/otel"
    assert "certificate_verify_failed" in world.run("log", "--fleet", url, code=1).stderr
    world.configure(f'[fleet]\nca = "{tmp_path}/ca.pem"\n')
    assert world.run("log", "--fleet", url, code=1).stderr.endswith(": wrong user or password\n")
    server.shutdown()
    server.server_close()


async def test_another_table_is_named_in_the_url(engine: EngineProcess, log: LogWorld) -> None:
    number = log.add(tool="Shell")
    engine.create("tables")
    engine.client.command("RENAME TABLE tables.otel_logs TO tables.hooks")
    engine.client.command(f"INSERT INTO tables.hooks FORMAT JSONEachRow\n{json.dumps(log_rows(log.db)[-1])}")
    fleet = await FleetLog.open(f"{engine.url('reader', database='tables')}?table=hooks")
    assert list(await fleet.newest(ALL)) == [number]
    await fleet.close()
    with pytest.raises(LogError, match="not a table's name: 'a b'"):
        await FleetLog.open(f"{engine.url('reader')}?table=a%20b")
