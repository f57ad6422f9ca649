"""The log of `hooktui exec`: by the rules of the host, and kept before it answers, so that no end loses the event."""

from __future__ import annotations

import json
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.command_world import DEADLINE_S, HOOKTUI, wait_until
from tests.unit.runner.exec_world import PAYLOAD, World, script


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path)


def test_log_has_the_decision_by_the_rules_of_the_host(world: World) -> None:
    camel = {"sessionId": "s", "toolName": "bash", "toolArgs": {}}
    stop = {"hook_event_name": "Stop", "agent_name": "a"}
    denial = '{"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "deny"}}'
    nameless = denial.replace('"hookEventName": "PreToolUse", ', "")
    observed: list[tuple[str, dict[str, Any], str, str, str]] = [
        ("claude", PAYLOAD, f"echo '{denial}'", "pre-tool-call", "deny"),
        ("claude", PAYLOAD, f"echo '{nameless}'", "pre-tool-call", "none"),
        ("vscode", PAYLOAD, f"echo '{nameless}'", "pre-tool-call", "deny"),
        ("claude", PAYLOAD, "exit 1", "pre-tool-call", "none"),
        ("claude", PAYLOAD, "exit 2", "pre-tool-call", "deny"),
        ("copilot", camel, "exit 1", "pre-tool-call", "deny"),
        ("azure", stop, "echo more >&2; exit 2", "pre-agent-turn-stop", "deny"),
    ]
    for number, (host, payload, text, _event, _decision) in enumerate(observed):
        call = {**payload, "tool_use_id": f"call-{number}"}
        world.observe(*script(text), stdin=json.dumps(call).encode(), options=("--host", host))
    runs = world.recorded(len(observed))
    assert [(run["host"], run["event"], run["merged"]) for run in runs] == [
        (host, event, decision) for host, _payload, _text, event, decision in observed
    ]
    assert [run["reason"] for run in runs if run["exit_code"] == 2] == ["No stderr output", "more"]


def test_log_has_the_input_and_output(world: World) -> None:
    world.observe(*script("cat; echo note >&2"), stdin=json.dumps(PAYLOAD).encode())
    (run,) = world.recorded()
    assert (run["host"], run["event"], run["tool"], run["name"]) == ("claude", "pre-tool-call", "Bash", "cat; echo")
    assert (json.loads(run["payload"]), run["stdout"], run["stderr"]) == (PAYLOAD, json.dumps(PAYLOAD), "note\n")
    assert (run["state"], run["exit_code"]) == ("ok", 0)


def test_an_entry_is_recognized_although_its_host_has_replaced_a_variable_in_it(world: World) -> None:
    command = "$GEMINI_PROJECT_DIR/guard.sh"
    entry = {"matcher": "*", "hooks": [{"type": "command", "command": command}]}
    (world.project / ".gemini").mkdir()
    (world.project / ".gemini/settings.json").write_text(json.dumps({"hooks": {"BeforeTool": [entry]}}))
    guard = world.project / "guard.sh"
    guard.write_text("#!/bin/sh\n")
    guard.chmod(0o755)
    payload = {**PAYLOAD, "hook_event_name": "BeforeTool", "timestamp": "2026-11-23T11:00:00Z"}
    world.observe("bash", "-c", str(guard), stdin=json.dumps(payload).encode(), options=("--host", "gemini"))
    (run,) = world.recorded()
    assert run["file"].endswith(".gemini/settings.json")


def test_secrets_in_payload_and_output_are_redacted(world: World) -> None:
    secret = "gh" + "p_" + "a1B2c3D4" * 5
    payload = {**PAYLOAD, "tool_input": {"command": f"login {secret}"}}
    done = world.observe("cat", stdin=json.dumps(payload).encode())
    assert secret.encode() in done.stdout
    (run,) = world.recorded()
    assert "[redacted]" in run["payload"]
    assert "[redacted]" in run["stdout"]
    assert [path for path in world.db.parent.rglob("*") if path.is_file() and secret.encode() in path.read_bytes()] == []


def test_unreadable_event_is_relayed_and_logged_as_it_came(world: World) -> None:
    assert world.observe("cat", stdin=b"no event\xff").stdout == b"no event\xff"
    (run,) = world.recorded()
    assert run["event"] == "unknown"
    assert "no event" in run["payload"]


def test_empty_payload_is_logged_as_empty(world: World) -> None:
    world.observe("cat", stdin=b"{}", options=("--host", "claude"))
    assert [(run["event"], json.loads(run["payload"])) for run in world.recorded()] == [("unknown", {})]


def test_more_than_10_mib_are_relayed_and_logged_as_invalid(world: World) -> None:
    done = world.observe(*script("yes | head -c 11000000"), stdin=json.dumps(PAYLOAD).encode())
    assert len(done.stdout) == 11_000_000
    (run,) = world.recorded()
    assert (run["state"], run["truncated"]) == ("invalid-output", 1)


