"""Claude Code's settings files (formats.md §3), the rules about skipped files as seen in Claude Code 2.1.197."""

from __future__ import annotations

import json
from typing import Any

import pytest

from hooktui.core.model import JsonEntry
from tests.unit.formats.agenthooks_world import World, skip_of
from tests.unit.formats.json_world import CLAUDE, blamed, claude, codes, grouped, only, problem, read, write

GOOD = '{"type": "command", "command": "true"}'


def read_only(text: str) -> Any:
    return only(read(claude, text, CLAUDE))


def test_a_settings_file_is_read_completely() -> None:
    text = grouped(
        "PreToolUse", {"matcher": "Bash"}, timeout=5, statusMessage="checking", **{"async": True, "if": "Bash(rm *)"}
    )
    hook = read_only(text)
    assert (hook.name, hook.event, hook.tool) == ("settings.json:PreToolUse:1", "pre-tool-call", "Bash")
    assert (hook.argv, hook.timeout_ms, hook.is_async) == (("/bin/sh", "-c", "true"), 5_000, True)
    assert isinstance(hook.source, JsonEntry)
    assert hook.source.condition == "Bash(rm *)"
    assert hook.metadata["statusMessage"] == "checking"
    assert hook.obstacle is None
    assert hook.cwd is None


@pytest.mark.parametrize("event", ["Notification", "PermissionRequest", "WorktreeCreate", "Elicitation", "TeammateIdle"])
def test_claudes_own_events_keep_their_name(event: str) -> None:
    parsed = read(claude, grouped(event), CLAUDE)
    assert only(parsed).event == event
    assert not parsed.diagnostics


@pytest.mark.parametrize(("event", "canonical"), [("StopFailure", "agent-failure"), ("PostCompact", "post-context-compact")])
def test_events_with_a_twin_have_its_name(event: str, canonical: str) -> None:
    assert read_only(grouped(event)).event == canonical


def test_the_shell_may_be_powershell() -> None:
    assert read_only(grouped(shell="powershell")).argv[0] == "pwsh"
    assert read_only(grouped(shell="bash")).argv == ("/bin/sh", "-c", "true")


def test_prompt_and_http_hooks_are_kept_for_the_runner() -> None:
    hook = read_only(grouped("Stop", type="prompt", prompt="ok? $ARGUMENTS", model="haiku"))
    assert (hook.type, hook.prompt, hook.model, hook.obstacle) == ("prompt", "ok? $ARGUMENTS", "haiku", None)
    hook = read_only(grouped("Stop", type="http", url="http://localhost:1/x"))
    assert (hook.type, hook.url, hook.obstacle) == ("http", "http://localhost:1/x", None)


@pytest.mark.parametrize("entry", [{"type": "agent", "prompt": "p"}, {"type": "mcp_tool", "server": "s", "tool": "t"}])
def test_a_type_that_hooktui_does_not_run_is_listed(entry: dict[str, str]) -> None:
    parsed = read(claude, grouped("Stop", **entry), CLAUDE)
    assert skip_of(only(parsed)) == "unsupported-type"
    assert problem(parsed, "unsupported-type").severity == "info"


