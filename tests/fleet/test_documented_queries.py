"""The statements of docs/fleet-queries.md and of the dashboard find what they say; a view shows hooktui's rows only."""

from __future__ import annotations

import json
import re
import time
from typing import TYPE_CHECKING, Any

import pytest

from hooktui.fleet import overview
from hooktui.fleet.fleet_log import FleetLog
from hooktui.log.read.query import parse
from tests.fleet import hostile_rows, overview_world
from tests.fleet.world import ROOT

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from tests.fleet.world import EngineProcess

_PAGE = (ROOT / "docs/fleet-queries.md").read_text()
_STATEMENTS = re.findall(r"```sql\n(.*?)\n```", _PAGE, re.DOTALL)
_FLEET = (ROOT / "docs/fleet.md").read_text()


@pytest.fixture(scope="module")
def queried(engine: EngineProcess, tmp_path_factory: pytest.TempPathFactory) -> EngineProcess:
    """The fleet of overview_world.py, a forged record, and one of the future."""
    now = time.time()
    rows = overview_world.rows(tmp_path_factory.mktemp("logs"), now)
    forged = {**rows[10], "LogAttributes": {**rows[10]["LogAttributes"], "hooktui.hash": "0"}}
    forged["Timestamp"] = f"{now - 60:.6f}"
    future = hostile_rows.of_sender(rows[0], now + 3600)
    foreign = {**rows[0], "ServiceName": "other", "Body": "nothing of hooktui"}
    engine.create("queried")
    engine.insert([*rows, forged, future, foreign], "queried")
    return engine


def _found(engine: EngineProcess, heading: str, place: int = 0) -> Sequence[Sequence[Any]]:
    (section,) = re.findall(rf"^## {heading}\n(.*?)(?=^## |\Z)", _PAGE, re.DOTALL | re.MULTILINE)
    statement = re.findall(r"```sql\n(.*?)\n```", section, re.DOTALL)[place]
    statement = statement.replace("otel.otel_logs", "queried.otel_logs").replace("5f0c1d…", "old")
    found: Sequence[Sequence[Any]] = engine.client.query(statement).result_rows
    return found


def test_each_statement_finds_what_its_heading_says(queried: EngineProcess) -> None:
    assert {row[0]: row[1] for row in _found(queried, "Denials")}["block-dangerous"] >= 17
    assert sum(row[2] for row in _found(queried, "Denials", 1)) >= 17
    assert {row[0] for row in _found(queried, "Failing hooks")} == {"format-py"}
    assert [row[0] for row in _found(queried, "Silent machines")] == ["dev-7"]
    guards = {row[0]: row[-1] for row in _found(queried, "Missing and changed guards")}
    assert {name: guards[name] for name in ("dev-1", "dev-3")} == {"dev-1": "missing", "dev-3": "new"}
    assert ("dev-4", 3) in {tuple(row) for row in _found(queried, "Lost records")}
    assert len(_found(queried, "Forged records and wrong clocks")) == 1
    ((machine, ahead_s),) = _found(queried, "Forged records and wrong clocks", 1)
    assert machine == hostile_rows.SENDER
    assert ahead_s == pytest.approx(3600, abs=60)


def test_the_dashboard_has_the_same_statements() -> None:
    dashboard = json.loads((ROOT / "docs/fleet-dashboard.json").read_text())
    assert [target["rawSql"] for panel in dashboard["panels"] for target in panel["targets"]] == _STATEMENTS


async def test_a_view_in_another_database_reads_like_the_table_and_hides_other_services(
    queried: EngineProcess, tmp_path: Path
) -> None:
    (statement,) = re.findall(r"CREATE VIEW .*?;", _FLEET, re.DOTALL)
    queried.client.command("DROP DATABASE IF EXISTS hooktui")
    queried.client.command("CREATE DATABASE hooktui")
    queried.client.command(statement.replace("otel.otel_logs", "queried.otel_logs").replace(".otel_logs SQL", ".own_table SQL"))
    logs = [FleetLog.open(url) for url in (
        queried.url("reader", database="queried"), f"{queried.url('reader', database='hooktui')}?table=own_table"
    )]  # fmt: skip
    answers = []
    for log in [await log for log in logs]:
        words = ("", "decision:deny", "hook:block-*")
        seen = await overview.read(log.database, parse(""), 86_400.0)
        answers.append([[list(await log.newest(parse(text))) for text in words], sorted(m.name for m in seen.machines)])
        await log.close()
    assert answers[0] == answers[1]
    assert queried.client.query("SELECT count() FROM hooktui.own_table WHERE ServiceName <> 'hooktui'").result_rows == [(0,)]
