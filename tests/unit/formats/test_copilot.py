"""Copilot CLI's hook files (formats.md §3)."""

from __future__ import annotations

import json

import pytest

from hooktui.core.model import JsonEntry
from tests.unit.formats.agenthooks_world import World, skip_of
from tests.unit.formats.json_world import blamed, codes, copilot, flat, grouped, only, problem, read, vscode, write


@pytest.mark.parametrize(
    ("text", "format_name"),
    [
        ('{"hooks": {"PreToolUse": []}}', "vscode"),
        ('{"version": 1, "hooks": {"PreToolUse": []}}', "copilot"),
        ('{"hooks": {"preToolUse": []}}', "copilot"),
        ('{"hooks": {"PreToolUse": [], "preToolUse": []}}', "copilot"),
        ('{"hooks": {"sessionStarted": []}}', "copilot"),
        ('{"hooks": {"pretooluse": []}}', "vscode"),
        ('{"hooks": {"Stop": [], "sessionStarted": []}}', "vscode"),
        ('{"hooks": {"Stop": [], "sessionStart": []}}', "copilot"),
        ('{"hooks": ', "vscode"),
        ('{"version": 1, "hooks": ', "copilot"),
    ],
)
def test_a_version_or_a_camel_case_event_makes_a_file_copilots(world: World, text: str, format_name: str) -> None:
    path = write(world.project / ".github/hooks/a.json", text)
    owners = {name: module.discover(str(world.project)).files for name, module in (("vscode", vscode), ("copilot", copilot))}
    assert owners == {"vscode": (), "copilot": (), format_name: (str(path),)}


@pytest.mark.parametrize(
    ("written", "event"),
    [
        ("preToolUse", "pre-tool-call"),
        ("userPromptSubmitted", "pre-agent-turn"),
        ("agentStop", "pre-agent-turn-stop"),
        ("PreToolUse", "pre-tool-call"),
        ("errorOccurred", "agent-failure"),
        ("notification", "notification"),
        ("permissionRequest", "permissionRequest"),
        ("userPromptTransformed", "userPromptTransformed"),
    ],
)
def test_both_spellings_are_read_and_own_events_keep_their_name(written: str, event: str) -> None:
    parsed = read(copilot, flat(written))
    assert only(parsed).event == event
    assert not parsed.diagnostics


def test_an_event_in_another_hosts_spelling_is_unknown() -> None:
    found = blamed(copilot, '{"version": 1, "hooks": {«"UserPromptSubmitted"»: []}}', "unknown-event")
    assert found.hint == "did you mean userPromptSubmitted?"


def test_a_switch_that_is_not_true_or_false_loses_the_file() -> None:
    text = '{"version": 1, "disableAllHooks": «"false"», "hooks": {"preToolUse": [{"type": "command", "bash": "x"}]}}'
    found = blamed(copilot, text, "host-skips-file")
    assert found.message.startswith("Copilot CLI ignores this file: disableAllHooks must be true or false, not text.")


_LAST = ".github/copilot/settings.local.json"


@pytest.mark.parametrize(
    ("files", "is_on"),
    [
        ({".github/copilot/settings.json": True}, False),
        ({".github/copilot/settings.json": True, _LAST: False}, True),
        ({".claude/settings.json": True}, False),
        ({".claude/settings.local.json": True, ".github/copilot/settings.json": False}, True),
        ({".claude/settings.json": "true"}, True),
        ({"~/.copilot/settings.json": True}, True),
    ],
)
def test_the_last_settings_of_a_project_switch_all_hooks_on_or_off(world: World, files: dict[str, object], is_on: bool) -> None:
    write(world.project / ".github/hooks/a.json", flat("preToolUse"))
    for name, off in files.items():
        path = world.home / name[2:] if name.startswith("~/") else world.project / name
        write(path, json.dumps({"disableAllHooks": off}))
    found = copilot.discover(str(world.project))
    assert only(found).enabled is is_on
    assert ("disableAllHooks in" in only(found).why_disabled) is not is_on
    assert {str(world.project / ".claude/settings.local.json"), str(world.project / _LAST)} < set(found.watched)


def test_timeout_sec_wins_and_the_default_is_30_s() -> None:
    assert only(read(copilot, flat("preToolUse", timeout=5, timeoutSec=6))).timeout_ms == 6_000
    assert only(read(copilot, flat("preToolUse", timeout=5))).timeout_ms == 5_000
    assert only(read(copilot, flat("preToolUse"))).timeout_ms == 30_000


