"""`http` hooks of Claude Code and Copilot CLI: requests, answers and allowed addresses."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest

from tests.command_world import CommandWorld
from tests.unit.runner.loopback import Loopback

pytestmark = pytest.mark.slow  # starts processes that ask a server

TOOL = {"hook_event_name": "PreToolUse", "session_id": "s", "tool_name": "Bash", "tool_input": {"command": "ls"}}
START = {"hook_event_name": "SessionStart", "session_id": "s", "source": "startup"}
DENIAL = {"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "deny", "permissionDecisionReason": "no"}}


def configure(path: Path, *entries: dict[str, Any], events: tuple[str, ...] = ("PreToolUse", "SessionStart")) -> None:
    """Write Claude settings whose events all have these `http` entries."""
    hooks = {event: [{"hooks": [{"type": "http", **entry} for entry in entries]}] for event in events}
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({"hooks": hooks}))


def settings(world: CommandWorld) -> Path:
    return world.home / ".claude/settings.json"


def fire(world: CommandWorld, payload: dict[str, Any] = TOOL, form: str = "claude", **env: str) -> dict[str, Any]:
    told = {"cwd": str(world.project), **payload}
    arguments = ("run", "--host", form, "--format", form, "--json")
    report = world.run(*arguments, stdin=told, code=None, **env).json()
    assert isinstance(report, dict)
    return report


def test_http_hook_posts_the_payload_and_obeys_the_answer(world: CommandWorld) -> None:
    with Loopback(json.dumps(DENIAL)) as server:
        configure(settings(world), {"url": f"{server.url}/hooks?a=b"})
        report = fire(world)
    assert (report["decision"], report["reason"], report["hooks"][0]["via"]) == ("deny", "no", "permission")
    (asked,) = server.asked
    assert (asked.method, asked.path) == ("POST", "/hooks?a=b")
    assert asked.headers["content-type"] == "application/json"
    assert TOOL.items() <= asked.body.items()
    assert asked.body["sessionId"] == "s"


@pytest.mark.parametrize(
    ("body", "decision", "state"),
    [
        ("", "none", "ok"),
        ("{}", "none", "ok"),
        ("fine", "none", "ok"),
        ('{"decision": "block"', "none", "invalid-output"),
        ('{"decision": "block", "reason": "old"}', "deny", "ok"),
        ('{"hookSpecificOutput": {"permissionDecision": "deny"}}', "none", "invalid-output"),
        (b"\xff\xfe", "none", "ok"),
    ],
)
def test_response_is_read_like_the_stdout_of_a_command(
    world: CommandWorld, body: bytes | str, decision: str, state: str
) -> None:
    with Loopback(body) as server:
        configure(settings(world), {"url": server.url})
        report = fire(world)
    assert (report["decision"], report["hooks"][0]["state"]) == (decision, state)


def test_text_response_is_context_at_the_start_of_a_session(world: CommandWorld) -> None:
    with Loopback("on branch main") as server:
        configure(settings(world), {"url": server.url})
        assert fire(world, START)["additional_context"] == ["on branch main"]


@pytest.mark.parametrize("status", [302, 404, 500])
def test_error_status_fails_the_hook_and_the_agent_continues(world: CommandWorld, status: int) -> None:
    with Loopback(json.dumps(DENIAL), status) as server:
        configure(settings(world), {"url": f"{server.url}/guard?token=hidden"})
        report = fire(world)
    (run,) = report["hooks"]
    assert (report["decision"], run["state"]) == ("none", "failed")
    assert f"{server.url}/guard answered {status}" in run["problems"][0]
    assert "hidden" not in json.dumps(report)


def test_a_redirect_is_not_followed(world: CommandWorld) -> None:
    with Loopback(json.dumps(DENIAL)) as elsewhere, Loopback(status=307, headers={"Location": elsewhere.url}) as server:
        configure(settings(world), {"url": server.url})
        report = fire(world)
    assert (report["decision"], elsewhere.asked) == ("none", [])
    assert "not followed" in report["hooks"][0]["problems"][0]


def test_unreachable_server_fails_the_hook(world: CommandWorld) -> None:
    with Loopback() as server:
        url = server.url
    configure(settings(world), {"url": url})
    (run,) = fire(world)["hooks"]
    assert run["state"] == "failed"
    assert "cannot be reached" in run["problems"][0]
    assert "Traceback" not in run["stderr"]


def test_truncated_response_fails_the_hook(world: CommandWorld) -> None:
    with Loopback(json.dumps(DENIAL), cut=True) as server:
        configure(settings(world), {"url": server.url})
        (run,) = fire(world)["hooks"]
    assert (run["state"], run["decision"]) == ("failed", "none")


def test_silent_server_runs_into_the_timeout(world: CommandWorld) -> None:
    with Loopback(silent=True) as server:
        configure(settings(world), {"url": server.url, "timeout": 0.5})
        started = time.monotonic()
        report = fire(world)
        took = time.monotonic() - started
    assert (report["decision"], report["hooks"][0]["state"]) == ("none", "timeout")
    assert len(server.asked) <= 1  # never a second request; on a busy machine the deadline comes before the first
    assert took < 10


def test_a_response_beyond_10_mib_is_not_read(world: CommandWorld) -> None:
    with Loopback(json.dumps(DENIAL) + " " * 11_000_000) as server:
        configure(settings(world), {"url": server.url})
        report = fire(world)
    assert (report["decision"], report["hooks"][0]["state"]) == ("none", "invalid-output")


def test_headers_expand_only_allowed_variables(world: CommandWorld) -> None:
    headers = {"Authorization": "Bearer $TOKEN", "X-Both": "${TOKEN}-$OTHER-", "X-Plain": "a", "X-Number": 3}
    with Loopback() as server:
        configure(settings(world), {"url": server.url, "headers": headers, "allowedEnvVars": ["TOKEN"]})
        fire(world, TOKEN="tok-1\n", OTHER="kept-back")
    (asked,) = server.asked
    assert asked.headers["authorization"] == "Bearer tok-1"
    assert asked.headers["x-both"] == "tok-1--"
    assert asked.headers["x-plain"] == "a"
    assert "x-number" not in asked.headers
    assert "kept-back" not in str(asked)
    assert b"tok-1" not in world.stored().read_bytes()


def test_project_url_needs_approval_again_after_a_change(world: CommandWorld) -> None:
    shared = world.project / ".claude/settings.json"
    with Loopback(json.dumps(DENIAL)) as server, Loopback() as other:
        configure(shared, {"url": server.url})
        assert fire(world)["hooks"][0]["skip"] == "untrusted"
        assert server.asked == []
        digest = world.run("status", "--json").json()["hash"]
        world.run("trust", "--hash", digest)
        assert fire(world)["decision"] == "deny"
        configure(shared, {"url": other.url})
        assert fire(world)["hooks"][0]["skip"] == "untrusted"
        assert other.asked == []


def test_url_in_two_files_gets_one_request(world: CommandWorld) -> None:
    with Loopback() as server:
        configure(settings(world), {"url": server.url}, {"url": server.url, "timeout": 5})
        report = fire(world)
    assert [run["skip"] for run in report["hooks"]] == [None, "duplicate"]
    assert len(server.asked) == 1


def test_requests_to_this_machine_bypass_the_proxy(world: CommandWorld) -> None:
    with Loopback(json.dumps(DENIAL)) as server:
        configure(settings(world), {"url": server.url})
        assert fire(world, http_proxy="http://127.0.0.1:9")["decision"] == "deny"


def test_copilots_http_hooks_fail_open_before_a_tool(world: CommandWorld) -> None:
    payload = {"sessionId": "s", "toolName": "bash", "toolArgs": {}}
    file = world.home / ".copilot/hooks/x.json"
    file.parent.mkdir(parents=True)
    with Loopback(status=500) as server:
        file.write_text(json.dumps({"version": 1, "hooks": {"preToolUse": [{"type": "http", "url": server.url}]}}))
        report = fire(world, payload, "copilot")
    assert (report["decision"], report["hooks"][0]["state"]) == ("none", "failed")
    assert server.asked[0].body["toolName"] == "bash"
