"""The texts that can be copied from a dispatch."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from hooktui.log.export import exporters
from hooktui.log.read.reader import LogReader
from tests.log_world import LogWorld, run

if TYPE_CHECKING:
    from pathlib import Path

    from hooktui.core.report import LoggedReport


@pytest.fixture
async def report(tmp_path: Path) -> LoggedReport:
    world = LogWorld(str(tmp_path / "log.db"))
    payload = {"tool_input": {"command": "rm -rf\t/\nls"}}
    number = world.add(
        tool="Shell", payload=payload, decision="deny", runs=[run("guard", stdout="said"), run("other", "skipped")]
    )
    reader = await LogReader.open(world.db)
    found = await reader.report(number)
    await reader.close()
    assert found is not None
    return found


def test_row_is_one_line_with_tabs_between_its_columns(report: LoggedReport) -> None:
    row = "2026-01-21T12:00:00.000Z\tpre-tool-call\tShell\tdeny\ts1\t/home/dev/app\t12.5 ms\tguard\trm -rf / ls"
    assert exporters.row(report) == row


def test_all_non_empty_texts_can_be_copied(report: LoggedReport) -> None:
    found = dict(exporters.items(report, report["hooks"][0], [report, report]))
    assert found["Subject"] == "rm -rf\t/\nls"
    assert json.loads(found["Decision as JSON"]) == report
    assert json.loads(found["Run of guard as JSON"]) == report["hooks"][0]
    assert [json.loads(line) for line in found["2 marked as JSON Lines"].splitlines()] == [report, report]
    assert (found["stdout"], found["Session"], "stderr" in found, "Reason" in found) == ("said", "s1", False, False)


def test_best_text_without_a_tool_is_the_id(report: LoggedReport) -> None:
    assert exporters.best(report) == "rm -rf\t/\nls"
    assert exporters.best({**report, "tool_name": None}) == report["id"]