# What makes Claude skip the whole file: each seen in the real program.
CULPRITS = [
    f'{{"hooks": {{"PreToolUse": [«{{»"type": "command", "command": "flat"}}, {{"hooks": [{GOOD}]}}]}}}}',
    f'{{"hooks": {{"PreToolUse": [{{"hooks": [{GOOD}, «{{»"command": "x"}}]}}]}}}}',
    f'{{"hooks": {{"PreToolUse": [{{"hooks": [{GOOD}, {{"type": «"webhook"», "command": "x"}}]}}]}}}}',
    f'{{"hooks": {{"PreToolUse": [{{"matcher": «{{}}», "hooks": [{GOOD}]}}]}}}}',
    f'{{"hooks": {{"PreToolUse": [{{"matcher": «null», "hooks": [{GOOD}]}}]}}}}',
    f'{{"hooks": {{"PreToolUse": [{{"hooks": [{GOOD}, {{"type": "command", "command": "x", "timeout": «"30"»}}]}}]}}}}',
    f'{{"hooks": {{"PreToolUse": [{{"hooks": [{GOOD}, {{"type": "command", "command": "x", "timeout": «0»}}]}}]}}}}',
    f'{{"hooks": {{"PreToolUse": [{{"hooks": [{GOOD}, {{"type": "command", "command": «5»}}]}}]}}}}',
    f'{{"hooks": {{"PreToolUse": [{{"hooks": [{GOOD}, «{{»"type": "command"}}]}}]}}}}',
    f'{{"hooks": {{"PreToolUse": [{{"hooks": [{GOOD}, {{"type": "command", "command": "x", "async": «"yes"»}}]}}]}}}}',
    f'{{"hooks": {{"PreToolUse": [{{"hooks": [{GOOD}, {{"type": "command", "command": "x", "shell": «"zsh"»}}]}}]}}}}',
    f'{{"hooks": {{"PreToolUse": [{{"hooks": [{GOOD}, {{"type": "command", "command": "x", "onFailure": «"deny"»}}]}}]}}}}',
    f'{{"hooks": {{"PreToolUse": [{{"hooks": [{GOOD}, {{"type": "command", "command": "x", "onFailure": «3»}}]}}]}}}}',
    f'{{"hooks": {{"PreToolUse": [{{"hooks": [{GOOD}, «5»]}}]}}}}',
    f'{{"hooks": {{"PreToolUse": [{{"hooks": [{GOOD}]}}, {{"hooks": «null»}}]}}}}',
    f'{{"hooks": {{"PreToolUse": [{{"hooks": [{GOOD}]}}, «5»]}}}}',
    f'{{"hooks": {{"PreToolUse": [{{"hooks": [{GOOD}, {{"type": "http", "url": «"nope"»}}]}}]}}}}',
    f'{{"hooks": {{"PreToolUse": [{{"hooks": [{GOOD}, «{{»"type": "prompt"}}]}}]}}}}',
    f'{{"disableAllHooks": «"yes"», "hooks": {{"PreToolUse": [{{"hooks": [{GOOD}]}}]}}}}',
    f'{{«"_parked"»: {{"PreToolUse": [{{"hooks": [{GOOD}]}}]}}, "hooks": {{"Stop": [{{"hooks": [{GOOD}]}}]}}}}',
    f'{{«"old"»: {{"hooks": [{GOOD}]}}, "hooks": {{"Stop": [{{"hooks": [{GOOD}]}}]}}}}',
    f'{{«"PermissionRequest"»: [5], "hooks": {{"Stop": [{{"hooks": [{GOOD}]}}]}}}}',
    f'{{"hooks": {{"Stop": [{{"hooks": [{GOOD}]}}], «"_off"»: {{"PreToolUse": [{{"hooks": [{GOOD}]}}]}}}}}}',
    f'«// a comment»\n{{"hooks": {{"PreToolUse": [{{"hooks": [{GOOD}]}}]}}}}',
    f'{{"hooks": {{"PreToolUse": [{{"hooks": [{GOOD}«,»]}}]}}}}',
]


@pytest.mark.parametrize("marked", CULPRITS)
def test_claude_skips_the_file_and_the_cause_is_named(marked: str) -> None:
    found = blamed(claude, marked, "host-skips-file", CLAUDE)
    assert (found.severity, found.hosts) == ("error", ("claude",))
    hooks = read(claude, marked.replace("«", "").replace("»", ""), CLAUDE).hooks
    assert "true" in {hook.command for hook in hooks}
    for hook in hooks:
        assert (skip_of(hook), "host-skips-file" in hook.problems) == ("host-skips-file", True)


