from __future__ import annotations

import asyncio
import json
import signal
from typing import Any

import pytest

from hooktui import formats, hosts
from hooktui.catalog import catalog
from hooktui.core import events
from hooktui.trials import payload_templates, trial_process
from tests.command_world import CommandWorld, wait_until

BLOCK = "#!/bin/sh\ncat > seen\necho not today >&2\nexit 2\n"
ENDLESS = "#!/bin/sh\necho $$ > pid\nsleep 60\n"


def payload_of(world: CommandWorld, **hook: Any) -> dict[str, Any]:
    world.hook("guard", **hook)
    [found] = catalog.load(str(world.project)).hooks
    return payload_templates.payload_for(found, str(world.project))


def is_gone(world: CommandWorld) -> bool:
    try:
        state = (world.project / "pid").read_text().strip()
        with open(f"/proc/{state}/stat", encoding="utf-8") as stat:
            return stat.read().split()[2] == "Z"
    except FileNotFoundError:
        return True


def test_try_runs_the_hook_and_reports_it(world: CommandWorld) -> None:
    world.hook("guard", BLOCK)
    report = world.run("try", "guard", "--json").json()
    assert (report["decision"], report["reason"], report["synthetic"]) == ("deny", "not today", True)
    assert json.loads((world.project / "seen").read_text())["event_type"] == "pre-tool-call"
    shown = world.run("try", "guard").stdout
    assert "pre-tool-call Shell: deny" in shown
    assert "not today" in shown


def test_only_the_hook_that_is_tried_runs(world: CommandWorld) -> None:
    world.hook("guard")
    world.hook("other", BLOCK, priority=999)
    report = world.run("try", "guard", "--json").json()
    assert [run["name"] for run in report["hooks"]] == ["guard"]
    assert "A try runs one hook; 2 listen to pre-tool-call." in world.run("try", "guard").stdout


