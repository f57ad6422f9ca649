"""An event in the warm runner has the surroundings of its caller, or the cold runner handles it."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
from pathlib import Path

import pytest

from tests.command_world import DEADLINE_S, HOOKTUI
from tests.faults.agent import Agent
from tests.warm_runner import COLD, WarmRunner, send


def test_nothing_of_one_event_reaches_another(served: WarmRunner, agent: Agent, tmp_path: Path) -> None:
    seen = tmp_path / "seen"
    agent.hook("spy", f"#!/bin/sh\n{{ pwd; umask; ulimit -n; echo $MINE-$THEIRS; ls /proc/self/fd; }} > {seen}\n")

    def surroundings(cold: bool, **env: str) -> str:
        def in_child() -> None:
            os.umask(0o007 if "MINE" in env else 0o022)
            resource.setrlimit(resource.RLIMIT_NOFILE, (200, 300) if "MINE" in env else (400, 500))

        if cold:
            agent.call(env=env, in_child=in_child)
        else:
            assert send(served, agent, env=env, in_child=in_child).returncode == 0
        return seen.read_text()

    mine, theirs = surroundings(False, MINE="1"), surroundings(False, THEIRS="2")
    assert (mine, theirs) == (surroundings(True, MINE="1"), surroundings(True, THEIRS="2"))
    assert "0007\n200\n1-\n" in mine
    assert "0022\n400\n-2\n" in theirs


@pytest.mark.parametrize("locale", [{}, {"LC_ALL": "C"}, {"LANG": "C.UTF-8"}, {"LANG": "xx_YY.UTF-8"}], ids=str)
def test_hooks_get_the_environment_of_the_cold_runner(
    served: WarmRunner, agent: Agent, tmp_path: Path, locale: dict[str, str]
) -> None:
    seen = tmp_path / "seen"
    agent.hook("spy", f"#!{sys.executable} -I\nimport os\nopen({str(seen)!r}, 'w').write(repr(sorted(os.environ.items())))\n")
    base = {"HOME": str(agent.home), "PATH": os.environ["PATH"], "XDG_RUNTIME_DIR": str(served.runtime), **locale}
    agent.call(command=HOOKTUI, env={"LANG": None, "TERM": None, **base})
    cold = seen.read_text()
    assert served.run(["--json"], json.dumps(agent.event()).encode(), base, agent.project).returncode == 0
    assert without_ids(seen.read_text()) == without_ids(cold)


def without_ids(environment: str) -> list[tuple[str, str]]:
    return [(name, value) for name, value in eval(environment) if name != "HOOKTUI_RUN"]


def may_raise_limits() -> bool:
    """Whether processes of this user raise hard limits (CAP_SYS_RESOURCE)."""
    with open("/proc/self/status") as status:
        (mask,) = (line.split()[1] for line in status if line.startswith("CapEff:"))
    return bool(int(mask, 16) >> 24 & 1)


@pytest.mark.skipif(may_raise_limits(), reason="this user may raise its limits")
def test_client_with_a_higher_limit_than_the_server_is_handled_cold(runner: WarmRunner, agent: Agent) -> None:
    runner.start(preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (100, 100)))
    assert send(runner, agent).returncode == COLD


def test_sandboxed_client_is_handled_in_its_sandbox(served: WarmRunner, agent: Agent) -> None:
    command = ("setpriv", "--no-new-privs", *served.command("--json"))
    env = {**agent.environment, "XDG_RUNTIME_DIR": str(served.runtime)}
    try:
        done = subprocess.run(command, input=b"{}", env=env, capture_output=True, timeout=DEADLINE_S, check=False)
    except FileNotFoundError:
        pytest.skip("setpriv is not installed")
    assert done.returncode == COLD


def test_closed_stream_is_handled_cold(served: WarmRunner, agent: Agent) -> None:
    assert send(served, agent, in_child=lambda: os.close(2)).returncode == COLD
