"""Hooks that print without end: the answer stays small, says what was cut, and memory stays bounded."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from tests.command_world import DEADLINE_S, HOOKTUI
from tests.faults.agent import Agent

MB = 1_000_000
NULS = f"head -c {100 * MB} /dev/zero"
CAP = 2 * 65536
# Starts a program from a small process, whose memory would count too, and prints the most that the program took, in KiB.
MEASURE = """
import os, sys
pid = os.posix_spawn(sys.argv[1], sys.argv[1:], os.environ)
_, status, usage = os.wait4(pid, 0)
print(usage.ru_maxrss, file=sys.stderr)
sys.exit(os.waitstatus_to_exitcode(status))
"""


def test_nuls_on_both_streams_take_little_memory_and_output(agent: Agent) -> None:
    agent.hook("first", f"#!/bin/sh\n{NULS}\n{NULS} >&2\n", priority=900)
    agent.hook("second", f"#!/bin/sh\n{NULS}\n{NULS} >&2\nexit 2\n", priority=800)
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", MEASURE, *HOOKTUI, "run", "--json"],
        input=json.dumps(agent.event()).encode(),
        env=agent.environment,
        capture_output=True,
        timeout=DEADLINE_S,
        check=False,
    )
    report = json.loads(done.stdout)
    assert (done.returncode, report["decision"]) == (2, "deny")
    assert int(done.stderr.split()[-1]) < 80 * 1024
    assert len(done.stdout) < 12 * len(report["hooks"]) * CAP * 2  # a NUL is six characters of JSON
    assert all(hook["truncated"] for hook in report["hooks"])


@pytest.mark.parametrize("is_json", [False, True], ids=["stderr", "json"])
def test_a_reason_of_10_mb_reaches_the_agent_cut(agent: Agent, is_json: bool) -> None:
    text = f"printf 'Never do this: '; head -c {10 * MB} /dev/zero | tr '\\0' x; printf ' the end'"
    wrapped = f'printf \'{{"decision": "deny", "reason": "\'\n{text}\nprintf \'"}}\'\n'
    agent.hook("loud", f"#!/bin/sh\n{wrapped}" if is_json else f"#!/bin/sh\nexec >&2\n{text}\nexit 2\n")
    done = agent.call()
    assert done.code == 2
    assert len(done.stderr) < CAP + 200
    assert done.stderr.startswith("Never do this: xxx")
    assert "characters left out" in done.stderr
