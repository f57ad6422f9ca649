"""Misbehaving hooks: deadlines hold, no process is left behind, and the answer is never late."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
from contextlib import closing
from pathlib import Path

import pytest

from tests.command_world import DEADLINE_S, HOOKTUI, wait_until
from tests.faults.agent import DENY, Agent

LONG_S = 300  # far longer than any test may take

_STANDARD_SIGNALS = (1 << 31) - 1  # bits of SigIgn; above are the C library's own


def alive(pid_file: Path) -> bool:
    """Whether the process with the id in a file still runs."""
    pid = int(pid_file.read_text())
    try:
        os.kill(pid, 0)
        with open(f"/proc/{pid}/stat") as stat:
            return stat.read().rpartition(")")[2].split()[0] != "Z"
    except (ProcessLookupError, FileNotFoundError):
        return False


def test_a_timeout_ends_the_hook_and_all_it_started(agent: Agent) -> None:
    agent.hook("slow", f"#!/bin/sh\nsleep {LONG_S} & echo $! > child\nsh -c 'echo $$ > own; sleep {LONG_S}'\n", timeout=300)
    report = agent.call(None, "--json").json()
    assert report["hooks"][0]["state"] == "timeout"
    wait_until(lambda: not alive(agent.project / "child") and not alive(agent.project / "own"))


def test_a_hook_that_ignores_sigterm_is_ended_all_the_same(agent: Agent) -> None:
    agent.hook("stubborn", "#!/bin/sh\ntrap '' TERM INT HUP\nwhile :; do sleep 1; done\n", timeout=200)
    report = agent.call(None, "--json").json()
    assert (report["hooks"][0]["state"], report["decision"]) == ("timeout", "none")


def test_a_grandchild_that_keeps_the_pipe_does_not_delay_the_answer(agent: Agent) -> None:
    agent.hook("leaky", f"#!/bin/sh\nsleep {LONG_S} & echo $! > child\necho no >&2\nexit 2\n", timeout=300_000)
    done = agent.call()
    assert (done.code, done.stderr) == (2, "no\n")
    os.kill(int((agent.project / "child").read_text()), signal.SIGKILL)


def test_output_written_just_before_the_end_is_read_completely(agent: Agent) -> None:
    agent.hook("late", "#!/usr/bin/env python3\nimport os, sys\nos.write(2, b'r' * 60000)\nos._exit(2)\n")
    done = agent.call()
    assert (done.code, done.stderr.strip()) == (2, "r" * 60000)


@pytest.mark.parametrize(("ending", "code"), [("exit 2", 2), ("exit 0", 0), ("kill -9 $$", 0)])
def test_a_hook_that_never_reads_8_mb_of_stdin_keeps_its_exit_code(agent: Agent, ending: str, code: int) -> None:
    agent.hook("deaf", f"#!/bin/sh\n{ending}\n")
    assert agent.call(agent.event(tool_input={"content": "x" * 8_000_000})).code == code


def test_a_hook_that_closes_stdin_and_keeps_running_is_waited_for(agent: Agent) -> None:
    agent.hook("shut", "#!/bin/sh\nexec 0<&-\nsleep 0.3\necho no >&2\nexit 2\n")
    assert agent.call(agent.event(tool_input={"content": "x" * 8_000_000})).code == 2


def test_a_hook_that_closes_its_outputs_and_keeps_running_is_waited_for(agent: Agent) -> None:
    agent.hook("silent", "#!/bin/sh\nexec 1>&- 2>&-\nsleep 0.3\nexit 2\n")
    done = agent.call()
    assert (done.code, done.stderr) == (2, "Blocked by hook silent\n")


def test_a_flood_on_both_streams_is_drained_capped_and_ended_in_time(agent: Agent) -> None:
    agent.hook("flood", "#!/bin/sh\nyes no >&2 &\nyes yes\n", timeout=400)
    report = agent.call(None, "--json").json()
    (run,) = report["hooks"]
    assert (run["state"], run["truncated"]) == ("timeout", True)
    assert len(run["stdout"]) < 200_000


def test_a_hook_that_kills_its_own_group_is_a_failure(agent: Agent) -> None:
    agent.hook("rash", "#!/bin/sh\nkill -9 0\n")
    agent.hook("then", DENY)
    report = agent.call(None, "--json").json()
    assert [(run["name"], run["state"], run["signal"]) for run in report["hooks"]] == [
        ("rash", "failed", 9),
        ("then", "ok", None),
    ]
    assert report["decision"] == "deny"


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_an_agent_that_gives_up_leaves_no_hook_behind(agent: Agent, number: signal.Signals) -> None:
    agent.hook("slow", f"#!/bin/sh\necho $$ > own\nexec sleep {LONG_S}\n")
    agent.hook("unwanted", "#!/bin/sh\ntouch ran\n", priority=1)
    process = subprocess.Popen(
        [*HOOKTUI, "run"], env=agent.environment, cwd=agent.project, stdin=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdin
    assert process.stderr
    process.stdin.write('{"event_type": "pre-tool-call", "session_id": "s"}')
    process.stdin.close()
    wait_until(lambda: (agent.project / "own").exists() and (agent.project / "own").read_text())
    process.send_signal(number)
    code = process.wait(DEADLINE_S)
    assert "interrupted" in process.stderr.read()
    process.stderr.close()
    assert code == -number
    wait_until(lambda: not alive(agent.project / "own"))
    assert not (agent.project / "ran").exists()
    (report,) = agent.recorded()
    states = {run["name"]: (run["state"], run["skip"]) for run in report["hooks"]}
    assert states == {"slow": ("interrupted", None), "unwanted": ("skipped", "blocked-earlier")}


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_when_hooks_have_ended_leaves_what_was_decided_recorded_and_answered(
    agent: Agent, number: signal.Signals
) -> None:
    agent.hook("guard", "#!/bin/sh\ntouch ran\necho no >&2\nexit 2\n")
    agent.call(agent.event("post-tool-call"))
    with (
        closing(sqlite3.connect(agent.stored(), isolation_level=None)) as holder,
        subprocess.Popen(
            [*HOOKTUI, "run"],
            env=agent.environment,
            cwd=agent.project,
            stdin=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        ) as process,
    ):
        holder.execute("BEGIN IMMEDIATE")  # so that recording takes a while
        assert process.stdin
        assert process.stderr
        process.stdin.write(json.dumps(agent.event()))
        process.stdin.close()
        wait_until((agent.project / "ran").exists)
        process.send_signal(number)
        said = process.stderr.read()
    assert "Traceback" not in said
    assert process.returncode == (2 if said == "no\n" else -number)
    assert len(agent.recorded()) == 2


def test_an_agent_that_closed_its_end_of_stdout_gets_its_exit_code(agent: Agent) -> None:
    agent.hook("talk", '#!/bin/sh\necho \'{"additional_context": "x"}\'\n')
    agent.hook("guard", DENY, trigger="post-tool-call")
    for event, expected in (("pre-tool-call", (0, 1)), ("post-tool-call", (2,))):
        reader, writer = os.pipe()
        os.close(reader)
        process = subprocess.Popen(
            [*HOOKTUI, "run"],
            env=agent.environment,
            cwd=agent.project,
            stdin=subprocess.PIPE,
            stdout=writer,
            stderr=subprocess.PIPE,
        )
        os.close(writer)
        _, stderr = process.communicate(b'{"event_type": "%s", "session_id": "s"}' % event.encode(), DEADLINE_S)
        assert process.returncode in expected
        assert b"Traceback" not in stderr
    assert [report["decision"] for report in agent.recorded()] == ["none", "deny"]


@pytest.mark.parametrize("arguments", [[], ["--json"]], ids=["plain", "json"])
def test_a_denial_holds_when_no_output_can_be_written(agent: Agent, arguments: list[str]) -> None:
    agent.hook("guard", DENY)
    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            [*HOOKTUI, "run", *arguments],
            input=json.dumps(agent.event()).encode(),
            env=agent.environment,
            cwd=agent.project,
            stdout=full,
            stderr=full,
            check=False,
        )
    assert done.returncode == 2
    assert [report["decision"] for report in agent.recorded()] == ["deny"]


def test_closed_standard_streams_are_survived(agent: Agent) -> None:
    agent.hook("guard", DENY)
    script = 'exec 1>&- 2>&-; printf \'{"event_type": "pre-tool-call"}\' | "$@" run'
    done = subprocess.run(["sh", "-c", script, "sh", *HOOKTUI], env=agent.environment, cwd=agent.project, check=False)
    assert done.returncode == 2
    assert [report["decision"] for report in agent.recorded()] == ["deny"]


def test_closed_stdin_is_wrong_use(agent: Agent) -> None:
    done = subprocess.run(
        ["sh", "-c", 'exec 0<&-; exec "$@" run', "sh", *HOOKTUI],
        env=agent.environment, cwd=agent.project, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 64
    assert "Traceback" not in done.stderr


def test_hooks_get_the_signals_and_descriptors_that_a_shell_would_give_them(agent: Agent) -> None:
    script = """#!/bin/sh
grep SigIgn /proc/self/status
ls -l /proc/self/fd | grep -c -E ' ([3-9]|[0-9][0-9]+) -> (pipe|socket|anon|.*log.db)'
ps -o sid= -p $$ | grep -qw $$ && echo leads its session
"""
    agent.hook("curious", script)
    agent.hook("first", "#!/bin/sh\n", priority=999)
    report = agent.call(None, "--json").json()
    ran = {run["name"]: run["stdout"] for run in report["hooks"]}
    ignored, descriptors, session, _ = ran["curious"].split("\n")
    assert int(ignored.removeprefix("SigIgn:\t"), 16) & _STANDARD_SIGNALS == 0
    assert (descriptors, session) == ("0", "leads its session")
