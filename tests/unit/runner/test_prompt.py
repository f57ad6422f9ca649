"""Prompt hooks against a real server that imitates an OpenAI-compatible endpoint."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest

from tests.command_world import CommandWorld
from tests.unit.runner.loopback import Loopback

pytestmark = pytest.mark.slow  # starts processes that ask a server

KEY = "".join(("hush-", "hush-", "0123456789"))
STOP = {"hook_event_name": "Stop", "agent_name": "a", "session_id": "s", "final_output": "All <done> & well."}


def completion(content: str | None) -> str:
    return json.dumps({"choices": [{"message": {"role": "assistant", "content": content}}]})


def configure(world: CommandWorld, base_url: str, **more: str) -> None:
    """Name a model in the user's configuration."""
    lines = {"base_url": base_url, "model": "small", **more}
    text = "".join(f"{name} = {json.dumps(value)}\n" for name, value in lines.items())
    world.configure(f'[prompt]\n{text}[prompt.models]\nReasoningFast = "quick"\nReasoning = "deep"\n')


def azure(world: CommandWorld, *hooks: dict[str, Any]) -> None:
    """An Azure agent with prompt hooks on Stop, approved."""
    agent = {"kind": "ExtendedAgent", "metadata": {"name": "a"}, "spec": {"hooks": {"Stop": list(hooks)}}}
    (world.project / "agent.yaml").write_text(json.dumps(agent))
    world.approve()


def fire(world: CommandWorld, session: str = "s", **env: str) -> dict[str, Any]:
    """Let the agent try to stop, in a new session, so that the gate's limit does not apply."""
    payload = {**STOP, "cwd": str(world.project), "session_id": session}
    report = world.run("run", "--host", "azure", "--format", "azure", "--json", stdin=payload, code=None, **env).json()
    assert isinstance(report, dict)
    return report


def test_context_replaces_arguments_in_the_prompt(world: CommandWorld) -> None:
    with Loopback(completion('{"ok": true}')) as server:
        configure(world, server.url + "/v1/")
        azure(world, {"prompt": "Is this done?\n$ARGUMENTS\nBe strict."})
        report = fire(world)
    assert (report["decision"], report["hooks"][0]["via"]) == ("allow", "ok-field")
    (asked,) = server.asked
    assert asked.path == "/v1/chat/completions"
    system, user = asked.body["messages"]
    assert (system["role"], user["role"]) == ("system", "user")
    assert '{"ok": true}' in system["content"]
    before, after = user["content"].split("\nBe strict.")
    context = json.loads(before.removeprefix("Is this done?\n"))
    assert (context["final_output"], context["agent_name"], after) == (STOP["final_output"], "a", "")


def test_context_is_appended_to_a_prompt_without_arguments(world: CommandWorld) -> None:
    with Loopback(completion('{"ok": true}')) as server:
        configure(world, server.url)
        azure(world, {"prompt": "Is this done?"})
        fire(world)
    content = server.asked[0].body["messages"][1]["content"]
    assert content.startswith("Is this done?\n\n{")
    assert json.loads(content.removeprefix("Is this done?"))["hook_event_name"] == "Stop"


def test_tier_selects_its_model_and_unknown_tiers_the_default(world: CommandWorld) -> None:
    with Loopback(completion('{"ok": true}')) as server:
        configure(world, server.url)
        azure(world, {"prompt": "p"}, {"prompt": "q", "model": "Reasoning"}, {"prompt": "r", "model": "gpt-x"})
        fire(world)
    assert [asked.body["model"] for asked in server.asked] == ["quick", "deep", "small"]


def test_model_answers_decide(world: CommandWorld) -> None:
    meanings = {
        '{"ok": false, "reason": "more"}': ("deny", "more", "ok"),
        '```json\n{"ok": false, "reason": "more"}\n```': ("deny", "more", "ok"),
        '```\n{"ok": false, "reason": "more"}\n```\n': ("deny", "more", "ok"),
        '{"decision": "block", "reason": "more"}': ("deny", "more", "ok"),
        '{"ok": false}': ("allow", None, "ok"),
        "It is fine.": ("none", None, "invalid-output"),
        "": ("none", None, "ok"),
    }
    understood = {}
    with Loopback() as server:
        configure(world, server.url)
        azure(world, {"prompt": "p"})
        for content in meanings:
            server.body = completion(content)
            report = fire(world, session=content)
            understood[content] = (report["decision"], report["reason"], report["hooks"][0]["state"])
    assert understood == meanings


def test_missing_answer_is_a_failure_decided_by_fail_mode(world: CommandWorld) -> None:
    failures = [
        (completion(None), 200, "the model's answer is empty"),
        ('{"error": {"message": "no such model"}}', 404, "answered 404 Not Found {"),
        ('{"error": {"message": "no such model"}}', 200, "not a chat completion"),
        ("<html>", 200, "not a chat completion"),
        ("", 503, "answered 503"),
    ]
    with Loopback() as server:
        configure(world, server.url)
        azure(world, {"prompt": "p"}, {"prompt": "q", "failMode": "block"})
        for number, (body, status, problem) in enumerate(failures):
            server.body, server.status = body, status
            report = fire(world, session=str(number))
            opened, closed = report["hooks"]
            assert (opened["state"], opened["decision"]) == ("failed", "none")
            assert problem in opened["problems"][0]
            assert (closed["state"], closed["decision"], report["decision"]) == ("failed", "deny", "deny")
            assert problem in report["reason"]