@pytest.mark.parametrize(
    "text",
    [
        f'{{"hooks": {{"pretooluse": [{{"type": "flat"}}, 5], "Stop": [{{"hooks": [{GOOD}]}}]}}}}',
        f'{{"hooks": {{"PreToolUse": {{}}, "Stop": [{{"hooks": [{GOOD}]}}]}}}}',
        f'{{"hooks": {{"Stop": [{{"foo": 1, "hooks": [{GOOD[:-1]}, "foo": 1, "env": 5, "cwd": 5}}]}}]}}}}',
        f'{{"_parked": {{"Stop": [{{"hooks": [{GOOD}]}}]}}, "hooks": {{"Stop": [{{"hooks": [{GOOD}]}}]}}}}',
        f'{{"env": {{"PreToolUse": "1"}}, "hooks": {{"Stop": [{{"hooks": [{GOOD}]}}]}}}}',
        f'\ufeff{{"hooks": {{"Stop": [{{"hooks": [{GOOD}]}}]}}}}',
        f'{{"hooks": {{"Stop": [{{"matcher": "[", "hooks": [{GOOD}]}}, {{"hooks": []}}]}}}}',
    ],
)
def test_claude_skips_only_the_invalid_entry(text: str) -> None:
    parsed = read(claude, text, CLAUDE)
    assert "host-skips-file" not in codes(parsed)
    assert [hook.obstacle for hook in parsed.hooks if hook.event == "pre-agent-turn-stop"] == [None]


def test_an_empty_command_is_no_command_but_no_reason_to_skip() -> None:
    parsed = read(claude, grouped(command=""), CLAUDE)
    assert codes(parsed) == ["bad-command"]


@pytest.mark.parametrize("matcher", ["[", "(", "Bash("])
def test_a_matcher_that_is_no_regex_never_matches(matcher: str) -> None:
    parsed = read(claude, grouped("PreToolUse", {"matcher": matcher}), CLAUDE)
    assert (skip_of(only(parsed)), codes(parsed), only(parsed).problems) == ("bad-matcher", ["bad-regex"], ("bad-regex",))


@pytest.mark.parametrize("matcher", ["Bash", "Edit|Write", "Edit, Write", "", "*", "mcp__.*", "^(?!Edit).*$", "Notebook.*"])
def test_other_matchers_are_fine(matcher: str) -> None:
    parsed = read(claude, grouped("PreToolUse", {"matcher": matcher}), CLAUDE)
    assert (only(parsed).tool, parsed.diagnostics) == (matcher, ())


def test_a_matcher_on_stop_is_ignored() -> None:
    marked = f'{{"hooks": {{"Stop": [{{"matcher": «"Bash"», "hooks": [{GOOD}]}}]}}}}'
    assert blamed(claude, marked, "matcher-ignored", CLAUDE).hosts == ("claude",)


def test_if_fires_only_on_tool_events() -> None:
    marked = f'{{"hooks": {{"Stop": [{{"hooks": [{GOOD[:-1]}, «"if"»: "Bash(ls)"}}]}}]}}}}'
    assert blamed(claude, marked, "never-fires", CLAUDE).severity == "warning"
    assert not read(claude, grouped("PostToolUse", **{"if": "Bash(ls)"}), CLAUDE).diagnostics


def test_once_is_ignored_outside_of_a_skill() -> None:
    marked = f'{{"hooks": {{"Stop": [{{"hooks": [{GOOD[:-1]}, «"once"»: true}}]}}]}}}}'
    assert blamed(claude, marked, "ignored-key", CLAUDE).hosts == ("claude",)


@pytest.mark.parametrize("key", ["cwd", "env", "linux", "matcher", "timeoutSec"])
def test_keys_of_other_hosts_are_ignored(key: str) -> None:
    assert codes(read(claude, grouped(**{key: "x"}), CLAUDE)) == ["ignored-key"]


def test_an_entrys_key_next_to_hooks_is_ignored() -> None:
    marked = f'{{"hooks": {{"Stop": [{{«"timeout"»: 5, "hooks": [{GOOD}]}}]}}}}'
    blamed(claude, marked, "ignored-key", CLAUDE)


# Discovery -------------------------------------------------------------------------------------------------------------------


def settings(world: World, **texts: str | None) -> None:
    places = {
        "user": world.home / ".claude/settings.json",
        "project": world.project / ".claude/settings.json",
        "local": world.project / ".claude/settings.local.json",
    }
    for scope, text in texts.items():
        if text is not None:
            write(places[scope], text)


def with_switch(off: bool | None) -> str:
    switch = {} if off is None else {"disableAllHooks": off}
    return json.dumps({**switch, "hooks": {"Stop": [{"hooks": [json.loads(GOOD)]}]}})


