"""The user is notified once per session that a guard did not run; the model never is."""

from __future__ import annotations

import json
import os
import time
from typing import Any

import pytest

from tests.command_world import CommandWorld, Ended

DENIES = "#!/bin/sh\necho no >&2\nexit 2\n"
DENYING = {"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "exit 2"}]}]}}
DISABLING = {"disableAllHooks": True}


def call(world: CommandWorld, host: str = "claude", session: str = "s1", **fields: Any) -> Ended:
    """The answer to the host for a tool call."""
    event = {"event_type": "pre-tool-call"} if host == "agenthooks" else {"hook_event_name": "PreToolUse"}
    payload = {**event, "session_id": session, "cwd": str(world.project), "tool_name": "Bash", "tool_input": {}, **fields}
    return world.run("run", "--host", host, stdin=payload, code=None)


@pytest.mark.parametrize("host", ["claude", "vscode"])
def test_a_message_for_the_person_names_the_hook_once_per_session(world: CommandWorld, host: str) -> None:
    world.hook("ours", DENIES, scope="project")
    first, second, other = call(world, host), call(world, host), call(world, host, session="s2")
    assert json.loads(first.stdout) == {"systemMessage": "hooktui: hook ours did not run: not approved (untrusted)"}
    assert (second.code, second.stdout, second.stderr) == (0, "", "")
    assert json.loads(other.stdout) == json.loads(first.stdout)


def test_agenthooks_hears_it_on_stderr_once_per_session(world: CommandWorld) -> None:
    world.hook("ours", DENIES, scope="project")
    assert call(world, "agenthooks").stderr == "hooktui: hook ours did not run: not approved (untrusted)\n"
    assert call(world, "agenthooks").stderr == ""


def test_a_host_that_shows_no_messages_gets_none(world: CommandWorld) -> None:
    world.hook("ours", DENIES, scope="project")
    answer = world.run("run", "PreToolUse", "--host", "copilot", stdin={"cwd": str(world.project), "tool_name": "Bash"})
    assert (answer.stdout, answer.stderr) == ("", "")


def test_a_changed_guard_is_reported_as_changed(world: CommandWorld) -> None:
    directory = world.hook("ours", DENIES, scope="project")
    world.approve()
    (directory / "scripts/run").write_text(DENIES + "\n")
    assert "ours did not run: changed since its approval" in call(world).stdout


@pytest.mark.parametrize("name", ["settings.json", "settings.local.json"])
def test_a_project_that_disables_hooks_is_reported_and_disables_none_in_hook_files(world: CommandWorld, name: str) -> None:
    for path, content in {world.home / ".claude/settings.json": DENYING, world.project / ".claude" / name: DISABLING}.items():
        path.parent.mkdir(exist_ok=True)
        path.write_text(json.dumps(content))
    event = {"hook_event_name": "PreToolUse", "session_id": "s", "cwd": str(world.project), "tool_name": "Bash"}
    command = ("run", "--host", "claude", "--format", "agenthooks", "--format", "claude")
    assert "disableAllHooks" in world.run(*command, stdin=event).json()["systemMessage"]
    world.hook("guard", DENIES)
    assert world.run(*command, stdin=event, code=None).code == 2


def test_a_guard_that_cannot_run_is_reported_too(world: CommandWorld) -> None:
    world.hook("broken", DENIES, matcher={"tool": "["})
    assert "hook broken did not run: " in json.loads(call(world).stdout)["systemMessage"]


def test_the_reason_of_a_denial_does_not_mention_the_skipped_guard(world: CommandWorld) -> None:
    world.hook("mine", DENIES)
    world.hook("ours", DENIES, scope="project")
    denied, again = call(world), call(world)
    assert (denied.code, denied.stderr) == (again.code, again.stderr) == (2, "no\n")
    assert json.loads(denied.stdout) == {"systemMessage": "hooktui: hook ours did not run: not approved (untrusted)"}
    assert again.stdout == ""


@pytest.mark.parametrize(
    ("host", "event"), [("vscode", {}), ("claude", {"hook_event_name": "UserPromptSubmit", "prompt": "Edit"})]
)
def test_where_a_denial_hides_it_the_next_call_that_is_not_denied_shows_it(
    world: CommandWorld, host: str, event: dict[str, str]
) -> None:
    trigger = "pre-agent-turn" if event else "pre-tool-call"
    world.hook("mine", "#!/bin/sh\ngrep -q Edit || exit 0\necho no >&2\nexit 2\n", trigger=trigger)
    world.hook("ours", DENIES, scope="project", trigger=trigger)
    denied = call(world, host, **{"tool_name": "Edit", **event})
    assert (denied.code, denied.stdout, denied.stderr) == (2, "", "no\n")
    allowed = call(world, host, **event | ({"prompt": "hello", "tool_name": ""} if event else {}))
    assert "ours did not run" in allowed.stdout


def test_events_that_cannot_be_denied_have_no_notices(world: CommandWorld) -> None:
    world.hook("ours", DENIES, scope="project", trigger="pre-session")
    assert call(world, hook_event_name="SessionStart").stdout == ""


def test_a_report_names_every_skipped_guard_each_time(world: CommandWorld) -> None:
    world.hook("ours", DENIES, scope="project")
    for _ in range(2):
        assert world.fire(tool_name="Shell")["warnings"] == ["hook ours did not run: not approved (untrusted)"]


def test_marks_of_old_sessions_are_deleted(world: CommandWorld) -> None:
    world.hook("ours", DENIES, scope="project")
    call(world)
    [mark] = (world.home / ".local/state/hooktui/sessions/notices").iterdir()
    long_ago = time.time() - 8 * 24 * 3600
    os.utime(mark, (long_ago, long_ago))
    call(world, session="s2")
    assert not mark.exists()
