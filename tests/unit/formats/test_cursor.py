"""Cursor's hook files, as its own loader, validator and executor read them (`@cursor/sdk` 1.0.32)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from hooktui import formats, hosts
from hooktui.core.events import GATE, PROMPT
from hooktui.core.model import Dispatch, Event
from hooktui.runner import matching
from hooktui.runner.process import Ended
from tests.unit.formats.agenthooks_world import World
from tests.unit.formats.json_world import blamed, codes, only, problem, read, write

cursor = formats.load("cursor")
FILE = "/p/.cursor/hooks.json"
PAYLOADS: dict[str, dict[str, Any]] = {
    "preToolUse": {"tool_name": "Shell", "tool_input": {"command": "ls", "cwd": "/"}, "tool_use_id": "t"},
    "postToolUse": {"tool_name": "Shell", "tool_input": {"command": "ls"}, "tool_output": "{}"},
    "postToolUseFailure": {"tool_name": "Shell", "tool_input": {"command": "ls"}, "error_message": "no"},
    "beforeShellExecution": {"command": "git push"},
    "beforeSubmitPrompt": {"prompt": "hello"},
    "subagentStart": {"subagent_id": "a", "subagent_type": "explore", "task": "look"},
    "stop": {"status": "completed", "loop_count": 0},
}


def flat(step: str = "preToolUse", /, **entry: Any) -> str:
    """A file with one entry, valid by default."""
    return json.dumps({"version": 1, "hooks": {step: [{"command": "true", **entry}]}})


def event(step: str = "preToolUse", **values: Any) -> Event:
    """An event as Cursor sends it."""
    usual = {"conversation_id": "c", "hook_event_name": step, "cursor_version": "2", "workspace_roots": ["/w"]}
    return hosts.read("cursor", {**usual, **PAYLOADS.get(step, {}), **values}, None, "now")


def ended(stdout: str = "", code: int = 0, stderr: str = "") -> Ended:
    return Ended(exit_code=code, signal=None, timed_out=False, stdout=stdout.encode(), stderr=stderr.encode(), duration_ms=1)


def outcome(result: Ended, step: str = "preToolUse", **entry: Any) -> tuple[str, str | None]:
    """The decision and reason of a hook that ended so."""
    hook = only(read(cursor, flat(step, **entry), FILE))
    run = hosts.judge("cursor", hook, event(step), result)
    return run.outcome.decision, run.outcome.reason


def answer(step: str, **effect: Any) -> dict[str, Any]:
    """What hooktui answers, always at exit 0 and never with empty output."""
    given = hosts.answer("cursor", Dispatch(id=1, event=event(step), project="/", runs=(), **effect))
    assert (given.exit_code, given.stderr) == (0, "")
    value: dict[str, Any] = json.loads(given.stdout)
    return value


def test_an_entry_is_read() -> None:
    hook = only(read(cursor, flat(matcher="Shell", timeout=5, failClosed=True, loop_limit=None), FILE))
    assert (hook.name, hook.event, hook.tool) == ("hooks.json:preToolUse:1", "pre-tool-call", "Shell")
    assert (hook.timeout_ms, hook.fail_mode, hook.problems) == (5_000, "block", ())
    assert only(read(cursor, flat(), FILE)).timeout_ms == 60_000


@pytest.mark.parametrize(
    "marked",
    [
        '«{»"hooks": {"stop": [{"command": "true"}]}}',
        '{"version": «"1"», "hooks": {"stop": [{"command": "true"}]}}',
        '{"version": «1.5», "hooks": {"stop": [{"command": "true"}]}}',
        '{"version": 1, "hooks": {«"Stop"»: [{"command": "true"}]}}',
        '{"version": 1, "hooks": {«"_note"»: "x", "stop": [{"command": "true"}]}}',
        '{"version": 1, "hooks": {"stop": «{"command": "true"}»}}',
        '{"version": 1, "hooks": {"stop": [{"command": "true"}«,»]}}',
        '{"version": 1, "hooks": {"stop": [{"command": "curl http:«//»x"}]}}',
        '{"version": 1, "hooks": {"stop": [{"command": "ls «/*»; ls b*/"}]}}',
        '{"version": 1, "hooks": {"stop": [«{»"matcher": "x"}]}}',
        '{"version": 1, "hooks": {"stop": [{"type": «"http"», "command": "true"}]}}',
        '{"version": 1, "hooks": {"stop": [{"command": "true", "timeout": «0»}]}}',
        '{"version": 1, "hooks": {"stop": [{"command": "true", "timeout": «"30"»}]}}',
        '{"version": 1, "hooks": {"stop": [{"command": "true", "loop_limit": «0»}]}}',
        '{"version": 1, "hooks": {"stop": [{"command": "true", "failClosed": «"yes"»}]}}',
        '{"version": 1, "hooks": {"preToolUse": [{"command": "true", "matcher": «"(?i)shell"»}]}}',
        '{"version": 1, "hooks": {"preToolUse": [{"command": "true", "matcher": «null»}]}}',
    ],
)
def test_one_error_loses_the_file(marked: str) -> None:
    found = blamed(cursor, marked, "host-skips-file", FILE)
    assert (found.severity, found.hosts) == ("error", ("cursor",))


def test_a_group_as_in_claude_loses_the_file() -> None:
    text = json.dumps({"version": 1, "hooks": {"stop": [{"matcher": "*", "hooks": [{"type": "command", "command": "true"}]}]}})
    assert "host-skips-file" in codes(read(cursor, text, FILE))


@pytest.mark.parametrize(
    "text", ["// c\n/* d */" + flat(), flat().replace("1", "2"), '{"$schema": "x", ' + flat()[1:], flat(timeout=0.5)]
)
def test_what_cursor_reads_is_no_problem(text: str) -> None:
    parsed = read(cursor, text, FILE)
    assert (codes(parsed), only(parsed).obstacle) == ([], None)


def test_a_fix_escapes_what_looks_like_a_comment() -> None:
    text = flat(command="curl http://x")
    found = problem(read(cursor, text, FILE), "host-skips-file")
    assert found.fix is not None
    fixed = text[: found.fix.start] + found.fix.text + text[found.fix.end :]
    assert "//" not in fixed
    assert only(read(cursor, fixed, FILE)).command == "curl http://x"


@pytest.mark.parametrize(
    ("step", "matcher", "matches"),
    [
        *[("preToolUse", matcher, True) for matcher in ("Shell", "She", "Read|Shell", "^(?!Read)", "*", "")],
        *[("preToolUse", matcher, False) for matcher in ("Bash", "shell", "Read, Shell")],
        ("beforeShellExecution", "git", True),
        ("beforeShellExecution", "Shell", False),
        ("stop", "Stop", True),
        ("stop", "x", False),
        ("sessionStart", "x", True),
        ("subagentStart", "explore", True),
    ],
)
def test_what_a_matcher_matches(step: str, matcher: str, matches: bool) -> None:
    hook = only(read(cursor, flat(step, matcher=matcher), FILE))
    assert (matching.match(hook, event(step)).skip is None) == matches


def test_payloads_are_read_by_their_own_names() -> None:
    stop = event("stop")
    assert (stop.name, stop.session_id, stop.work_dir) == (GATE, "c", "/w")
    assert event("beforeSubmitPrompt").name == PROMPT
    assert event("postToolUseFailure").fields["error"] == "no"
    assert hosts.detect({"hook_event_name": "stop", "cursor_version": "2"}) == "cursor"


def test_claudes_connection_answers_cursor_as_cursor(monkeypatch: pytest.MonkeyPatch) -> None:
    assert hosts.caller("claude", {"cursor_version": "2"}) == "claude"
    monkeypatch.setenv("CURSOR_VERSION", "2")
    assert hosts.caller("claude", {"cursor_version": "2"}) == "cursor"
    assert hosts.caller("claude", {"permission_mode": "default"}) == "claude"


@pytest.mark.parametrize(
    ("step", "effect", "value"),
    [
        ("preToolUse", {}, {}),
        ("preToolUse", {"decision": "allow"}, {}),
        (
            "preToolUse",
            {"decision": "deny", "reason": "no"},
            {"permission": "deny", "user_message": "no", "agent_message": "no"},
        ),
        (
            "preToolUse",
            {"decision": "ask", "reason": "no"},
            {"permission": "deny", "user_message": "no", "agent_message": "no"},
        ),
        (
            "preToolUse",
            {"decision": "stop", "reason": "no"},
            {"permission": "deny", "user_message": "no", "agent_message": "no"},
        ),
        ("preToolUse", {"modified_input": {"command": "pwd"}}, {"updated_input": {"command": "pwd"}}),
        ("preToolUse", {"additional_context": ("a", "b")}, {"additional_context": "a\nb"}),
        (
            "subagentStart",
            {"decision": "deny", "reason": "no"},
            {"permission": "deny", "user_message": "no", "agent_message": "no"},
        ),
        ("beforeSubmitPrompt", {"decision": "deny", "reason": "no"}, {"continue": False, "user_message": "no"}),
        ("sessionStart", {"decision": "deny", "reason": "no"}, {}),
        ("stop", {"decision": "deny", "reason": "more"}, {"followup_message": "more"}),
        ("stop", {"decision": "stop", "reason": "enough"}, {}),
        ("postToolUse", {"decision": "deny", "reason": "no"}, {}),
        ("preToolUse", {"system_messages": ("x",)}, {}),
    ],
)
def test_cursor_gets_json_that_it_obeys(step: str, effect: dict[str, Any], value: dict[str, Any]) -> None:
    assert answer(step, **effect) == value


def test_a_rewrite_that_cursor_would_not_take_is_a_denial() -> None:
    refused = answer("preToolUse", modified_input={"command": "pwd", "env": {"A": "1"}})
    assert refused["permission"] == "deny"
    assert "rewrites env of this input" in refused["user_message"]
    assert answer("preToolUse", modified_input={"cwd": "/"})["permission"] == "deny"


@pytest.mark.parametrize(
    ("step", "result", "entry", "decision", "reason"),
    [
        ("preToolUse", ended(), {}, "none", None),
        ("preToolUse", ended(), {"failClosed": True}, "deny", "Hook true printed nothing"),
        ("preToolUse", ended("{}"), {"failClosed": True}, "none", None),
        ("preToolUse", ended(code=1), {}, "none", None),
        ("preToolUse", ended(code=1), {"failClosed": True}, "deny", "Hook true exited with 1"),
        ("preToolUse", ended("out", 2, "err"), {}, "deny", "out"),
        ("preToolUse", ended("", 2, "err"), {}, "deny", "err"),
        ("preToolUse", ended("fine"), {}, "deny", "Hook true stdout must be a JSON object"),
        ("postToolUse", ended("fine"), {}, "none", None),
        ("preToolUse", ended('{"permission": "maybe"}'), {}, "deny", "Hook true permission must be allow, deny, ask"),
        ("preToolUse", ended('{"permission": "ask", "user_message": "?"}'), {}, "ask", "?"),
        ("preToolUse", ended('{"decision": "block", "reason": "x"}'), {}, "none", None),
        ("stop", ended('{"decision": "block", "reason": "x"}'), {}, "deny", "x"),
        ("stop", ended('{"followup_message": "more"}'), {}, "deny", "more"),
        ("stop", ended("", 2, "more"), {}, "none", None),
        ("beforeSubmitPrompt", ended('{"continue": false, "user_message": "no"}'), {}, "deny", "no"),
        ("sessionStart", ended('{"continue": false}'), {}, "stop", "Blocked by hook true"),
    ],
)
def test_what_a_hook_decides(step: str, result: Ended, entry: dict[str, Any], decision: str, reason: str | None) -> None:
    assert outcome(result, step, **entry) == (decision, reason)


def test_hooks_of_the_user_run_beside_their_file(world: World) -> None:
    path = Path(world.home) / ".cursor/hooks.json"
    write(path, flat("stop"))
    (hook,) = cursor.discover(str(world.project)).hooks
    assert hosts.spec("cursor").hook_directory(hook, event("stop"), str(world.project)).rstrip("/") == str(path.parent)