def test_runs_are_logged_in_the_order_of_their_start(world: World) -> None:
    slow = world.begin(*script("(until [ -e go ]; do sleep 0.02; done) & exit 0"))
    assert slow.wait(DEADLINE_S) == 0
    world.observe("true")
    (world.project / "go").touch()
    slow.communicate(timeout=DEADLINE_S)
    assert [run["name"] for run in world.recorded(2)] == ["(until [", "true"]


def test_command_ends_with_its_output_while_the_log_is_locked(world: World) -> None:
    world.observe("true")
    world.recorded()
    with sqlite3.connect(world.db, isolation_level=None) as connection:
        connection.execute("BEGIN EXCLUSIVE")
        assert world.observe("echo", "hi").stdout == b"hi\n"
        wait_until(lambda: any(path.stat().st_size for path in world.db.parent.glob("*spool*")))
        connection.execute("ROLLBACK")
    connection.close()


def test_log_has_the_command_with_its_script(world: World) -> None:
    guard = world.project / "hooks/guard.sh"
    guard.parent.mkdir()
    options = ("--host", "vscode")
    payload = json.dumps({**PAYLOAD, "cwd": str(world.project)}).encode()
    runs: list[dict[str, Any]] = []
    for text in ("echo first >&2", "echo second >&2", "echo first >&2"):
        guard.write_text(f"#!/bin/sh\n{text}\n")
        guard.chmod(0o755)
        world.observe(*script("./hooks/guard.sh --all"), stdin=payload, options=options)
        runs = world.recorded(len(runs) + 1)
    first, second, third = runs
    assert first["hook"] == third["hook"] != second["hook"]
    assert second["text"] == "sh -c ./hooks/guard.sh --all\n--- hooks/guard.sh\n#!/bin/sh\necho second >&2\n"


def test_entry_with_another_cwd_starts_the_script_there(world: World) -> None:
    (world.project / "sub").mkdir()
    for place, text in ((".", "outer"), ("sub", "inner")):
        (world.project / place / "guard.py").write_text(f"# {text}\n")
    payload = json.dumps({**PAYLOAD, "cwd": str(world.project)}).encode()
    world.observe("python3", "guard.py", stdin=payload, options=("--host", "vscode"), within="sub")
    assert world.recorded()[0]["text"] == "python3 guard.py\n--- sub/guard.py\n# inner\n"


_NAMESPACE = ("unshare", "-pf", "--mount-proc")
_CALLS = 5
# The first process of a container: it ends, and all others with it, as soon as its hooks have answered.
_INIT = "import subprocess, sys; subprocess.run(sys.argv[1:], capture_output=True)"


def _can_unshare() -> bool:
    if shutil.which(_NAMESPACE[0]) is None:
        return False
    return subprocess.run([*_NAMESPACE, "true"], capture_output=True, check=False).returncode == 0


def _observe_in_container(world: World, event: Mapping[str, Any], *command: str) -> None:
    subprocess.run(
        [*_NAMESPACE, sys.executable, "-c", _INIT, *HOOKTUI, "exec", "--host", "claude", "--", *command],
        input=json.dumps(event).encode(),
        env=world.environment,
        cwd=world.project,
        timeout=DEADLINE_S,
        check=True,
    )


def test_a_container_that_ends_with_the_answer_loses_nothing(world: World) -> None:
    if not _can_unshare():
        pytest.skip("no PID namespaces here")
    for number in range(_CALLS):
        _observe_in_container(world, {**PAYLOAD, "tool_use_id": f"call-{number}"}, *script("echo no >&2; exit 2"))
    reports = [json.loads(line) for line in world.run("log", "--json").stdout.splitlines()]
    assert [(report["decision"], report["reason"]) for report in reports] == [("deny", "no")] * _CALLS
    assert not list(world.db.with_name("log.db.observed").iterdir())


def test_the_first_event_of_a_home_is_in_the_log_at_once(world: World) -> None:
    world.observe("true", stdin=json.dumps(PAYLOAD).encode(), options=("--host", "claude"))
    (report,) = [json.loads(line) for line in world.run("log", "--json").stdout.splitlines()]
    assert report["tool_name"] == "Bash"


def test_what_a_killed_exec_has_kept_holds_no_secret(world: World) -> None:
    secret = "gh" + "p_" + "a1B2c3D4" * 5
    payload = {**PAYLOAD, "tool_input": {"command": f"login {secret}"}}
    world.configure('[log]\nredact = ["hunter[0-9]"]\n')
    if not _can_unshare():
        pytest.skip("no PID namespaces here")
    _observe_in_container(world, payload, *script("cat; echo hunter2"))
    texts = "".join(kept.read_text() for kept in world.db.with_name("log.db.observed").iterdir())
    assert secret not in texts
    assert "hunter2" not in texts
    (report,) = [json.loads(line) for line in world.run("log", "--json").stdout.splitlines()]
    assert report["payload"]["tool_input"] == {"command": "login [redacted]"}