def test_slow_model_runs_into_the_timeout(world: CommandWorld) -> None:
    with Loopback(silent=True) as server:
        configure(world, server.url)
        azure(world, {"prompt": "p", "timeout": 0.5, "failMode": "block"})
        started = time.monotonic()
        report = fire(world)
        took = time.monotonic() - started
    assert (report["decision"], report["hooks"][0]["state"]) == ("deny", "timeout")
    assert "timed out" in report["reason"]
    assert took < 10


def test_key_is_sent_to_the_endpoint_only(world: CommandWorld) -> None:
    with Loopback(completion(json.dumps({"ok": False, "reason": f"your key is {KEY}"}))) as server:
        configure(world, server.url, key_env="MODEL_KEY")
        azure(world, {"prompt": "p"})
        report = fire(world, MODEL_KEY=KEY)
        server.status, server.body = 401, f'{{"error": "Incorrect API key provided: {KEY}"}}'
        refused = fire(world, MODEL_KEY=KEY)
    assert [asked.headers["authorization"] for asked in server.asked] == [f"Bearer {KEY}"] * 2
    assert "your key is [redacted]" in report["reason"]
    assert "[redacted]" in refused["hooks"][0]["problems"][0]
    assert KEY not in json.dumps([report, refused])
    kept = [path for path in (world.home / ".local").rglob("*") if path.is_file()]
    assert any(path.name == "log.db.spool" for path in kept)
    assert [path for path in kept if KEY.encode() in path.read_bytes()] == []


def test_redirect_does_not_leak_the_key(world: CommandWorld) -> None:
    with Loopback() as elsewhere, Loopback(status=302, headers={"Location": elsewhere.url}) as server:
        configure(world, server.url, key_env="MODEL_KEY")
        azure(world, {"prompt": "p"})
        assert fire(world, MODEL_KEY=KEY)["hooks"][0]["state"] == "failed"
    assert elsewhere.asked == []


def test_missing_key_is_reported_by_its_variable(world: CommandWorld) -> None:
    with Loopback() as server:
        configure(world, server.url, key_env="MODEL_KEY")
        azure(world, {"prompt": "p"})
        (run,) = fire(world)["hooks"]
    assert (run["state"], server.asked) == ("failed", [])
    assert "MODEL_KEY is not set" in run["problems"][0]


def test_prompt_preview_needs_no_model(world: CommandWorld) -> None:
    azure(world, {"prompt": "Is this done?\n$ARGUMENTS"})
    payload = world.project / "stop.json"
    payload.write_text(json.dumps(STOP))
    shown = world.run("try", "a:Stop:1", "--payload", str(payload), "--preview").stdout
    assert "Is this done?\n{" in shown
    assert "All <done> & well." in shown
    assert not world.db.exists()


def test_claude_prompt_hooks_deny_or_decide_nothing(world: CommandWorld) -> None:
    settings = world.home / ".claude/settings.json"
    settings.parent.mkdir()
    hooks = {"PreToolUse": [{"hooks": [{"type": "prompt", "prompt": "Is $ARGUMENTS fine?"}]}]}
    settings.write_text(json.dumps({"hooks": hooks}))
    payload = {"hook_event_name": "PreToolUse", "session_id": "s", "tool_name": "Bash", "tool_input": {}}
    payload["cwd"] = str(world.project)
    said = []
    with Loopback() as server:
        configure(world, server.url)
        for content in ('```json\n{"ok": false, "reason": "no"}\n```', '{"ok": true}', '{"reason": "?"}'):
            server.body = completion(content)
            report = world.run("run", "--format", "claude", "--json", stdin=payload, code=None).json()
            said.append((report["decision"], report["reason"], report["hooks"][0]["state"]))
    assert said == [("stop", "no", "ok"), ("none", None, "ok"), ("none", None, "invalid-output")]


@pytest.mark.parametrize(
    ("event", "entry", "version", "decision"),
    [
        ("PreToolUse", {}, "2-1-330", "stop"),
        ("PreToolUse", {"continueOnBlock": True}, "2-1-330", "deny"),
        ("PreToolUse", {}, "2-1-197", "deny"),
        ("PostToolUse", {}, "2-1-197", "stop"),
        ("PostToolUse", {"continueOnBlock": True}, "2-1-197", "deny"),
        ("Stop", {}, "2-1-330", "deny"),
    ],
)
def test_a_denial_by_claudes_model_ends_the_turn(
    world: CommandWorld, event: str, entry: dict[str, Any], version: str, decision: str
) -> None:
    settings = world.home / ".claude/settings.json"
    settings.parent.mkdir()
    settings.write_text(json.dumps({"hooks": {event: [{"hooks": [{"type": "prompt", "prompt": "p", **entry}]}]}}))
    payload = {"hook_event_name": event, "session_id": "s", "tool_name": "Bash", "tool_input": {}, "cwd": str(world.project)}
    with Loopback(completion('{"ok": false, "reason": "no"}')) as server:
        configure(world, server.url)
        agent = {"AI_AGENT": f"claude-code_{version}_agent"}
        report = world.run("run", "--format", "claude", "--json", stdin=payload, code=2, **agent).json()
    assert (report["decision"], report["reason"]) == (decision, "no")
