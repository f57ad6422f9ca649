"""Many agents write one log at the same time, even a new one: no event is lost or stored twice."""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys

from tests.command_world import HOOKTUI
from tests.faults.agent import Agent

PROCESSES = 50
EVENTS = 20
# One process: this many events in sequence, each with a session of its own.
AGENT = """
import io, json, sys
from hooktui.catalog.hook_files import CatalogFiles
from hooktui.runner.run import run
name, events, project = sys.argv[1:]
for number in range(int(events)):
    event = {"event_type": "pre-tool-call", "session_id": f"{name}-{number}", "work_dir": project}
    sys.stdin = io.TextIOWrapper(io.BytesIO(json.dumps(event).encode()))
    if code := run([], CatalogFiles):
        sys.exit(code)
"""


def test_fifty_processes_with_twenty_events_each(agent: Agent) -> None:
    agents = [
        subprocess.Popen(
            [sys.executable, "-I", "-c", AGENT, str(number), str(EVENTS), str(agent.project)],
            env=agent.environment,
            cwd=agent.project,
            stderr=subprocess.PIPE,
            text=True,
        )
        for number in range(PROCESSES)
    ]
    said = [one.communicate(timeout=300)[1] for one in agents]
    assert [one.returncode for one in agents] == [0] * PROCESSES
    assert not [line for text in said for line in text.splitlines() if "spool" not in line]  # waiting there is not a loss
    agent.call(agent.event(session_id="last"))  # imports the spool
    expected = {f"{process}-{event}" for process in range(PROCESSES) for event in range(EVENTS)} | {"last"}
    reports = agent.recorded()
    assert sorted(report["session_id"] for report in reports) == sorted(expected)
    assert [report["id"] for report in reports] == sorted({report["id"] for report in reports})
    with sqlite3.connect(agent.stored()) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    connection.close()


def test_approvals_at_once_all_last(agent: Agent) -> None:
    names = [f"h{number}" for number in range(12)]
    for name in names:
        agent.hook(name, scope="project")
    hooks = {hook["name"]: hook["hash"] for hook in agent.run("status", "--json").json()["hooks"]}
    approving = [agent.start("trust", "--hook", name, "--hash", hooks[name]) for name in names]
    assert [one.wait().code for one in approving] == [0] * len(names)
    assert {hook["trust"] for hook in agent.run("status", "--json").json()["hooks"]} == {"trusted"}


def test_first_runs_at_once_all_find_their_guard(agent: Agent) -> None:
    agent.hook("guard", "#!/bin/sh\nexit 2\n")
    calling = [
        subprocess.Popen(
            [*HOOKTUI, "run"], env=agent.environment, cwd=agent.project, stdin=subprocess.PIPE, stderr=subprocess.PIPE
        )
        for _ in range(20)
    ]
    for one in calling:
        one.communicate(json.dumps(agent.event()).encode(), 60)
    assert [one.returncode for one in calling] == [2] * 20
    assert len(agent.recorded()) == 20
