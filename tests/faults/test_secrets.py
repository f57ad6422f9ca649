"""A secret that an agent sends or a hook prints is in none of the files that hooktui writes, byte by byte."""

from __future__ import annotations

import base64
import json
import re
import sqlite3
import subprocess
import zlib
from collections.abc import Iterator
from contextlib import closing
from typing import Any

import pytest

from hooktui.log.store import database
from tests.command_world import DEADLINE_S, HOOKTUI, wait_until
from tests.faults.agent import Agent

SECRET = "ghp" + "_" + "aB3" * 12
PASSWORD = "correct horse; \"battery\", 'staple'"
OWN = "ACME-12345678"
PRINTING = f"#!/bin/sh\necho 'out {SECRET} {OWN}'\necho 'err {SECRET}' >&2\n"


@pytest.fixture(autouse=True)
def configured(agent: Agent) -> None:
    agent.configure("[log]\nredact = ['ACME-[0-9]{8}']\n")


def told(agent: Agent) -> dict[str, Any]:
    """An event with secrets in every place."""
    command = f"curl -H 'Authorization: Bearer {SECRET}' {OWN}"
    given = {"command": command, "env": {"DB_PASSWORD": PASSWORD}, SECRET: OWN, "text": f"line\n{SECRET}\n"}
    return agent.event(session_id=f"s {SECRET}", tool_input=given, transcript=f"/tmp/{OWN}")


def written(agent: Agent) -> Iterator[tuple[str, bytes]]:
    """Every file of hooktui's state, WAL and spool included."""
    for path in agent.db.parent.rglob("*"):
        if path.is_file():
            yield path.name, path.read_bytes()


def assert_clean(agent: Agent, *names: str) -> None:
    files = dict(written(agent))
    assert set(names) <= files.keys()
    assert any(b"[redacted]" in content for content in files.values())
    for name, content in files.items():
        for secret in (SECRET, OWN, "battery"):
            assert secret.encode() not in content, name
            assert secret.encode("utf-16-le") not in content, name


def test_not_in_the_log_nor_its_wal(agent: Agent) -> None:
    agent.hook("loud", PRINTING, note=f"never commit {SECRET}")
    agent.call(told(agent))
    assert_clean(agent, "log.db.spool")
    with closing(database.connect(str(agent.stored()))):  # the last to close the log removes the WAL
        agent.call(told(agent))
        agent.stored()
        assert_clean(agent, "log.db", "log.db-wal")
    assert "[redacted]" in agent.run("log", "--json").stdout


def test_not_in_the_spool(agent: Agent) -> None:
    agent.hook("loud", PRINTING, note=f"never commit {SECRET}")
    agent.call(agent.event())
    with closing(sqlite3.connect(agent.stored(), isolation_level=None)) as holder:
        holder.execute("BEGIN IMMEDIATE")
        agent.call(told(agent))
        assert_clean(agent, "log.db", "log.db.spool")
    agent.stored()
    assert_clean(agent, "log.db")


def test_not_in_an_export(agent: Agent) -> None:
    agent.hook("loud", PRINTING)
    agent.call(told(agent))
    for name in ("jsonl", "csv", "md", "html"):
        agent.run("export", "-o", str(agent.db.with_name(f"out.{name}")))
    page = agent.db.with_name("out.html").read_text()
    for number, chunk in enumerate(re.findall(r'class="chunk">([^<]+)<', page)):
        agent.db.with_name(f"chunk-{number}").write_bytes(zlib.decompress(base64.b64decode(chunk)))
    assert_clean(agent, "out.jsonl", "out.csv", "out.md", "out.html", "chunk-0")


def test_not_when_an_async_hook_ends(agent: Agent) -> None:
    later: Any = {"async": True}
    agent.hook("later", PRINTING, **later)
    agent.call(told(agent))
    wait_until(lambda: agent.recorded()[0]["hooks"][0]["state"] != "started")
    assert_clean(agent, "log.db")


def test_not_when_a_hosts_own_command_is_observed(agent: Agent) -> None:
    payload = {"hook_event_name": "PreToolUse", "session_id": "s", "tool_name": "Bash", "tool_input": {"command": SECRET}}
    command = ["sh", "-c", f"cat; echo {OWN}; : --token battery", SECRET]
    subprocess.run(
        [*HOOKTUI, "exec", "--host", "claude", "--", *command],
        input=json.dumps(payload).encode(), env=agent.environment, cwd=agent.project,
        capture_output=True, timeout=DEADLINE_S, check=True,
    )  # fmt: skip
    wait_until(agent.recorded)
    assert_clean(agent, "log.db")


def test_not_when_the_project_or_the_command_is_called_so(agent: Agent) -> None:
    agent.hook("loud", PRINTING)
    project = agent.project / f"proj-{SECRET}-{OWN}"
    project.mkdir()
    script = project / SECRET
    script.write_text(PRINTING)
    script.chmod(0o755)
    event = agent.event(work_dir=str(project), tool_input={"credentials": {"all": ["battery"]}})
    agent.call(event)
    command = [*HOOKTUI, "exec", "--host", "claude", "--", str(script)]
    subprocess.run(
        command, input=json.dumps({**event, "hook_event_name": "PreToolUse", "cwd": str(project)}).encode(),
        env=agent.environment, cwd=project, capture_output=True, timeout=DEADLINE_S, check=True,
    )  # fmt: skip
    asked = f"project:{project}"
    wait_until(lambda: len(agent.run("log", asked, "--json").stdout.splitlines()) == 2)
    for name in ("jsonl", "csv", "md", "html"):
        agent.run("export", asked, "-o", str(agent.db.with_name(f"out.{name}")))
    assert_clean(agent, "log.db", "out.jsonl", "out.csv", "out.md", "out.html")


def test_not_when_a_hook_prints_it_behind_escapes(agent: Agent) -> None:
    escaped = f"\\u0067{SECRET[1:]}"
    agent.hook("loud", f"#!/bin/sh\nprintf '%s' '{{\"log\": \"{escaped}\"}}'\n")
    agent.call()
    (hook,) = agent.recorded()[0]["hooks"]
    assert hook["stdout"] == '{"log": "[redacted]"}'
    assert_clean(agent, "log.db")


def test_a_gate_counts_its_denials_although_the_session_is_called_like_a_secret(agent: Agent) -> None:
    agent.hook("gate", "#!/bin/sh\necho no >&2\nexit 2\n", trigger="pre-agent-turn-stop")
    codes = [agent.call(agent.event("pre-agent-turn-stop", session_id=f"s {SECRET}")).code for _ in range(4)]
    assert codes == [2, 2, 2, 0]