def test_commands_are_bashs() -> None:
    assert only(read(copilot, flat("preToolUse", bash="./b.sh"))).argv == ("bash", "-c", "./b.sh")


def test_exec_is_started_without_a_shell() -> None:
    hook = only(read(copilot, '{"hooks": {"agentStop": [{"type": "command", "exec": "my prog", "args": ["a b", "$c"]}]}}'))
    assert (hook.argv, hook.command) == (("my prog", "a b", "$c"), "'my prog' 'a b' '$c'")


def test_the_entrys_own_matcher_comes_before_the_groups() -> None:
    assert only(read(copilot, flat("preToolUse", matcher="bash"))).tool == "bash"
    assert only(read(copilot, grouped("preToolUse", {"matcher": "edit"}))).tool == "edit"
    assert only(read(copilot, grouped("preToolUse", {"matcher": "edit"}, matcher="bash"))).tool == "bash"


@pytest.mark.parametrize("event", ["preToolUse", "PreToolUse"])
def test_a_bad_regex_skips_the_entry(event: str) -> None:
    marked = f'{{"version": 1, "hooks": {{"{event}": [{{"type": "command", "command": "c", "matcher": «"("»}}]}}}}'
    assert blamed(copilot, marked, "bad-regex").severity == "error"
    assert skip_of(only(read(copilot, marked.replace("«", "").replace("»", "")))) == "bad-matcher"


@pytest.mark.parametrize("file", [".github/hooks/a.json", ".github/copilot/settings.json"])
@pytest.mark.parametrize(
    "event", ["sessionStart", "SessionEnd", "PostToolUseFailure", "UserPromptSubmit", "Stop", "subagentStop"]
)
@pytest.mark.parametrize(("matcher", "expected"), [("", []), ("*", []), ("[", ["matcher-ignored"]), (5, ["matcher-ignored"])])
def test_events_whose_matcher_is_not_read(event: str, matcher: object, expected: list[str], file: str) -> None:
    parsed = read(copilot, flat(event, matcher=matcher), f"/p/{file}")
    assert (only(parsed).obstacle, codes(parsed)) == (None, expected)


def test_a_star_is_no_regex_on_events_without_a_tool() -> None:
    assert codes(read(copilot, flat("SubagentStart", matcher="*"))) == ["bad-regex"]


@pytest.mark.parametrize("event", ["preToolUse", "postToolUse", "notification"])
def test_a_star_is_no_regex_on_camel_case_events(event: str) -> None:
    marked = f'{{"version": 1, "hooks": {{"{event}": [{{"type": "command", "command": "c", "matcher": «"*"»}}]}}}}'
    assert blamed(copilot, marked, "bad-regex").hint == "Copilot CLI needs .* here, or no matcher"


def test_a_star_is_everything_on_pascal_case_events_and_nothing_where_no_matcher_counts() -> None:
    for event in ("PreToolUse", "agentStop", "Stop"):
        parsed = read(copilot, flat(event, matcher="*"))
        assert (only(parsed).obstacle, parsed.diagnostics) == (None, ())


@pytest.mark.parametrize("event", ["agentStop", "userPromptSubmitted", "Stop"])
def test_a_matcher_is_ignored_on_events_without_a_value_to_match(event: str) -> None:
    assert codes(read(copilot, flat(event, matcher="("))) == ["matcher-ignored"]


def test_http_hooks_are_read_for_the_runner() -> None:
    entry = {"type": "http", "url": "https://x/y", "headers": {"A": "b"}, "allowedEnvVars": ["T"]}
    hook = only(read(copilot, flat("postToolUse", **entry)))
    assert (hook.type, hook.command, hook.argv, hook.obstacle) == ("http", None, (), None)
    assert isinstance(hook.source, JsonEntry)
    assert (hook.url, hook.source.headers, hook.source.allowed_variables) == ("https://x/y", {"A": "b"}, ("T",))
    assert "headers" not in hook.metadata


def test_a_prompt_fires_only_when_a_session_starts() -> None:
    parsed = read(copilot, flat("preToolUse", type="prompt", prompt="/help"))
    assert problem(parsed, "never-fires").hosts == ("copilot",)


