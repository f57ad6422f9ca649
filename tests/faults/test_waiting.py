"""Nobody waits for the log, and nothing of it is lost: stopped processes, killed ones, a full disk."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from hooktui.core import events
from hooktui.runner.journal import spool
from tests.command_world import DEADLINE_S, HOOKTUI, wait_until
from tests.faults.agent import DENY, Agent
from tests.faults.places import small_disk

# Holds every lock that there is: of the spool, of the intake, of each file of ours, and of the database, also for readers.
HOLDER = """
import fcntl, os, sqlite3, sys, time
db, *directories = sys.argv[1:]
files = [os.path.join(top, name) for directory in directories for top, _, names in os.walk(directory) for name in names]
for name in {db + ".spool", db + ".intake", *files} - {db, db + "-wal", db + "-shm"}:
    fcntl.flock(os.open(name, os.O_RDONLY | os.O_CREAT, 0o600), fcntl.LOCK_EX)
log = sqlite3.connect(db, isolation_level=None)
log.execute("PRAGMA locking_mode = EXCLUSIVE")
log.execute("BEGIN EXCLUSIVE")
print("locked", flush=True)
time.sleep(60)
"""


ASYNC: Any = {"async": True}  # a keyword that Python keeps for itself


@contextmanager
def every_lock_held(agent: Agent) -> Iterator[None]:
    """A stopped process holds every lock."""
    directories = (agent.db.parent, agent.home / ".cache", agent.home / ".config")
    holder = subprocess.Popen([sys.executable, "-c", HOLDER, agent.db, *directories], stdout=subprocess.PIPE, text=True)
    assert holder.stdout
    assert holder.stdout.readline() == "locked\n"
    holder.send_signal(signal.SIGSTOP)
    try:
        yield
    finally:
        holder.kill()
        holder.communicate()


def sessions(agent: Agent) -> list[str]:
    return [report["session_id"] for report in agent.recorded()]


@pytest.mark.parametrize("name", ["pre-tool-call", events.GATE, events.PROMPT])
def test_no_lock_of_a_stopped_process_holds_up_an_event(agent: Agent, name: str) -> None:
    agent.hook("guard", DENY, trigger=name)
    agent.call(agent.event(name, session_id="before"))
    agent.recorded()
    agent.call(agent.event(name, session_id="waiting"))
    with every_lock_held(agent):
        done = agent.call(agent.event(name, session_id="meanwhile", prompt="go on"))  # it has a deadline
        assert (done.code, done.stderr) == (2, "no\n")
    assert sessions(agent) == ["before", "waiting", "meanwhile"]


def test_a_gate_counts_what_waits_in_the_spool_and_what_is_taken_from_it(agent: Agent) -> None:
    agent.hook("gate", DENY, trigger=events.GATE)
    stop = agent.event(events.GATE)
    assert agent.call(stop).code == 2
    agent.recorded()
    assert agent.call(stop).code == 2
    os.rename(spool.path_of(str(agent.db)), spool.taken_path(str(agent.db)))  # as an interrupted intake leaves it
    assert agent.call(stop).code == 2
    assert agent.call(stop).code == 0


def test_an_event_leaves_a_long_spool_to_others(agent: Agent) -> None:
    agent.hook("guard", DENY)
    agent.db.mkdir(parents=True)  # nobody can take it in
    lines = agent.db.with_name("log.db.spool")
    agent.call(agent.event(session_id="first"))
    lines.write_bytes(lines.read_bytes() * 5000)
    before = lines.stat().st_ino
    done = agent.call(agent.event(session_id="second"))
    assert (done.code, done.stderr, lines.stat().st_ino) == (2, "no\n", before)
    agent.db.rmdir()
    assert sessions(agent) == ["first", "second"]


def test_the_row_of_an_async_hook_ends_although_its_supervisor_was_killed(agent: Agent) -> None:
    agent.hook("notify", "#!/bin/sh\necho $PPID > own && mv own supervisor\nexec sleep 300\n", timeout=300_000, **ASYNC)
    agent.call()
    wait_until((agent.project / "supervisor").exists)
    assert agent.recorded()[0]["hooks"][0]["state"] == "started"
    os.kill(int((agent.project / "supervisor").read_text()), signal.SIGKILL)
    wait_until(lambda: agent.recorded()[0]["hooks"][0]["state"] != "started")
    (run,) = agent.recorded()[0]["hooks"]
    assert (run["state"], run["problems"]) == ("interrupted", ["the process of hooktui that watched over it was killed"])
    agent.run("doctor", "--verify")


def test_the_row_of_an_async_hook_keeps_its_own_end(agent: Agent) -> None:
    agent.hook("notify", "#!/bin/sh\nexit 3\n", **ASYNC)
    agent.call()
    wait_until(lambda: agent.recorded()[0]["hooks"][0]["state"] == "failed")
    wait_until(lambda: not list(agent.db.with_name("log.db.async").iterdir()))


def test_a_full_disk_keeps_decisions_in_room_set_aside_until_that_is_used_up(agent: Agent) -> None:
    agent.hook("guard", DENY)
    with full_disk(agent) as free:
        warnings = [_warnings(agent, f"s{number}") for number in range(80)]
        kept = sum("No space left on device: this event is logged without payload and output" in text for text in warnings)
        assert kept > 20
        assert all("this event is not recorded" in text for text in warnings[kept:])
        free()
        agent.call(agent.event(session_id="after"))
        assert sessions(agent) == ["before", *(f"s{number}" for number in range(kept)), "after"]


def test_agents_on_a_full_disk_do_not_overwrite_each_other(agent: Agent) -> None:
    agent.hook("guard", DENY)
    with full_disk(agent) as free:
        running = [subprocess.Popen(**_running(agent)) for _ in range(8)]
        payloads = [_long_event(agent, f"s{number}") for number in range(8)]
        for process, payload in zip(running, payloads, strict=True):
            assert process.stdin
            process.stdin.write(payload)
            process.stdin.close()
        assert [process.wait(DEADLINE_S) for process in running] == [2] * 8
        free()
        assert sorted(sessions(agent)) == ["before", *(f"s{number}" for number in range(8))]


@contextmanager
def full_disk(agent: Agent) -> Iterator[Any]:
    """A log with one event on a disk that is full since; a function that frees it."""
    with small_disk(agent.db.parent, kib=4096):
        agent.call(agent.event(session_id="before"))
        assert sessions(agent) == ["before"]
        filler = agent.db.with_name("filler")
        _fill(filler)
        yield filler.unlink


def _fill(path: Path) -> None:
    with path.open("wb", buffering=0) as file:
        try:
            while file.write(b"x" * 4096):
                pass
        except OSError:
            return


def _long_event(agent: Agent, session: str) -> bytes:
    return json.dumps(agent.event(session_id=session, tool_name="T" * 400, tool_input={"content": "x" * 8000})).encode()


def _warnings(agent: Agent, session: str) -> str:
    (warning,) = agent.report(_long_event(agent, session)).json()["warnings"]
    return str(warning)


def _running(agent: Agent) -> dict[str, Any]:
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    return {"args": [*HOOKTUI, "run"], "env": agent.environment, "cwd": agent.project, **pipes}
