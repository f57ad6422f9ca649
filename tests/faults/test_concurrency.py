"""Many agents write one log at the same time, even a new one: no event is lost or stored twice."""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys

from tests.command_world import wait_until
from tests.faults.agent import Agent

PROCESSES = 50
EVENTS = 20
# Forks a process for each of the `given`, once all modules are there; ends with the sum of their exit codes.
AT_ONCE = """
import gc, io, json, os, sys
from hooktui.catalog.hook_files import CatalogFiles
from hooktui.cli.main import main
from hooktui.runner.run import run

def at_once(do, given):
    gc.freeze()  # or each process that collects garbage copies all pages
    pids = []
    for one in given:
        if not (pid := os.fork()):
            os._exit(do(one))
        pids.append(pid)
    sys.exit(sum(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) for pid in pids))
"""
# One process: this many events in sequence, each with a session of its own.
AGENTS = """
def agent(name):
    for number in range(events):
        event = {"event_type": "pre-tool-call", "session_id": f"{name}-{number}", "work_dir": project}
        sys.stdin = io.TextIOWrapper(io.BytesIO(json.dumps(event).encode()))
        if code := run([], CatalogFiles):
            return code
    return 0

processes, events, project = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
at_once(agent, range(processes))
"""
APPROVALS = "at_once(lambda hook: main(['trust', '--hook', hook[0], '--hash', hook[1]]), json.loads(sys.argv[1]).items())"


def forked(agent: Agent, script: str, *arguments: object) -> subprocess.CompletedProcess[str]:
    """Run a script that forks its processes `at_once`."""
    command = [sys.executable, "-I", "-c", AT_ONCE + script, *map(str, arguments)]
    return subprocess.run(
        command, env=agent.environment, cwd=agent.project, capture_output=True, text=True, timeout=300, check=False
    )


def test_fifty_processes_with_twenty_events_each(agent: Agent) -> None:
    # Without a plan each process would load all hooks; the log is still new.
    plans = agent.home / ".cache/hooktui/index"
    wait_until(lambda: agent.call(env={"HOOKTUI_DB": str(agent.home / "other.db")}).code == 0 and plans.exists())
    done = forked(agent, AGENTS, PROCESSES, EVENTS, agent.project)
    assert done.returncode == 0
    assert not [line for line in done.stderr.splitlines() if "spool" not in line]  # waiting there is not a loss
    agent.call(agent.event(session_id="last"))  # imports the spool
    expected = {f"{process}-{event}" for process in range(PROCESSES) for event in range(EVENTS)} | {"last"}
    reports = agent.recorded()
    assert sorted(report["session_id"] for report in reports) == sorted(expected)
    assert [report["id"] for report in reports] == sorted({report["id"] for report in reports})
    with sqlite3.connect(agent.stored()) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    connection.close()


def test_approvals_at_once_all_last(agent: Agent) -> None:
    for number in range(8):
        agent.hook(f"h{number}", scope="project")
    hooks = {hook["name"]: hook["hash"] for hook in agent.run("status", "--json").json()["hooks"]}
    assert forked(agent, APPROVALS, json.dumps(hooks)).returncode == 0
    assert {hook["trust"] for hook in agent.run("status", "--json").json()["hooks"]} == {"trusted"}


def test_first_runs_at_once_all_find_their_guard(agent: Agent) -> None:
    agent.hook("guard", "#!/bin/sh\nexit 2\n")
    assert forked(agent, AGENTS, 10, 1, agent.project).returncode == 10 * 2
    assert len(agent.recorded()) == 10
