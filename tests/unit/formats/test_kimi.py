"""Kimi Code's hooks in `config.toml` (seen in 2.1.0)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from hooktui import hosts
from hooktui.core.events import GATE
from hooktui.core.model import Dispatch, Event
from hooktui.runner import matching
from hooktui.runner.process import Ended
from tests.unit.formats.agenthooks_world import World
from tests.unit.formats.json_world import blamed, codes, kimi, problem, read, write

FILE = "/home/.kimi-code/config.toml"
TEXT = """\
default_model = "x"

[[hooks]]
event = "PreToolUse"
matcher = "^Bash$"
command = './guard "q"'
timeout = 5

[[hooks]]
event = "Stop"
command = "stop"

[[hooks_off]]
event = "Stop"
command = "off"
"""


def test_hooks_of_kimi_are_read_and_those_that_are_off() -> None:
    parsed = read(kimi, TEXT, FILE, "user")
    assert codes(parsed) == []
    assert [(hook.name, hook.event, hook.tool, hook.line, hook.enabled) for hook in parsed.hooks] == [
        ("config.toml:PreToolUse:1", "pre-tool-call", "^Bash$", 3, True),
        ("config.toml:Stop:1", GATE, None, 9, True),
        ("config.toml:Stop:2", GATE, None, 13, False),
    ]
    assert (parsed.hooks[0].argv, parsed.hooks[0].timeout_ms) == (("/bin/sh", "-c", './guard "q"'), 5_000)
    assert parsed.hooks[1].timeout_ms == 30_000


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"Stop"', '«"stop"»'),
        ('"Stop"', "«3»"),
        ('[[hooks]]\nevent = "Stop"', "«[»[hooks]]"),
        ('"stop"', '«""»'),
        ("timeout = 5", "timeout = «0»"),
        ("timeout = 5", "timeout = «601»"),
        ("timeout = 5", "timeout = «1.5»"),
        ("timeout = 5", 'timeout = «"5"»'),
        ("timeout = 5", '«fail_mode» = "closed"'),
        ("timeout = 5", '«type» = "command"'),
        ('"^Bash$"', "«true»"),
        ('"x"', '"x"\nx = «=» 1'),
    ],
)
def test_one_wrong_entry_keeps_every_hook_from_running(old: str, new: str) -> None:
    text = TEXT.replace(old, new, 1)
    found = blamed(kimi, text, "host-skips-file", FILE, "user")
    assert (found.severity, found.hosts) == ("error", ("kimi",))
    assert found.message.startswith("Kimi Code runs no hook at all: ")
    hooks = read(kimi, text.replace("«", "").replace("»", ""), FILE, "user").hooks
    assert {hook.obstacle.skip for hook in hooks if hook.obstacle} <= {"host-skips-file", "invalid"}
    assert all(hook.obstacle for hook in hooks)
    assert not hooks or "None of its 2 hooks run: guard, " in found.message


@pytest.mark.parametrize(
    ("old", "new", "fixed"),
    [('"Stop"', '"stop"', '"Stop"'), ("timeout = 5", "timout = 5", "timeout"), ("timeout = 5", "timeout = 900", "600")],
)
def test_a_slip_that_loses_the_hooks_is_corrected(old: str, new: str, fixed: str) -> None:
    text = TEXT.replace(old, new, 1)
    fix = problem(read(kimi, text, FILE, "user"), "host-skips-file").fix
    assert fix
    assert fix.text == fixed
    assert codes(read(kimi, text[: fix.start] + fix.text + text[fix.end :], FILE, "user")) == []


def test_what_is_wrong_with_a_hook_that_is_off_loses_nothing() -> None:
    parsed = read(kimi, TEXT + 'timeout = "x"\n', FILE, "user")
    assert codes(parsed) == ["wrong-type"]
    assert parsed.hooks[0].obstacle is None


@pytest.mark.parametrize(
    ("matcher", "matches"),
    [
        *[(matcher, True) for matcher in ("Bash", "Ba", "^Ba", "Bash|Read", "^(?!Read)", "")],
        *[(matcher, False) for matcher in ("bash", "Shell", "*", "[", "Edit, Bash")],
    ],
)
def test_what_a_matcher_matches(matcher: str, matches: bool) -> None:
    hook = read(kimi, TEXT.replace("^Bash$", matcher), FILE, "user").hooks[0]
    assert (matching.match(hook, event("PreToolUse")).skip is None) == matches


def test_only_the_users_file_is_read(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    write(world.project / ".kimi-code/config.toml", TEXT)
    write(Path(world.home) / ".kimi-code/config.toml", TEXT)
    enabled = {hook.file for hook in kimi.discover(str(world.project)).hooks if hook.enabled}
    assert enabled == {f"{world.home}/.kimi-code/config.toml"}
    monkeypatch.setenv("KIMI_CODE_HOME", str(world.project / ".kimi-code"))
    assert {hook.file for hook in kimi.discover(str(world.project)).hooks} == {f"{world.project}/.kimi-code/config.toml"}


@pytest.mark.parametrize(
    ("written", "effect", "exit_code", "stdout"),
    [
        ("PreToolUse", {"decision": "deny", "reason": "no"}, 2, ""),
        ("PreToolUse", {"decision": "ask"}, 2, ""),
        ("PreToolUse", {"decision": "stop", "reason": "enough"}, 2, ""),
        ("PreToolUse", {"modified_input": {"command": "ls"}}, 2, ""),
        ("PreToolUse", {"decision": "allow", "additional_context": ("x",)}, 0, ""),
        ("UserPromptSubmit", {"decision": "deny", "reason": "no"}, 2, ""),
        ("UserPromptSubmit", {"additional_context": ("x", "y")}, 0, '{"message": "x\\ny"}\n'),
        ("Stop", {"decision": "deny", "reason": "go on"}, 2, ""),
        ("Stop", {"decision": "stop", "reason": "enough"}, 0, ""),
        ("PostToolUse", {"decision": "deny", "reason": "no"}, 0, ""),
        ("SessionStart", {"additional_context": ("x",), "system_messages": ("y",)}, 0, ""),
    ],
)
def test_kimi_gets_only_answers_that_it_obeys(written: str, effect: dict[str, Any], exit_code: int, stdout: str) -> None:
    answer = hosts.answer("kimi", Dispatch(id=1, event=event(written), project="/", runs=(), **effect))
    assert (answer.exit_code, answer.stdout) == (exit_code, stdout)
    assert bool(answer.stderr) == (exit_code == 2)


def test_a_rewrite_that_kimi_cannot_obey_says_what_was_to_be_changed() -> None:
    dispatch = Dispatch(id=1, event=event("PreToolUse"), project="/", runs=(), modified_input={"command": "ls -l"})
    assert '{"command": "ls -l"}' in hosts.answer("kimi", dispatch).stderr


@pytest.mark.parametrize(
    ("stdout", "exit_code", "decision"),
    [
        ("", 2, "deny"),
        ('{"hookSpecificOutput": {"permissionDecision": "deny", "permissionDecisionReason": "no"}}', 0, "deny"),
        ('{"hookSpecificOutput": {"permissionDecision": "ask"}}', 0, "none"),
        ('{"hookSpecificOutput": {"permissionDecision": "allow", "updatedInput": {"command": "x"}}}', 0, "none"),
        ('{"decision": "block", "reason": "no"}', 0, "none"),
        ('{"continue": false}', 0, "none"),
        ('{"permissionDecision": "deny"}', 0, "none"),
        ("text", 0, "none"),
        ("", 1, "none"),
    ],
)
def test_a_hook_of_kimi_decides_what_kimi_obeys(stdout: str, exit_code: int, decision: str) -> None:
    hook = read(kimi, TEXT, FILE, "user").hooks[0]
    ended = Ended(exit_code=exit_code, stdout=stdout.encode(), stderr=b"why", duration_ms=1.0)
    outcome = hosts.judge("kimi", hook, event("PreToolUse"), ended).outcome
    assert (outcome.decision, outcome.modified_input, outcome.additional_context) == (decision, None, None)


def test_a_prompt_in_parts_is_read_as_text_and_sent_as_parts() -> None:
    parts = [{"type": "text", "text": "delete"}, {"type": "image"}, {"type": "text", "text": "it"}]
    prompted = event("UserPromptSubmit", prompt=parts)
    assert prompted.fields["prompt"] == "delete it"
    hook = read(kimi, TEXT.replace("PreToolUse", "UserPromptSubmit"), FILE, "user").hooks[0]
    assert hosts.spec("kimi").hook_stdin(hook, prompted)["prompt"] == [{"type": "text", "text": "delete it"}]


def test_hooks_of_enabled_plugins_are_read_only_and_a_wrong_entry_loses_itself(world: World) -> None:
    plugins = Path(world.home) / ".kimi-code/plugins"
    hooks = [{"event": "Stop", "command": "./guard"}, {"event": "Nope", "command": "x"}]
    for name in ("on", "off"):
        write(plugins / f"managed/{name}/kimi.plugin.json", json.dumps({"name": name, "hooks": hooks}))
    listed = {"plugins": [{"id": "on", "enabled": True}, {"id": "off", "enabled": False}]}
    write(plugins / "installed.json", json.dumps(listed))
    found = kimi.discover(str(world.project)).hooks
    assert [(hook.owner, hook.enabled, hook.obstacle is None) for hook in found] == [
        *[("plugin off", False, True), ("plugin off", False, False), ("plugin on", True, True), ("plugin on", True, False)],
    ]
    assert {hook.read_only for hook in found} == {"it belongs to an installed plugin"}
    assert {hook.why_disabled for hook in found} == {"", "the plugin is not enabled in ~/.kimi-code/plugins/installed.json"}


def test_a_payload_of_kimi_is_known_by_its_client() -> None:
    payload = {"hook_event_name": "PreToolUse", "client_type": "kimi_code_cli", "session_id": "s", "cwd": "/"}
    assert hosts.detect(payload) == "kimi"
    called = event("PostToolUseFailure", error={"code": "x", "message": "it failed"})
    assert (called.fields["tool_use_id"], called.fields["error"]) == ("c1", "it failed")


def event(written: str, **fields: Any) -> Event:
    """A call of the shell."""
    call = {"tool_name": "Bash", "tool_input": {"command": "ls"}, "tool_call_id": "c1"}
    payload = {"hook_event_name": written, "client_type": "kimi_code_cli", "session_id": "s", "cwd": "/", **call, **fields}
    return hosts.read("kimi", payload, None, "now")