@pytest.mark.parametrize(
    ("event", "url", "more", "why"),
    [
        ("preToolUse", "http://x.org/", {}, "an answer can grant a permission"),
        ("PermissionRequest", "http://localhost:1/", {}, "an answer can grant a permission"),
        ("postToolUse", "http://localhost:1/", {"allowedEnvVars": ["T"]}, "with allowedEnvVars"),
        ("postToolUse", "http://x.org/", {}, "this machine"),
        ("postToolUse", "http://localhost:1/", {}, ""),
        ("postToolUse", "http://127.0.0.9/", {}, ""),
        ("preToolUse", "https://x.org/", {"allowedEnvVars": ["T"]}, ""),
    ],
)
def test_an_address_without_tls_is_not_asked(event: str, url: str, more: dict[str, object], why: str) -> None:
    parsed = read(copilot, flat(event, type="http", url=url, **more))
    assert only(parsed).obstacle is None
    assert codes(parsed) == (["never-fires"] if why else [])
    assert why in "".join(found.message for found in parsed.diagnostics)


def test_two_spellings_of_one_event_conflict_in_vs_code_at_the_later_one() -> None:
    entries = '[{"type": "command", "command": "a"}]'
    marked = f'{{"hooks": {{"PreToolUse": {entries}, «"preToolUse"»: {entries}}}}}'
    found = blamed(copilot, marked, "conflicting-keys")
    assert (found.severity, found.hosts) == ("error", ("vscode",))
    hooks = read(copilot, marked.replace("«", "").replace("»", "")).hooks
    assert [hook.obstacle for hook in hooks] == [None, None]


_GOOD = '"hooks": {"preToolUse": [{"type": "command", "command": "c"}]}'


@pytest.mark.parametrize(
    "marked",
    [
        f'{{"version": «2», {_GOOD}}}',
        f'{{"version": «"1"», {_GOOD}}}',
        f'{{"version": 1, {_GOOD}«,»}}',
        f'«// mine»\n{{"version": 1, {_GOOD}}}',
    ],
)
def test_copilot_skips_a_file_that_is_not_its_own_json(marked: str) -> None:
    assert blamed(copilot, marked, "host-skips-file").hosts == ("copilot",)
    assert skip_of(only(read(copilot, marked.replace("«", "").replace("»", "")))) == "host-skips-file"


@pytest.mark.parametrize(
    "value",
    ['"cwd": «123»', '"env": «"x"»', '"env": {"A": «1»}', '"timeoutSec": «"30"»', '"timeout": «"30"»', '"timeoutSec": «-1»'],
)
def test_a_wrong_value_loses_the_entry_and_not_its_siblings(value: str) -> None:
    sibling = '{"type": "command", "command": "true"}'
    marked = f'{{"hooks": {{"preToolUse": [{{"type": "command", "command": "c", {value}}}, {sibling}]}}}}'
    text = marked.replace("«", "").replace("»", "")
    wrong, good = read(copilot, text).hooks
    assert wrong.obstacle
    assert (wrong.obstacle.skip, "Copilot CLI ignores this entry" in wrong.obstacle.why) == ("invalid", True)
    assert good.obstacle is None


def test_an_entry_needs_no_type() -> None:
    parsed = read(copilot, '{"version": 1, "hooks": {"preToolUse": [{"command": "c"}]}}')
    assert (only(parsed).type, only(parsed).obstacle, parsed.diagnostics) == ("command", None, ())


@pytest.mark.parametrize("event", ["preToolUse", "PreToolUse", "subagentStart", "SubagentStart", "preCompact", "notification"])
def test_an_empty_matcher_loses_the_entry(event: str) -> None:
    marked = f'{{"version": 1, "hooks": {{"{event}": [{{"type": "command", "command": "c", "matcher": «""»}}]}}}}'
    assert blamed(copilot, marked, "never-fires").severity == "error"
    assert skip_of(only(read(copilot, marked.replace("«", "").replace("»", "")))) == "bad-matcher"


@pytest.mark.parametrize(("event", "expected"), [("SessionEnd", ["wrong-type"]), ("sessionEnd", ["host-skips-file"])])
@pytest.mark.parametrize("file", [".github/hooks/a.json", ".github/copilot/settings.json"])
def test_only_a_camel_case_event_that_is_no_list_loses_the_file(event: str, expected: list[str], file: str) -> None:
    entry = {"type": "command", "command": "true"}
    parsed = read(copilot, json.dumps({"hooks": {"SessionStart": [entry], event: None}}), f"/p/{file}")
    assert (codes(parsed), only(parsed).obstacle is None) == (expected, expected == ["wrong-type"])
