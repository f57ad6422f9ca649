"""Qwen Code's hooks in settings.json (seen in 0.24.4)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from hooktui import formats, hosts
from hooktui.core.model import Dispatch, Event
from hooktui.runner import matching
from hooktui.runner.process import Ended
from tests.unit.diagnostics.host_files import found, put
from tests.unit.formats.agenthooks_world import World
from tests.unit.formats.json_world import blamed, codes, grouped, only, problem, qwen, read, write

FILE = "/p/.qwen/settings.json"
REASON = "not here"


@pytest.mark.parametrize(("written", "timeout_ms"), [(30, 30_000), (999, 999_000), (1000, 1_000), (60_000, 60_000)])
def test_a_timeout_below_1000_is_in_seconds(written: int, timeout_ms: int) -> None:
    assert only(read(qwen, grouped("PreToolUse", timeout=written), FILE)).timeout_ms == timeout_ms


def test_a_timeout_that_versions_read_differently_is_reported(world: World) -> None:
    put(world, grouped("PreToolUse", timeout=30), ".qwen/settings.json")
    (only,) = found(world, "unit-suspect")
    assert only.message == "timeout is in milliseconds: older versions of Qwen Code end the hook after 0.03 s, and go on"
    assert only.fix is not None
    assert only.fix.text == "30000"


def test_a_trailing_comma_loses_the_file_but_no_comment_or_byte_order_mark_does() -> None:
    text = grouped("Stop")
    assert blamed(qwen, f"{text[:-1]}«,»}}", "host-skips-file", FILE).message.startswith("Qwen Code ignores this file")
    assert codes(read(qwen, "\ufeff// c\n" + text, FILE)) == []


@pytest.mark.parametrize(
    ("matcher", "matches"),
    [
        *[(matcher, True) for matcher in ("shell", "^run", "Bash", "Edit|Bash", "Shell", ".*", "*")],
        *[(matcher, False) for matcher in ("^Bash$", "(Bash)", "[", "run_shell_command, read_file", "Edit")],
    ],
)
def test_what_a_matcher_matches(matcher: str, matches: bool) -> None:
    hook = only(read(qwen, grouped("PreToolUse", {"matcher": matcher}), FILE))
    assert (matching.match(hook, event("PreToolUse")).skip is None) == matches


@pytest.mark.parametrize(("matcher", "count"), [("Bash", 0), ("Edit|Write", 0), ("shell", 0), ("run_in_terminal", 1)])
def test_names_that_match_nothing(world: World, matcher: str, count: int) -> None:
    put(world, grouped("PreToolUse", {"matcher": matcher}), ".qwen/settings.json")
    assert len(found(world, "matches-nothing")) == count


@pytest.mark.parametrize(
    ("exit_code", "stdout", "stderr", "decision", "reason"),
    [
        (2, "", REASON, "deny", REASON),
        (2, '{"decision": "allow"}', REASON, "deny", REASON),
        (2, "", "", "none", None),
        (3, "", REASON, "none", None),
        (1, '{"decision": "deny", "reason": "not here"}', "", "deny", REASON),
        (
            0,
            '{"hookSpecificOutput": {"permissionDecision": "deny", "permissionDecisionReason": "not here"}}',
            "",
            "deny",
            REASON,
        ),
        (0, '{"continue": false, "stopReason": "not here"}', "", "deny", REASON),
        (0, '{"decision": "den', "", "none", None),
    ],
)
def test_what_qwen_makes_of_an_answer(exit_code: int, stdout: str, stderr: str, decision: str, reason: str | None) -> None:
    hook = only(read(qwen, grouped("PreToolUse"), FILE))
    ended = Ended(exit_code=exit_code, stdout=stdout.encode(), stderr=stderr.encode())
    outcome = hosts.judge("qwen", hook, event("PreToolUse"), ended).outcome
    assert (outcome.decision, outcome.reason) == (decision, reason)


def test_qwen_applies_no_rewrite() -> None:
    hook = only(read(qwen, grouped("PreToolUse"), FILE))
    rewrite = json.dumps({"hookSpecificOutput": {"updatedInput": {"command": "pwd"}}})
    ended = Ended(exit_code=0, stdout=rewrite.encode(), stderr=b"")
    outcome = hosts.judge("qwen", hook, event("PreToolUse"), ended).outcome
    assert (outcome.modified_input, outcome.problems) == (None, ("Qwen Code ignores updatedInput",))


@pytest.mark.parametrize(
    ("name", "effect", "told", "stdout"),
    [
        ("PreToolUse", {"decision": "deny", "reason": REASON}, REASON, None),
        ("PreToolUse", {"decision": "deny", "reason": '{"a": 1}'}, "", {"decision": "deny", "reason": '{"a": 1}'}),
        ("PreToolUse", {"decision": "ask", "reason": REASON}, REASON, None),
        ("PreToolUse", {"decision": "stop", "reason": REASON}, REASON, None),
        ("PreToolUse", {"decision": "allow"}, "", None),
        ("PreToolUse", {"modified_input": {"command": "pwd"}}, 'Call the tool with {"command": "pwd"} instead.', None),
        ("PostToolUse", {"decision": "deny", "reason": REASON}, "", {"continue": False, "stopReason": REASON}),
        ("Stop", {"decision": "deny", "reason": REASON}, REASON, None),
        ("Stop", {"decision": "stop", "reason": REASON}, "", None),
        (
            "UserPromptSubmit",
            {"additional_context": ("c",)},
            "",
            {"hookSpecificOutput": {"hookEventName": "UserPromptSubmit", "additionalContext": "c"}},
        ),
    ],
)
def test_qwen_gets_only_answers_that_it_obeys(
    name: str, effect: dict[str, Any], told: str, stdout: dict[str, Any] | None
) -> None:
    answer = hosts.answer("qwen", Dispatch(id=1, event=event(name), project="/", runs=(), **effect))
    assert (json.loads(answer.stdout) if answer.stdout else None) == stdout
    assert told in answer.stderr
    assert answer.exit_code == (2 if told else 0)


def test_hooks_of_extensions_are_read_only(world: World) -> None:
    ours, other = (Path(world.home) / f".qwen/extensions/{name}" for name in ("guards", "others"))
    write(ours / "qwen-extension.json", json.dumps({"name": "guards", "version": "1.0.0"}))
    write(ours / "hooks/hooks.json", grouped("PreToolUse", command="${CLAUDE_PLUGIN_ROOT}/guard"))
    write(other / "qwen-extension.json", json.dumps({"name": "others", **json.loads(grouped("Stop"))}))
    found = qwen.discover(str(world.project))
    assert not found.diagnostics
    assert sorted((hook.owner, hook.event_as_written, hook.read_only) for hook in found.hooks) == [
        ("plugin guards", "PreToolUse", "it belongs to an installed extension"),
        ("plugin others", "Stop", "it belongs to an installed extension"),
    ]
    assert {hook.plugin_root for hook in found.hooks} == {str(ours), str(other)}


@pytest.mark.parametrize("host", ["qwen", "gemini"])
@pytest.mark.parametrize(
    ("rules", "runs"),
    [
        ([], True),
        (["!{project}/"], False),  # as `qwen extensions disable --scope workspace` writes it
        (["!{project}/*"], False),  # as Gemini CLI does
        (["!{above}/*"], False),
        (["!{above}/"], True),
        (["!/*", "{project}/"], True),
        (["{project}/*", "!/*"], False),
        (["!{project}x/*"], True),
        ("damaged", True),
    ],
    ids=str,
)
def test_an_extension_may_be_disabled_in_some_directories(world: World, host: str, rules: list[str], runs: bool) -> None:
    extensions = Path(world.home) / f".{host}/extensions"
    event = {"qwen": "PreToolUse", "gemini": "BeforeTool"}[host]
    write(extensions / "guards/hooks/hooks.json", grouped(event))
    project, above = str(world.project), str(world.project.parent)
    overrides = [rule.format(project=project, above=above) for rule in rules]
    write(extensions / "extension-enablement.json", json.dumps({"guards": {"overrides": overrides}}))
    hook = only(formats.load(host).discover(project))
    assert hook.enabled == runs
    assert ("extension-enablement.json" in (hook.why_disabled or "")) != runs


@pytest.mark.parametrize("key", ["enabled", "disabled"])
def test_a_switch_of_older_versions_switches_nothing_off(key: str) -> None:
    parsed = read(qwen, json.dumps({"hooks": {key: [], **json.loads(grouped("Stop"))["hooks"]}}), FILE)
    assert problem(parsed, "unread-key").message == f"Qwen Code does not read hooks.{key}: the hooks run anyway"
    assert only(parsed).obstacle is None


def test_a_payload_of_qwen_has_a_permission_mode_and_a_timestamp() -> None:
    assert hosts.detect(dict(event("Stop").payload)) == "qwen"


def test_the_type_is_required() -> None:
    parsed = read(qwen, '{"hooks": {"Stop": [{"hooks": [{"command": "true"}]}]}}', FILE)
    assert problem(parsed, "missing-field").message == "type is missing"
    assert only(parsed).obstacle is not None


def event(written: str, **fields: Any) -> Event:
    """A call of the shell."""
    called = {"tool_name": "run_shell_command", "tool_input": {"command": "ls"}, "permission_mode": "yolo"}
    payload = {"hook_event_name": written, "session_id": "s", "cwd": "/", "timestamp": "t", **called, **fields}
    return hosts.read("qwen", payload, None, "now")
