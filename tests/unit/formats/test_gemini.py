"""Gemini CLI's hooks in settings.json and in extensions (seen in 0.61.0)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from hooktui import hosts
from hooktui.core.model import Dispatch, Event
from hooktui.runner import matching
from hooktui.runner.process import Ended
from tests.unit.diagnostics.host_files import found
from tests.unit.formats.agenthooks_world import World, skip_of
from tests.unit.formats.json_world import blamed, codes, flat, gemini, grouped, only, problem, read, write

FILE = "/p/.gemini/settings.json"
HANDLER = '{"type": "command", "command": "true"}'
GROUP = f'{{"hooks": [{HANDLER}]}}'
REASON = "not here"


def test_a_hook_of_gemini_is_read() -> None:
    hook = only(read(gemini, grouped("BeforeTool", {"matcher": "shell"}, command="./guard", timeout=5000), FILE))
    assert (hook.name, hook.event, hook.tool) == ("settings.json:BeforeTool:1", "pre-tool-call", "shell")
    assert (hook.argv, hook.timeout_ms) == (("bash", "-c", "./guard"), 5_000)
    assert only(read(gemini, grouped("AfterAgent"), FILE)).timeout_ms == 60_000


def test_a_trailing_comma_keeps_the_program_from_starting() -> None:
    found = blamed(gemini, f'{{"hooks": {{"AfterAgent": [{GROUP}«,»]}}}}', "host-skips-file", FILE)
    assert (found.severity, found.hosts) == ("error", ("gemini",))
    assert found.message == "Gemini CLI does not start: trailing commas are not valid JSON. Its hook true does not run."
    (hook,) = read(gemini, f'{{"hooks": {{"AfterAgent": [{GROUP},]}}}}', FILE).hooks
    assert skip_of(hook) == "host-skips-file"


def test_a_matcher_that_is_not_text_loses_the_hooks_of_its_event() -> None:
    marked = f'{{"hooks": {{"BeforeTool": [{{"matcher": «3», "hooks": [{HANDLER}]}}, {GROUP}], "AfterAgent": [{GROUP}]}}}}'
    found = blamed(gemini, marked, "wrong-type", FILE)
    assert found.message == "Gemini CLI runs no BeforeTool hook, of any file: matcher must be text, not a number"
    hooks = read(gemini, marked.replace("«", "").replace("»", ""), FILE).hooks
    assert [hook.obstacle is None for hook in hooks] == [False, False, True]


def test_the_program_does_not_start_with_a_file_that_it_cannot_read() -> None:
    broken = problem(read(gemini, '{"hooks": {', FILE), "host-skips-file")
    assert broken.message.startswith("Gemini CLI does not start: ")
    assert problem(read(gemini, "\ufeff" + grouped("AfterAgent"), FILE), "host-skips-file").message.startswith(
        "Gemini CLI does not start: "
    )


def test_comments_are_read() -> None:
    assert codes(read(gemini, "// c\n" + grouped("AfterAgent"), FILE)) == []


@pytest.mark.parametrize(
    ("entry", "code"),
    [
        ('{"command": "false"}', "missing-field"),
        ('{"type": "http", "url": "https://x"}', "unsupported-type"),
        ('{"type": "command"}', "missing-field"),
    ],
)
def test_a_bad_entry_is_dropped_without_the_others(entry: str, code: str) -> None:
    parsed = read(gemini, f'{{"hooks": {{"AfterAgent": [{{"hooks": [{entry}]}}, {GROUP}]}}}}', FILE)
    assert codes(parsed) == [code]
    assert [hook.command for hook in parsed.hooks if hook.obstacle is None] == ["true"]


def test_a_flat_entry_and_an_unknown_event_are_dropped_without_the_others() -> None:
    assert codes(read(gemini, flat("AfterAgent"), FILE)) == ["never-fires"]
    found = problem(read(gemini, grouped("PreToolUse"), FILE), "unknown-event")
    assert found.message == "PreToolUse is not a Gemini CLI event: its hooks never run"


def test_a_timeout_in_text_has_the_hosts_unit() -> None:
    found = problem(read(gemini, grouped("BeforeTool", timeout="30s"), FILE), "wrong-type")
    assert found.fix is not None
    assert found.fix.text == "30000"


@pytest.mark.parametrize(
    ("matcher", "matches"),
    [
        *[
            (matcher, True)
            for matcher in ("shell", "^run", "run_shell_command|read_file", "^(?!read).*$", "*", "", " run_shell_command ")
        ],
        *[
            (matcher, False)
            for matcher in (
                "Bash",
                "Shell",
                "RUN_SHELL_COMMAND",
                "run_shell_command, read_file",
                "run_shell_command(echo*)",
            )
        ],
        *[(matcher, False) for matcher in ("[", "(?i)RUN")],
    ],
)
def test_what_a_matcher_matches(matcher: str, matches: bool) -> None:
    hook = only(read(gemini, grouped("BeforeTool", {"matcher": matcher}), FILE))
    assert (matching.match(hook, event("BeforeTool")).skip is None) == matches


def test_a_bad_regex_is_compared_as_an_exact_name() -> None:
    parsed = read(gemini, grouped("BeforeTool", {"matcher": "mcp_c++"}), FILE)
    assert problem(parsed, "bad-regex").message == (
        "Gemini CLI never runs this hook: its matcher is not a valid regex: nothing to repeat"
    )
    assert matching.match(only(parsed), event("BeforeTool").replace(tool_name="mcp_c++")).skip is None


def test_a_session_is_matched_by_its_exact_source() -> None:
    for matcher, skip in (("startup", None), ("start", "tool-mismatch")):
        hook = only(read(gemini, grouped("SessionStart", {"matcher": matcher}), FILE))
        assert matching.match(hook, event("SessionStart", source="startup")).skip == skip


def test_settings_switch_hooks_off(world: World) -> None:
    hooks = {"BeforeTool": [{"hooks": [{"type": "command", "command": "true", "name": "guard"}, json.loads(HANDLER)]}]}
    write(Path(world.home) / ".gemini/settings.json", json.dumps({"hooksConfig": {"disabled": ["guard"]}}))
    path = write(world.project / ".gemini/settings.json", json.dumps({"hooks": hooks}))
    assert [hook.why_disabled for hook in gemini.discover(str(world.project)).hooks] == [
        "hooksConfig.disabled in ~/.gemini/settings.json disables it",
        "",
    ]
    write(path, json.dumps({"hooks": hooks, "hooksConfig": {"enabled": False}}))
    assert {hook.why_disabled for hook in gemini.discover(str(world.project)).hooks} == {
        f"hooksConfig.enabled in {path} disables all Gemini CLI hooks"
    }


def test_hooks_of_the_project_come_before_the_users_and_those_of_extensions(world: World) -> None:
    home = Path(world.home)
    write(home / ".gemini/extensions/ext/hooks/hooks.json", grouped("BeforeTool", command='"${extensionPath}"/guard'))
    write(home / ".gemini/settings.json", grouped("BeforeTool"))
    write(world.project / ".gemini/settings.json", grouped("BeforeTool"))
    *_, extension = hooks = gemini.discover(str(world.project)).hooks
    assert [hook.scope for hook in hooks] == ["project", "user", "plugin"]
    assert (extension.owner, extension.read_only) == ("plugin ext", "it belongs to an installed extension")
    assert extension.plugin_root == str(home / ".gemini/extensions/ext")


@pytest.mark.parametrize(("written", "count"), [("$GEMINI_PROJECT_DIR/guard", 0), ("${GEMINI_PROJECT_DIR}/guard", 1)])
def test_gemini_quotes_the_projects_directory_itself(world: World, written: str, count: int) -> None:
    write(world.project / ".gemini/settings.json", grouped("BeforeTool", command=written))
    assert len(found(world, "unquoted-path")) == count


@pytest.mark.parametrize(
    ("exit_code", "stdout", "stderr", "decision", "reason"),
    [
        (2, "", REASON, "deny", REASON),
        (2, "noise", REASON, "deny", "noise"),
        (2, "", "", "none", None),
        (2, '{"decision": "allow"}', REASON, "allow", None),
        (3, "", REASON, "deny", REASON),
        (1, "", REASON, "none", None),
        (1, '{"decision": "deny", "reason": "not here"}', "", "deny", REASON),
        (0, "", '{"decision": "block", "reason": "not here"}', "deny", REASON),
        (0, '{"decision": "ask", "reason": "not here"}', "", "ask", REASON),
        (0, '{"hookSpecificOutput": {"permissionDecision": "deny"}}', "", "none", None),
        (0, '{"continue": false, "stopReason": "not here"}', "", "stop", REASON),
        (0, "just text", "", "none", None),
    ],
)
def test_what_gemini_makes_of_an_answer(exit_code: int, stdout: str, stderr: str, decision: str, reason: str | None) -> None:
    hook = only(read(gemini, grouped("BeforeTool"), FILE))
    ended = Ended(exit_code=exit_code, stdout=stdout.encode(), stderr=stderr.encode())
    outcome = hosts.judge("gemini", hook, event("BeforeTool"), ended).outcome
    assert (outcome.decision, outcome.reason) == (decision, reason)


def test_a_rewrite_is_merged_into_the_input() -> None:
    hook = only(read(gemini, grouped("BeforeTool"), FILE))
    rewrite = {"hookSpecificOutput": {"tool_input": {"command": "pwd"}}}
    ended = Ended(exit_code=0, stdout=json.dumps(rewrite).encode())
    outcome = hosts.judge("gemini", hook, event("BeforeTool"), ended).outcome
    assert outcome.modified_input == {"command": "pwd", "description": "d"}


@pytest.mark.parametrize(
    ("name", "effect", "exit_code", "stdout"),
    [
        ("BeforeTool", {"decision": "deny", "reason": REASON}, 2, None),
        ("BeforeTool", {"decision": "deny", "reason": "42"}, 0, {"decision": "deny", "reason": "42"}),
        ("BeforeTool", {"decision": "ask", "reason": REASON}, 2, None),
        ("BeforeTool", {"decision": "allow"}, 0, None),
        ("BeforeTool", {"decision": "stop", "reason": REASON}, 0, {"continue": False, "stopReason": REASON}),
        ("BeforeTool", {"modified_input": {"command": "pwd"}}, 2, None),
        (
            "BeforeTool",
            {"modified_input": {"command": "pwd", "description": "d"}},
            0,
            {"hookSpecificOutput": {"hookEventName": "BeforeTool", "tool_input": {"command": "pwd", "description": "d"}}},
        ),
        (
            "AfterTool",
            {"additional_context": ("c",)},
            0,
            {"hookSpecificOutput": {"hookEventName": "AfterTool", "additionalContext": "c"}},
        ),
        ("BeforeTool", {"additional_context": ("c",)}, 0, None),
        ("AfterAgent", {"decision": "deny", "reason": REASON}, 2, None),
        ("SessionStart", {"decision": "deny", "reason": REASON}, 0, None),
        (
            "BeforeTool",
            {"decision": "deny", "reason": REASON, "system_messages": ("m",)},
            0,
            {"decision": "deny", "reason": REASON, "systemMessage": "m"},
        ),
    ],
)
def test_gemini_gets_only_answers_that_it_obeys(
    name: str, effect: dict[str, Any], exit_code: int, stdout: dict[str, Any] | None
) -> None:
    answer = hosts.answer("gemini", Dispatch(id=1, event=event(name), project="/", runs=(), **effect))
    assert answer.exit_code == exit_code
    assert (json.loads(answer.stdout) if answer.stdout else None) == stdout
    assert bool(answer.stderr) == (exit_code == 2)


def test_a_payload_of_gemini_is_known_by_its_event() -> None:
    payload = {"hook_event_name": "AfterAgent", "timestamp": "t", "session_id": "s", "cwd": "/", "prompt_response": "fin"}
    assert hosts.detect(payload) == "gemini"
    assert hosts.read("gemini", payload, None, "now").fields["final_message"] == {"role": "assistant", "content": "fin"}


def event(written: str, **fields: Any) -> Event:
    """A call of the shell."""
    called = {"tool_name": "run_shell_command", "tool_input": {"command": "ls", "description": "d"}}
    payload = {"hook_event_name": written, "session_id": "s", "cwd": "/", "timestamp": "t", **called, **fields}
    return hosts.read("gemini", payload, None, "now")
