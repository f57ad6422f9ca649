"""Async hooks: the agent does not wait, and no run is lost, whatever happens to the agent."""

from __future__ import annotations

import json
import os
import subprocess
from typing import Any

from tests.command_world import DEADLINE_S, HOOKTUI, wait_until
from tests.faults.agent import Agent

ASYNC: Any = {"async": True}  # a keyword that Python keeps for itself


def end_of(agent: Agent) -> dict[str, Any]:
    """The recorded run, once it has ended."""
    runs: list[dict[str, Any]] = []

    def ended() -> bool:
        runs[:] = agent.recorded()[0]["hooks"]
        return bool(runs[0]["state"] != "started")

    wait_until(ended)
    return runs[0]


def test_its_end_output_and_exit_code_are_recorded(agent: Agent) -> None:
    agent.hook(
        "notify", "#!/bin/sh\ncat > seen\necho told; echo oops >&2\nuntil test -e go; do sleep 0.02; done\nexit 3\n", **ASYNC
    )
    report = agent.call(None, "--json").json()
    assert report["hooks"][0]["state"] == "started"
    (agent.project / "go").touch()
    run = end_of(agent)
    assert (run["state"], run["exit_code"], run["stdout"], run["stderr"]) == ("failed", 3, "told\n", "oops\n")
    assert json.loads((agent.project / "seen").read_text())["tool_name"] == "Shell"


def test_its_timeout_holds(agent: Agent) -> None:
    agent.hook("stuck", "#!/bin/sh\necho $$ > own\nexec sleep 300\n", timeout=300, **ASYNC)
    agent.call()
    assert end_of(agent)["state"] == "timeout"
    pid = int((agent.project / "own").read_text())
    wait_until(lambda: not os.path.exists(f"/proc/{pid}"))


def test_a_decision_of_it_decides_nothing_but_is_recorded(agent: Agent) -> None:
    agent.hook("late", "#!/bin/sh\necho no >&2\nexit 2\n", **ASYNC)
    assert agent.call().code == 0
    run = end_of(agent)
    assert (run["state"], run["decision"], run["reason"], run["exit_code"]) == ("ok", "none", "no", 2)
    assert run["problems"] == ["deny has no effect: the agent does not wait for an async hook"]
    assert agent.recorded()[0]["decision"] == "none"


def test_it_holds_none_of_the_agents_streams(agent: Agent) -> None:
    agent.hook("long", "#!/bin/sh\nuntil test -e go; do sleep 0.02; done\n", timeout=300_000, **ASYNC)
    agent.call()  # returns when the last writer has closed stdout and stderr
    assert agent.recorded()[0]["hooks"][0]["state"] == "started"
    (agent.project / "go").touch()
    assert end_of(agent)["state"] == "ok"


def test_it_outlives_the_group_of_the_agent(agent: Agent) -> None:
    agent.hook("notify", "#!/bin/sh\nsleep 0.5\ntouch done\n", **ASYNC)
    process = subprocess.Popen(
        [*HOOKTUI, "run"], env=agent.environment, cwd=agent.project, stdin=subprocess.PIPE, start_new_session=True
    )
    process.communicate(json.dumps(agent.event()).encode(), DEADLINE_S)
    wait_until(lambda: (agent.project / "done").exists())
    assert end_of(agent)["state"] == "ok"


def test_one_that_cannot_start_is_recorded_as_failed(agent: Agent) -> None:
    agent.hook("gone", "#!/no/such/interpreter\n", **ASYNC)
    assert agent.call().code == 0
    assert end_of(agent)["state"] == "failed"


def test_an_end_that_comes_before_its_dispatch_is_stored_is_kept(agent: Agent) -> None:
    agent.hook("quick", "#!/bin/sh\nexit 3\n", priority=900, **ASYNC)
    agent.hook("patient", f"#!/bin/sh\nuntil [ -e {agent.db}.spool ]; do sleep 0.05; done\n")
    report = agent.call(None, "--json").json()
    assert [run["state"] for run in report["hooks"]] == ["started", "ok"]
    run = end_of(agent)
    assert (run["name"], run["state"], run["exit_code"]) == ("quick", "failed", 3)
    assert len(agent.recorded()) == 1


def test_an_end_whose_log_was_deleted_makes_no_new_one(agent: Agent) -> None:
    agent.call()
    agent.recorded()
    agent.hook("late", f"#!/bin/sh\nwhile [ -e {agent.db} ]; do sleep 0.05; done\n", **ASYNC)
    agent.call()
    agent.recorded()
    spool = agent.db.with_name("log.db.spool")
    agent.db.unlink()
    wait_until(lambda: spool.exists() and spool.stat().st_size)
    assert not agent.db.exists()
