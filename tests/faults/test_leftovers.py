"""Nothing of a hook runs on after its timeout, a signal or the runner's death; what it detached before a normal end does."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from tests.command_world import DEADLINE_S, HOOKTUI, wait_until
from tests.faults.agent import Agent

LINUX_ONLY = pytest.mark.skipif(sys.platform != "linux", reason="other systems cannot find what has left the group")
# Ways of a process to leave its parent; each writes its number to the file `pids`.
CHILD = "sh -c 'echo $$ >> pids; exec sleep 300'"
SETSID = f"{sys.executable} -c 'import os, sys; os.setsid(); os.execvp(sys.argv[1], sys.argv[1:])'"
DOUBLE_FORK = f"""{sys.executable} -c '
import os, sys
if os.fork(): os._exit(0)
os.setsid()
if os.fork(): os._exit(0)
for stream in (0, 1, 2): os.dup2(os.open(os.devnull, os.O_RDWR), stream)
open("pids", "a").write(str(os.getpid()) + "\\n")
os.execvp("sleep", ["sleep", "300"])'"""
WAYS = {"background": f"{CHILD} &", "setsid": f"{SETSID} {CHILD} &", "double fork": DOUBLE_FORK}


def pids(project: Path) -> list[int]:
    """The processes that a hook has started."""
    file = project / "pids"
    return [int(line) for line in file.read_text().split()] if file.exists() else []


def running(project: Path) -> list[int]:
    """Those of them that run."""
    return [pid for pid in pids(project) if _is_running(pid)]


def _is_running(pid: int) -> bool:
    try:
        with open(f"/proc/{pid}/stat") as stat:
            return stat.read().rpartition(")")[2].split()[0] not in "ZX"
    except FileNotFoundError:
        return False


def tied(runner: int) -> int:
    """How many hooks the kernel kills when their runner dies: each has a pipe there, both ends of which send signals."""
    ends = 0
    for descriptor in os.listdir(f"/proc/{runner}/fd"):
        with suppress(FileNotFoundError), open(f"/proc/{runner}/fdinfo/{descriptor}") as info:
            flags = next(line for line in info if line.startswith("flags:"))
            ends += bool(int(flags.split()[1], 8) & os.O_ASYNC)
    return ends // 2


@pytest.fixture(autouse=True)
def nothing_left(agent: Agent) -> Iterator[None]:
    """End what a failing test has left."""
    yield
    for pid in running(agent.project):
        os.kill(pid, signal.SIGKILL)


def start(agent: Agent, in_child: Callable[[], object] | None = None) -> subprocess.Popen[bytes]:
    """Send an event and do not wait for the answer."""
    process = subprocess.Popen(
        [*HOOKTUI, "run"],
        env=agent.environment,
        cwd=agent.project,
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        preexec_fn=in_child,
    )
    assert process.stdin
    process.stdin.write(json.dumps(agent.event()).encode())
    process.stdin.close()
    return process


def script(way: str, *, count: int = 2, end: str = "echo $$ >> pids; exec sleep 300") -> str:
    """A hook that starts a process in some way, waits until it runs and ends."""
    waits = f"until test -f pids && test $(wc -l < pids) -ge {count - 1}; do sleep 0.02; done"
    return f"#!/bin/sh\n{WAYS[way]}\n{waits}\n{end}\n"


@LINUX_ONLY
@pytest.mark.parametrize("way", WAYS)
def test_a_timeout_ends_all_that_the_hook_has_started(agent: Agent, way: str) -> None:
    agent.hook("slow", script(way), timeout=2000)
    (run,) = agent.report().json()["hooks"]
    assert run["state"] == "timeout"
    assert len(pids(agent.project)) == 2
    assert running(agent.project) == []


@LINUX_ONLY
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGQUIT])
def test_a_signal_ends_all_that_the_hook_has_started(agent: Agent, way: str, number: signal.Signals) -> None:
    agent.hook("slow", script(way))
    process = start(agent)
    wait_until(lambda: len(running(agent.project)) == 2)
    process.send_signal(number)
    assert process.wait(DEADLINE_S) == -number
    assert running(agent.project) == []
    (report,) = agent.recorded()
    assert [run["state"] for run in report["hooks"]] == ["interrupted"]


@LINUX_ONLY
def test_the_death_of_the_runner_ends_the_hook_and_its_group(agent: Agent) -> None:
    agent.hook("slow", script("background"))
    process = start(agent)
    wait_until(lambda: len(running(agent.project)) == 2 and tied(process.pid) == 1)
    process.kill()
    process.wait(DEADLINE_S)
    wait_until(lambda: not running(agent.project))


@LINUX_ONLY
def test_the_death_of_the_runner_ends_all_hooks_that_run_at_once(agent: Agent) -> None:
    settings = agent.home / ".claude/settings.json"
    settings.parent.mkdir()
    entries = [{"type": "command", "command": f"echo $$ >> pids; exec sleep {300 + number}"} for number in range(5)]
    settings.write_text(json.dumps({"hooks": {"PreToolUse": [{"hooks": entries}]}}))
    agent.configure('[run]\nformats = ["claude"]\n')
    process = start(agent)
    wait_until(lambda: len(running(agent.project)) == 5 and tied(process.pid) == 5)
    process.kill()
    process.wait(DEADLINE_S)
    wait_until(lambda: not running(agent.project))


@LINUX_ONLY
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_the_death_of_its_supervisor_ends_an_async_hook(agent: Agent, number: signal.Signals) -> None:
    fields: Any = {"async": True}  # a keyword of Python
    agent.hook("watcher", script("background"), **fields)
    assert agent.call().code == 0
    wait_until(lambda: len(running(agent.project)) == 2)
    hook = max(running(agent.project), key=lambda pid: os.getpgid(pid) == pid)
    with open(f"/proc/{hook}/stat") as stat:
        supervisor = int(stat.read().rpartition(")")[2].split()[1])
    wait_until(lambda: tied(supervisor) == 1)
    os.kill(supervisor, number)
    wait_until(lambda: not running(agent.project))


@pytest.mark.parametrize("way", WAYS)
def test_what_a_hook_detached_before_a_normal_end_stays(agent: Agent, way: str) -> None:
    agent.hook("starter", script(way, end="exit 0"))
    assert agent.call().code == 0
    assert len(running(agent.project)) == 1


def test_an_ignored_signal_stays_ignored(agent: Agent) -> None:
    agent.hook("guard", "#!/bin/sh\necho $$ > pids\nuntil test -e go; do sleep 0.02; done\necho no >&2\nexit 2\n")
    process = start(agent, lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
    wait_until(lambda: running(agent.project))
    process.send_signal(signal.SIGHUP)
    (agent.project / "go").touch()
    assert process.wait(DEADLINE_S) == 2
