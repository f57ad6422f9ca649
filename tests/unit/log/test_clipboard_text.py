"""The texts that can be copied from a dispatch."""

from __future__ import annotations

import json

import pytest

from hooktui.core.report import LoggedReport
from hooktui.log.export import exporters
from hooktui.log.read.reader import LogReader
from tests.log_world import LogWorld, run


@pytest.fixture
async def report(log: LogWorld, reader: LogReader) -> LoggedReport:
    payload = {"tool_input": {"command": "rm -rf\t/\nls"}}
    runs = [run("guard", stdout="no"), run("other", "skipped")]
    (report,) = await reader.reports([log.add(tool="Shell", payload=payload, decision="deny", runs=runs)])
    return report


def test_row_is_one_line_with_tabs_between_its_columns(report: LoggedReport) -> None:
    row = "2026-01-21T12:00:00.000Z\tpre-tool-call\tShell\tdeny\ts1\t/home/dev/app\t12.5 ms\tguard\trm -rf / ls"
    assert exporters.row(report) == row


def test_all_non_empty_texts_can_be_copied(report: LoggedReport) -> None:
    texts = dict(exporters.items(report, report["hooks"][0]))
    assert texts["Subject"] == "rm -rf\t/\nls"
    assert json.loads(texts["Decision as JSON"]) == report
    assert json.loads(texts["Run of guard as JSON"]) == report["hooks"][0]
    assert (texts["stdout"], texts["Session"], "stderr" in texts, "Reason" in texts) == ("no", "s1", False, False)


def test_best_text_without_a_tool_is_the_id(report: LoggedReport) -> None:
    assert exporters.best(report) == "rm -rf\t/\nls"
    assert exporters.best({**report, "tool_name": None}) == report["id"]
