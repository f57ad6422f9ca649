"""Secrets in arguments of programs, on every way into the log: none of their bytes is in any file."""

from __future__ import annotations

import json
import shlex
import sqlite3
import subprocess
from contextlib import closing

from hooktui.stack import HookStack, Recorder, ToolCall, ToolHookContext
from tests.command_world import DEADLINE_S, HOOKTUI, wait_until
from tests.faults.agent import Agent
from tests.unit.runner.test_redaction import SECRETS
from tests.unit.runner.test_secret_options import GIVEN, GIVEN_LONG, LONG, SECRET

COMMANDS = [*(one.format(SECRET) for one in GIVEN), *(one.format(LONG) for one in GIVEN_LONG), *SECRETS.values()]
PRINTING = "#!/bin/sh\ncat\ncat <<'THE-END' >&2\n{}\nTHE-END\n".format("\n".join(COMMANDS))
FORMATS = ("jsonl", "csv", "md", "html")


def assert_clean(agent: Agent) -> None:
    for path in agent.db.parent.rglob("*"):
        content = path.read_bytes() if path.is_file() else b""
        for secret in ("hunter2", *SECRETS.values()):
            assert secret.encode() not in content, f"{secret} in {path.name}"


def assert_exports_are_clean(agent: Agent) -> None:
    for name in FORMATS:
        agent.run("export", "-o", str(agent.db.with_name(f"out.{name}")))
    assert_clean(agent)


def test_an_agents_event_and_what_its_hook_prints(agent: Agent) -> None:
    agent.hook("loud", PRINTING)
    agent.call(agent.event())
    with closing(sqlite3.connect(agent.stored(), isolation_level=None)) as holder:
        holder.execute("BEGIN IMMEDIATE")
        agent.call(agent.event(tool_input={"commands": COMMANDS, "script": "\n".join(COMMANDS)}))
        assert agent.db.with_name("log.db.spool").stat().st_size
        assert_clean(agent)
    agent.call(agent.event())
    assert len(agent.recorded()) == 3
    assert_exports_are_clean(agent)


def test_a_command_that_is_observed_and_all_it_reads_and_says(agent: Agent) -> None:
    payload = {"hook_event_name": "PreToolUse", "session_id": "s", "tool_name": "Bash", "tool_input": {"commands": COMMANDS}}
    inside = f"cat; : {shlex.quote(COMMANDS[0])}"
    subprocess.run(
        [*HOOKTUI, "exec", "--host", "claude", "--", "sh", "-c", inside], input=json.dumps(payload).encode(),
        env=agent.environment, cwd=agent.project, capture_output=True, timeout=DEADLINE_S, check=True,
    )  # fmt: skip
    wait_until(agent.recorded)
    assert_exports_are_clean(agent)


async def test_what_a_python_agent_records(agent: Agent) -> None:
    with Recorder("s", str(agent.project), str(agent.db)) as recorder:
        stack = HookStack(recorder=recorder)
        await stack.process(ToolHookContext.before(ToolCall("Shell", {"commands": COMMANDS})), lambda _context: None)
    assert agent.recorded()
    assert_exports_are_clean(agent)
