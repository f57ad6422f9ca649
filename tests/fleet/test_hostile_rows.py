"""A reader trusts no row: what is not whole is counted and skipped, and no row hides another or reaches the terminal raw."""

from __future__ import annotations

import copy
import json
import re
import time
from typing import TYPE_CHECKING

import pytest

from hooktui.app import HooktuiApp
from hooktui.fleet import overview
from hooktui.fleet.fleet_log import FleetLog
from hooktui.log.read.query import parse
from hooktui.screens.fleet.row_kinds import machine_remarks
from tests.app.hook_world import HookWorld, shown, until_shown
from tests.fleet import hostile_rows
from tests.fleet.world import log_rows
from tests.log_world import LogWorld, run

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from tests.command_world import CommandWorld
    from tests.fleet.world import EngineProcess

ALL = parse("")
DAY_S = 86_400.0
CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e]")
EVENTS = 4


def _log(tmp_path: Path, at: float) -> LogWorld:
    log = LogWorld(str(tmp_path / "own.db"))
    for number in range(EVENTS):
        runs = [run("guard", decision="deny"), run("other", "skipped", skip="tool-mismatch")]
        log.add(tool="Bash", host="claude", at=at - number * 60, decision="deny", reason="no", runs=runs, payload={"a": "b"})
    return log


@pytest.fixture(params=["standard schema", "accelerated"])
async def hostile(request: pytest.FixtureRequest, engine: EngineProcess, tmp_path: Path) -> AsyncIterator[tuple[FleetLog, int]]:
    """A fleet of one machine, and of another that sends hostile rows around each of its events; the number of those."""
    at = time.time() - 600
    own = log_rows(_log(tmp_path, at).db)
    rows = hostile_rows.rows(own[1], at - 30)
    engine.create("hostile")
    if request.param == "accelerated":
        engine.accelerate("hostile")
    engine.insert([*own, *rows], "hostile")
    fleet = await FleetLog.open(engine.url("reader", database="hostile"))
    yield fleet, len(rows)
    await fleet.close()


async def test_rows_hide_nothing_in_lists_sessions_and_overview(hostile: tuple[FleetLog, int]) -> None:
    fleet, sent = hostile
    numbers = await fleet.newest(ALL)
    rows = {row.id: row for row in await fleet.rows(numbers)}
    assert [row.reason for row in rows.values() if row.machine == "build-1"] == ["no"] * EVENTS
    assert len(await fleet.reports(numbers)) == len(rows) == len(numbers) - 1, "one is nested too deep"
    assert sum(map(bool, (await fleet.bars(numbers)).values())) > sent // 3
    assert await fleet.unreadable() + len(rows) == sent + EVENTS == await fleet.unreadable() + await fleet.count(ALL) - 1
    assert (await fleet.extent())[1] == len(numbers)
    sessions = await fleet.sessions()
    assert {row.machine for row in sessions} >= {"build-1", hostile_rows.SENDER}
    for session in sessions:
        events = await fleet.session_events(session.id)
        await fleet.summary(session.id, events)
        await fleet.outline(session.id, events)
        assert len(events) == session.events
    seen = await overview.read(fleet.database, ALL, DAY_S)
    (own,) = [machine for machine in seen.machines if machine.name == "build-1"]
    assert (own.events, own.denials, own.unreadable, own.conflicts, own.ahead_s) == (EVENTS, EVENTS, 0, (), 0.0)
    assert {"guard", "other"} <= {rule.name for rule in seen.rules}
    assert seen.unreadable == await fleet.unreadable() - 1


