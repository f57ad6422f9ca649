"""The text that is copied from a dispatch."""

from __future__ import annotations

from hooktui.log.export import exporters
from hooktui.log.read.reader import LogReader
from tests.log_world import LogWorld, run


async def test_it_is_the_subject_of_a_tool_else_the_id(log: LogWorld, reader: LogReader) -> None:
    payload = {"tool_input": {"command": "rm -rf\t/\nls"}}
    (report,) = await reader.reports([log.add(tool="Shell", payload=payload, runs=[run("guard")])])
    assert exporters.best(report) == "rm -rf\t/\nls"
    assert exporters.best({**report, "tool_name": None}) == report["id"]