def test_settings_that_do_not_exist_yet_are_watched(world: World) -> None:
    found = claude.discover(str(world.project))
    assert found.files == ()
    assert {str(world.project / ".claude/settings.local.json"), str(world.home / ".claude/settings.json")} <= set(found.watched)


def test_settings_without_hooks_are_not_reported(world: World) -> None:
    settings(world, project='{"permissions": {"allow": []}, "permissions": {}}')
    assert claude.discover(str(world.project)).diagnostics == ()


@pytest.mark.parametrize(
    ("user", "project", "local", "enabled"),
    [
        (None, None, None, True),
        (True, None, None, False),
        (True, False, None, True),
        (False, True, None, False),
        (True, True, False, True),
        (None, None, True, False),
    ],
)
def test_the_most_specific_disable_all_hooks_decides_for_all(
    world: World, user: bool | None, project: bool | None, local: bool | None, enabled: bool
) -> None:
    settings(world, user=with_switch(user), project=with_switch(project), local=with_switch(local))
    assert {hook.enabled for hook in claude.discover(str(world.project)).hooks} == {enabled}


def test_the_home_as_a_project_has_its_settings_once(world: World) -> None:
    settings(world, user=grouped())
    assert [hook.scope for hook in claude.discover(str(world.home)).hooks] == ["user"]


@pytest.mark.parametrize(
    "entry",
    [
        {"command": '"$CLAUDE_PROJECT_DIR"/.claude/hooks/a.sh'},
        {"command": "${CLAUDE_PROJECT_DIR}/.claude/hooks/a.sh", "args": []},
        {"command": "sh", "args": ["${CLAUDE_PROJECT_DIR}/.claude/hooks/a.sh"]},
    ],
)
def test_scripts_below_claude_project_dir_are_covered(world: World, entry: dict[str, Any]) -> None:
    write(world.project / ".claude/hooks/a.sh", "#!/bin/sh\n")
    settings(world, project=grouped(**entry))
    assert only(claude.discover(str(world.project))).covers == (".claude/hooks/a.sh",)


def test_trust_covers_the_files_that_a_script_loads_from_its_directory(world: World) -> None:
    loads = 'exec "$(dirname "$0")"/lib/deny.sh\n# . "$(dirname "$0")/absent.sh"\n. "$(dirname "$0")/gone.sh"\n'
    write(world.project / ".claude/hooks/a.sh", f"#!/bin/sh\n{loads}")
    write(world.project / ".claude/hooks/lib/deny.sh", "")
    write(world.project / ".claude/hooks/absent.sh", "")
    settings(world, project=grouped(command='"$CLAUDE_PROJECT_DIR"/.claude/hooks/a.sh'))
    assert only(claude.discover(str(world.project))).covers == tuple(
        f".claude/hooks/{name}" for name in ("a.sh", "lib/deny.sh", "gone.sh")
    ), "that a file is not there is approved as well"


@pytest.mark.parametrize("key", ["_comment", "//", "$schema", "_PreToolUse"])
@pytest.mark.parametrize("value", [["a", "b"], [{"matcher": 5, "hooks": [{"type": "command"}]}], {"a": 1}, "a"])
def test_comment_among_the_events_is_neither_checked_nor_counted(key: str, value: Any) -> None:
    parsed = read(claude, json.dumps({"hooks": {key: value, "Stop": [{"hooks": [json.loads(GOOD)]}]}}), CLAUDE)
    assert [hook.event_as_written for hook in parsed.hooks] == ["Stop"]
    assert parsed.diagnostics == ()


def test_texts_under_an_unknown_event_are_one_problem() -> None:
    assert codes(read(claude, json.dumps({"hooks": {"description": ["a", "b"]}}), CLAUDE)) == ["unknown-event"]


def test_hooks_inside_hooks_are_a_warning() -> None:
    parsed = read(claude, json.dumps({"hooks": {"hooks": {"Stop": [{"hooks": [json.loads(GOOD)]}]}}}), CLAUDE)
    assert [(found.severity, found.code) for found in parsed.diagnostics] == [("warning", "unknown-key")]
    assert parsed.hooks == ()