async def test_commands_print_no_control_character_and_count_what_they_skip(
    hostile: tuple[FleetLog, int], engine: EngineProcess, world: CommandWorld, tmp_path: Path
) -> None:
    fleet, _ = hostile
    url = engine.url("reader", database="hostile")
    printed = world.run("log", "--fleet", url)
    unreadable = await fleet.unreadable() + 1
    assert printed.stderr == f"hooktui: skipped {unreadable} unreadable rows; see `hooktui fleet status`\n"
    assert sum("build-1" in line for line in printed.stdout.splitlines()) == EVENTS
    assert not CONTROL.search(printed.stdout)
    for line in printed.stdout.splitlines()[:: len(printed.stdout.splitlines()) // 40]:
        assert not CONTROL.search(world.run("show", "--fleet", url, line.split()[0]).stdout)
    assert "\x1b]0" not in world.at_terminal("log", "--fleet", url).stdout
    reports = [json.loads(line) for line in world.run("log", "--json", "--fleet", url).stdout.splitlines()]
    assert sum(report["machine"] == "build-1" for report in reports) == EVENTS
    for name in ("csv", "md", "html", "jsonl"):
        path = tmp_path / f"all.{name}"
        assert "unreadable rows" in world.run("export", "--fleet", url, "-o", str(path)).stderr
        assert "build-1" in (text := path.read_text())
        assert not CONTROL.search(text)


async def test_screens_show_the_other_machines_and_count_what_they_skip(
    hostile: tuple[FleetLog, int], engine: EngineProcess, tmp_path: Path
) -> None:
    fleet, _ = hostile
    world = HookWorld(tmp_path)
    skipped = f"▲ {await fleet.unreadable():,} unreadable"
    app = HooktuiApp(world.project, mode="fleet", fleet=engine.url("reader", database="hostile"))
    async with app.run_test(size=(160, 40)) as pilot:
        await until_shown(pilot, "build-1", "guard", skipped)
        assert f"{hostile_rows.SENDER}" in shown(pilot)
        for key, text in (("1", "other"), ("2", "build-1"), ("3", "build-1"), ("4", "build-1")):
            await pilot.press(key)
            await until_shown(pilot, text, skipped)
            assert not CONTROL.search(shown(pilot))
        await pilot.press("2", "end")
        await until_shown(pilot, "build-1")


async def test_a_clock_that_is_ahead_is_trouble_and_moves_nothing_to_the_end(engine: EngineProcess, tmp_path: Path) -> None:
    now = time.time()
    own = log_rows(_log(tmp_path, now - 60).db)
    engine.create("ahead")
    engine.insert([*own, *(hostile_rows.of_sender(own[1], now + 2 * DAY_S, number) for number in range(3))], "ahead")
    fleet = await FleetLog.open(engine.url("reader", database="ahead"))
    assert [row.machine for row in await fleet.rows(await fleet.newest(ALL))] == ["build-1"] * EVENTS
    assert await fleet.count(ALL) == EVENTS == (await fleet.extent())[1]
    assert [row.machine for row in await fleet.sessions()] == ["build-1"]
    assert [row.events for row in await fleet.sessions(text=f"machine:{hostile_rows.SENDER}")] == [3]
    asked = f"machine:{hostile_rows.SENDER}", f"decision:deny until:{time.gmtime(now).tm_year + 2}-01-01"
    assert [len(await fleet.newest(parse(words))) for words in asked] == [3, 3 + EVENTS], "they are listed if asked for"
    machines = {machine.name: machine for machine in (await overview.read(fleet.database, ALL, DAY_S)).machines}
    ahead = machines[hostile_rows.SENDER]
    assert ahead.ahead_s == pytest.approx(2 * DAY_S, abs=60)
    assert (ahead.seen_at, ahead.events, machines["build-1"].ahead_s) == (0.0, 3, 0.0)
    assert [remark.text for remark in machine_remarks(ahead)] == ["▲ clock ahead by 2 d"]
    await fleet.close()


async def test_two_records_of_one_sequence_are_a_conflict(engine: EngineProcess, tmp_path: Path) -> None:
    own = log_rows(_log(tmp_path, time.time() - 60).db)
    forged = copy.deepcopy(own[2])
    forged["LogAttributes"] |= {"hooktui.hash": "0" * 64, "hooktui.decision": "none"}
    forged["Body"] = json.dumps(json.loads(forged["Body"]) | {"decision": "none"})
    engine.create("forged")
    engine.insert([*own, *own, forged], "forged")
    fleet = await FleetLog.open(engine.url("reader", database="forged"))
    (machine,) = (await overview.read(fleet.database, ALL, DAY_S)).machines
    assert machine.conflicts == (int(own[2]["LogAttributes"]["hooktui.seq"]),)
    assert [remark.text for remark in machine_remarks(machine)] == ["▲ 1 conflict"]
    await fleet.close()