def test_entry_is_tried_and_found_in_the_log_by_its_label(world: CommandWorld) -> None:
    entry = {"type": "command", "command": "sh -c 'exit 0' guard"}
    settings = world.home / ".claude" / "settings.json"
    settings.parent.mkdir()
    settings.write_text(json.dumps({"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [entry]}]}}))
    [listed] = world.run("list", "--json").json()
    tried = world.run("try", listed["label"], "--json").json()
    assert (tried["origin"], tried["hooks"][0]["id"]) == ("try", listed["id"])
    for name in (listed["label"], listed["name"], listed["id"]):
        assert tried["id"] in world.run("log", f'hook:"{name}"').stdout


@pytest.mark.parametrize("host", [host.name for host in hosts.json_specs()])
def test_example_is_an_event_of_the_hooks_host(host: str) -> None:
    for written in hosts.spec(host).events:
        hook = formats.detached_hook(host, events.canonical(written) or written, written)
        example = payload_templates.payload_for(hook, "/p")
        assert payload_templates.event_of(hook, example, "/p").host == host, written


def test_logged_event_of_another_host_stays_that_hosts() -> None:
    hook = formats.detached_hook("claude", "pre-tool-call", "PreToolUse")
    payload = {"hook_event_name": "PreToolUse", "turn_id": "1", "permission_mode": "default", "tool_name": "Bash"}
    assert payload_templates.event_of(hook, payload, "/p").host == "codex"


def test_try_is_marked_in_the_log_outside_real_sessions(world: CommandWorld) -> None:
    world.hook("guard")
    number = world.fire(tool_name="Shell", tool_input={}, session_id="real")["id"]
    world.run("try", "guard", "--from", number)
    logged = [json.loads(line) for line in world.run("log", "--json").stdout.splitlines()]
    assert [(one["session_id"], one["synthetic"]) for one in logged] == [("real", False), ("try", True)]
    assert ["pre-tool-call        try Shell" in line for line in world.run("log").stdout.splitlines()] == [False, True]


def test_a_logged_event_is_tried_again_with_its_input(world: CommandWorld) -> None:
    number = world.fire(tool_name="Shell", tool_input={"command": "make it so"})["id"]
    world.hook("guard", BLOCK)
    world.run("try", "guard", "--from", number)
    assert json.loads((world.project / "seen").read_text())["tool_input"] == {"command": "make it so"}


def test_truncated_logged_event_is_refused(world: CommandWorld) -> None:
    world.hook("guard")
    number = world.fire(tool_name="Write", tool_input={"content": "x" * 300_000})["id"]
    assert "only part of the input" in world.run("try", "guard", "--from", number, code=1).stderr


def test_payload_is_read_from_a_file_or_stdin(world: CommandWorld) -> None:
    world.hook("guard", BLOCK, matcher={"tool": "Write"})
    payload = {"tool_name": "WriteFile", "tool_input": {"path": "a"}}
    (world.project / "event.json").write_text(json.dumps(payload))
    assert world.run("try", "guard", "--json", "--payload", "event.json").json()["decision"] == "deny"
    assert world.run("try", "guard", "--json", "--payload", "-", stdin=payload).json()["decision"] == "deny"


def test_an_event_that_does_not_match_says_why(world: CommandWorld) -> None:
    world.hook("guard", matcher={"tool": "Write"})
    payload = {"tool_name": "Shell", "tool_input": {}}
    [run] = world.run("try", "guard", "--json", "--payload", "-", stdin=payload).json()["hooks"]
    assert (run["state"], run["skip"]) == ("skipped", "tool-mismatch")


def test_event_of_another_kind_is_refused(world: CommandWorld) -> None:
    world.hook("guard")
    ended = world.run("try", "guard", "--payload", "-", stdin={"event_type": "pre-session"}, code=1)
    assert "listens to pre-tool-call" in ended.stderr


@pytest.mark.parametrize("payload", ["", "[]", "{", "[" * 100_000])
def test_payload_that_is_not_an_object_is_a_usage_error(world: CommandWorld, payload: str) -> None:
    world.hook("guard")
    ended = world.run("try", "guard", "--payload", "-", stdin=payload, code=2)
    assert ended.stderr.count("\n") == 1


def test_an_unapproved_hook_is_not_run(world: CommandWorld) -> None:
    world.hook("ours", BLOCK, scope="project")
    ended = world.run("try", "ours", code=1)
    assert "hooktui trust --hook ours" in ended.stderr
    assert not (world.project / "seen").exists()


def test_overridden_hook_is_tried_by_its_id(world: CommandWorld) -> None:
    world.hook("same", "#!/bin/sh\nexit 2\n")
    world.hook("same", scope="project")
    world.approve()
    assert world.run("try", "same", "--json").json()["hooks"][0]["scope"] == "project"
    replaced = world.run("try", "agenthooks:user:same", "--json").json()
    assert (replaced["hooks"][0]["scope"], replaced["decision"]) == ("user", "deny")


def test_ambiguous_or_unknown_name_is_a_usage_error(world: CommandWorld) -> None:
    world.hook("same")
    world.hook("same", scope="project")
    assert "agenthooks:project:same" in world.run("try", "same", code=2).stderr
    assert "hooktui list" in world.run("try", "nobody", code=2).stderr


def test_a_preview_runs_nothing(world: CommandWorld) -> None:
    world.hook("ours", BLOCK, scope="project")
    shown = world.run("try", "ours", "--preview", "--json").json()
    assert shown["stdin"]["event_type"] == "pre-tool-call"
    assert shown["argv"][-1].endswith("scripts/run")
    assert "would run" in world.run("try", "ours", "--preview").stdout
    assert not (world.project / "seen").exists()
    assert world.run("log").stdout == ""


def test_try_applies_the_timeout_of_the_hook(world: CommandWorld) -> None:
    world.hook("slow", "#!/bin/sh\nsleep 60\n", timeout=200)
    [run] = world.run("try", "slow", "--json").json()["hooks"]
    assert run["state"] == "timeout"


def test_ending_a_try_kills_the_hook(world: CommandWorld) -> None:
    world.hook("endless", ENDLESS)
    running = world.start("try", "endless")
    wait_until((world.project / "pid").exists)
    running.interrupt(signal.SIGTERM)
    running.wait()
    wait_until(lambda: is_gone(world))


def test_a_hook_that_is_not_approved_is_shown_and_runs_once_approved(world: CommandWorld) -> None:
    world.hook("ours", BLOCK, scope="project")
    assert "Approve this hook?" in world.at_terminal("try", "ours", types="n\n").stdout
    assert world.run("status", "--json").json()["hooks"][0]["trust"] == "untrusted"
    shown = world.at_terminal("try", "ours", types="y\n").stdout
    assert "exit 2" in shown
    assert "deny" in shown
    assert world.run("try", "ours", "--json").json()["decision"] == "deny"


def test_without_a_terminal_a_try_of_an_unapproved_hook_needs_yes(world: CommandWorld) -> None:
    world.hook("ours", BLOCK, scope="project")
    assert "or pass --yes" in world.run("try", "ours", code=1).stderr
    assert world.run("try", "ours", "--yes", "--json").json()["decision"] == "deny"


async def test_app_gets_the_report_of_a_try(here: CommandWorld) -> None:
    here.hook("guard", BLOCK)
    event = {"tool_name": "Shell", "tool_input": {}}
    [report] = await trial_process.try_hook(str(here.project), "agenthooks:user:guard", event)
    assert report["decision"] == "deny"


async def test_app_gets_the_reason_why_a_hook_cannot_be_tried(here: CommandWorld) -> None:
    here.hook("ours", scope="project")
    with pytest.raises(payload_templates.NotApprovedError, match="ours is not approved"):
        await trial_process.try_hook(str(here.project), "agenthooks:project:ours", {})


async def test_cancelling_in_the_app_kills_the_hook(here: CommandWorld) -> None:
    here.hook("endless", ENDLESS)
    task = asyncio.ensure_future(trial_process.try_hook(str(here.project), "agenthooks:user:endless", {}))
    await asyncio.to_thread(wait_until, (here.project / "pid").exists)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert is_gone(here)


@pytest.mark.parametrize(
    ("matcher", "tool", "tool_input"),
    [
        ({}, "Shell", {"command": "ls"}),
        ({"tool": "^WriteFile$"}, "WriteFile", {"path": "notes.txt", "content": "text\n"}),
        ({"tool": "^Write$"}, "Write", {"file_path": "notes.txt", "content": "text\n"}),
        ({"tool": "Grep|Find"}, "Grep", {"input": "example"}),
        ({"tool": "Write", "pattern": r"\.(py|js)$"}, "WriteFile", {"path": "example.py", "content": "text\n"}),
        ({"pattern": r"rm -rf /|mkfs"}, "Shell", {"command": "rm -rf /"}),
        ({"pattern": r"^git push( --force)?"}, "Shell", {"command": "git push --force"}),
        ({"pattern": r"(?<=a)b{40}"}, "Shell", {"command": "ls"}),
    ],
)
def test_example_event_fits_a_simple_matcher(
    here: CommandWorld, matcher: dict[str, str], tool: str, tool_input: dict[str, str]
) -> None:
    payload = payload_of(here, matcher=matcher)
    assert payload["tool_name"] == tool
    assert payload["tool_input"] == tool_input


def test_example_event_uses_the_vocabulary_of_the_hook(here: CommandWorld) -> None:
    payload = payload_of(here, trigger="before_stop")
    assert payload["event_type"] == "before_stop"
    assert payload["stop_reason"] == "no_tool_calls"


READ_AND_DENY = "cat > seen; exit 2"
OTHERS = {
    ".claude/settings.json": {
        "hooks": {
            "PreToolUse": [{"matcher": "Edit|Write", "hooks": [{"type": "command", "command": READ_AND_DENY}]}],
            "Notification": [{"hooks": [{"type": "command", "command": READ_AND_DENY}]}],
        }
    },
    ".github/hooks/vscode.json": {"hooks": {"Stop": [{"type": "command", "command": READ_AND_DENY}]}},
    ".github/hooks/copilot.json": {
        "version": 1,
        "hooks": {
            "preToolUse": [{"type": "command", "bash": READ_AND_DENY, "matcher": "edit|create"}],
            "userPromptSubmitted": [{"type": "command", "bash": READ_AND_DENY}],
        },
    },
    ".cursor/hooks.json": {
        "version": 1,
        "hooks": {"beforeShellExecution": [{"command": READ_AND_DENY}], "stop": [{"command": READ_AND_DENY}]},
    },
    "agent.yaml": {
        "api_version": "azuresre.ai/v2",
        "kind": "ExtendedAgent",
        "metadata": {"name": "mine"},
        "spec": {"hooks": {"PostToolUse": [{"type": "command", "matcher": "Bash", "command": READ_AND_DENY}]}},
    },
}


def _with_other_formats(world: CommandWorld) -> CommandWorld:
    for name, content in OTHERS.items():
        path = world.project / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(content))
    world.approve()
    return world


@pytest.mark.parametrize(
    ("hook", "host", "fields"),
    [
        ("settings.json:PreToolUse:1", "claude", {"hook_event_name": "PreToolUse", "tool_name": "Write"}),
        ("settings.json:Notification:1", "claude", {"notification_type": "idle_prompt"}),
        ("vscode.json:Stop:1", "vscode", {"stop_hook_active": False}),
        ("copilot.json:preToolUse:1", "copilot", {"toolName": "edit"}),
        ("copilot.json:userPromptSubmitted:1", "copilot", {"prompt": "Fix the failing test"}),
        ("hooks.json:beforeShellExecution:1", "cursor", {"command": "ls"}),
        ("hooks.json:stop:1", "cursor", {"status": "completed", "loop_count": 0, "conversation_id": "try"}),
        ("mine:PostToolUse:1", "azure", {"agent_name": "mine", "tool_succeeded": True}),
    ],
)
def test_hook_of_every_format_is_tried_on_an_event_of_its_host(
    world: CommandWorld, hook: str, host: str, fields: dict[str, Any]
) -> None:
    report = _with_other_formats(world).run("try", hook, "--json").json()
    assert report["host"] == host
    assert [(run["name"], run["state"], run["exit_code"]) for run in report["hooks"]] == [(hook, "ok", 2)]
    seen = json.loads((world.project / "seen").read_text())
    assert {name: seen[name] for name in fields} == fields


def test_preview_of_a_prompt_hook_needs_no_model(world: CommandWorld) -> None:
    hook = {"type": "prompt", "prompt": "Is this right? $ARGUMENTS"}
    agent = {
        "kind": "ExtendedAgent",
        "api_version": "azuresre.ai/v2",
        "metadata": {"name": "mine"},
        "spec": {"hooks": {"Stop": [hook]}},
    }
    (world.project / "agent.yaml").write_text(json.dumps(agent))
    shown = world.run("try", "mine:Stop:1", "--preview").stdout
    assert "Is this right? {" in shown
    assert "Task completed" in shown
