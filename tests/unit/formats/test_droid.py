"""Factory droid's hook files (seen in 0.215)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from hooktui import formats, hosts
from hooktui.core.model import Dispatch, Event, Hook
from hooktui.edit.document import Document
from hooktui.runner import matching
from hooktui.runner.process import Ended
from tests.unit.formats.agenthooks_world import World
from tests.unit.formats.json_world import blamed, codes, only, problem, read, write

droid = formats.load("droid")
FILE = "/p/.factory/hooks.json"
SETTINGS = "/p/.factory/settings.json"
HANDLER = '{"type": "command", "command": "true"}'
GROUP = f'{{"hooks": [{HANDLER}]}}'


def bare(event: str = "PreToolUse", group: dict[str, Any] | None = None, /, **entry: Any) -> str:
    """A file with one entry in a group, valid by default."""
    return json.dumps({event: [{**(group or {}), "hooks": [{"type": "command", "command": "true", **entry}]}]})


def wrapped(text: str) -> str:
    return f'{{"hooks": {text}}}'


def call(event: str = "PreToolUse", **tool_input: Any) -> Event:
    """A call of the shell."""
    values = {"tool_name": "Execute", "tool_input": tool_input or {"command": "ls", "riskLevel": "low"}}
    payload = {"hook_event_name": event, "session_id": "s", "cwd": "/", "permission_mode": "auto-high", **values}
    return hosts.read("droid", payload, None, "now")


def states(world: World) -> list[tuple[str, str, bool]]:
    """File, event and whether it is enabled, of each hook."""
    hooks = droid.discover(str(world.project)).hooks
    return [(Path(hook.file).name, hook.event_as_written, hook.enabled) for hook in hooks]


def test_events_are_the_keys_of_the_file() -> None:
    hook = only(read(droid, bare("PreToolUse", {"matcher": "Execute"}, command="./guard", timeout=5), FILE))
    assert (hook.name, hook.event, hook.tool) == ("hooks.json:PreToolUse:1", "pre-tool-call", "Execute")
    assert (hook.argv, hook.timeout_ms) == (("sh", "-c", "./guard"), 5_000)
    assert hook.entry_path == ("PreToolUse", 0, "hooks", 0)


def test_events_in_settings_are_below_hooks() -> None:
    hook = only(read(droid, wrapped(bare()), SETTINGS))
    assert hook.entry_path == ("hooks", "PreToolUse", 0, "hooks", 0)


def test_events_inside_hooks_are_lost_and_a_fix_takes_them_out() -> None:
    text = wrapped(bare())
    parsed = read(droid, text, FILE)
    found = problem(parsed, "host-skips-file")
    assert found.message == (
        "Factory droid ignores this file: its events must not be inside hooks. Its hook true does not run."
    )
    assert only(parsed).obstacle is not None
    assert found.fix is not None
    fixed = text[: found.fix.start] + found.fix.text + text[found.fix.end :]
    assert codes(read(droid, fixed, FILE)) == []


@pytest.mark.parametrize(
    "marked",
    [
        f'{{"Stop": [{GROUP}«,»]}}',
        f'{{"Stop": [«{{»"type": "command", "command": "true"}}, {GROUP}]}}',
        '{"Stop": [{"hooks": [«{»"command": "true"}]}]}',
        '{"Stop": [{"hooks": [{"type": «"prompt"», "prompt": "x"}]}]}',
        '{"Stop": [{"hooks": [{"type": "command", "command": "true", "timeout": «"30"»}]}]}',
        f'{{"PreToolUse": [{{"matcher": «null», "hooks": [{HANDLER}]}}]}}',
        f'{{"Stop": «{{}}», "PreToolUse": [{GROUP}]}}',
    ],
)
def test_droid_skips_the_file(marked: str) -> None:
    found = blamed(droid, marked, "host-skips-file", FILE)
    assert (found.severity, found.hosts) == ("error", ("droid",))


def test_a_byte_order_mark_loses_the_file() -> None:
    assert "host-skips-file" in codes(read(droid, "\ufeff" + bare(), FILE))


@pytest.mark.parametrize(
    "text",
    ["// c\n" + bare(), f'{{"$schema": "x", "showHookOutput": false, "Stop": [{GROUP}]}}', bare(timeout=1.5)],
)
def test_what_droid_reads_is_no_problem(text: str) -> None:
    parsed = read(droid, text, FILE)
    assert (codes(parsed), only(parsed).obstacle) == ([], None)


def test_a_timeout_of_0_is_the_default() -> None:
    parsed = read(droid, bare(timeout=0), FILE)
    assert (codes(parsed), only(parsed).obstacle, only(parsed).timeout_ms) == (["out-of-range"], None, 60_000)


@pytest.mark.parametrize(
    ("matcher", "matches"),
    [
        *[(matcher, True) for matcher in ("Execute", "Exec", "Edit|Execute", "^(?!Edit)", "*", "")],
        *[(matcher, False) for matcher in ("Bash", "execute", "Edit, Execute", "(?i)execute", "[")],
    ],
)
def test_what_a_matcher_matches(matcher: str, matches: bool) -> None:
    hook = only(read(droid, bare("PreToolUse", {"matcher": matcher}), FILE))
    assert (matching.match(hook, call()).skip is None) == matches


@pytest.mark.parametrize(
    ("regex", "tool", "skip"),
    [("^git", "Execute", None), ("push$", "Execute", "pattern-mismatch"), ("[", "Execute", "bad-matcher"),
     (".", "Read", "pattern-mismatch")],
)  # fmt: skip
def test_a_regex_for_the_command_excludes_other_tools(regex: str, tool: str, skip: str | None) -> None:
    hook = only(read(droid, bare("PreToolUse", {"commandRegex": regex}), FILE))
    assert matching.match(hook, call(command="git status").replace(tool_name=tool)).skip == skip


def test_a_rewrite_is_merged_into_the_input() -> None:
    printed = b'{"hookSpecificOutput": {"updatedInput": {"command": "pwd"}}}'
    outcome = hosts.judge("droid", only(read(droid, bare(), FILE)), call(), Ended(exit_code=0, stdout=printed)).outcome
    assert outcome.modified_input == {"command": "pwd", "riskLevel": "low"}


def test_exit_3_ends_the_run() -> None:
    hook = only(read(droid, bare(), FILE))
    outcome = hosts.judge("droid", hook, call(), Ended(exit_code=3, stderr=b"enough")).outcome
    assert (outcome.decision, outcome.reason) == ("stop", "enough")


def test_files_are_read_from_the_repositorys_root_down(world: World) -> None:
    (world.project / ".git").mkdir()
    below = world.project / "a/b"
    below.mkdir(parents=True)
    for directory in (Path(world.home), world.project, below):
        write(directory / ".factory/hooks.json", bare())
    assert [hook.file for hook in droid.discover(str(below)).hooks] == [
        f"{directory}/.factory/hooks.json" for directory in (world.home, world.project, below)
    ]


def test_for_each_event_the_hook_file_comes_before_the_settings(world: World) -> None:
    write(world.project / ".factory/hooks.json", bare("PreToolUse"))
    write(
        world.project / ".factory/settings.json", wrapped(json.dumps(json.loads(bare("PreToolUse")) | json.loads(bare("Stop"))))
    )
    assert states(world) == [
        ("hooks.json", "PreToolUse", True),
        ("settings.json", "PreToolUse", False),
        ("settings.json", "Stop", True),
    ]
    why = [hook.why_disabled for hook in droid.discover(str(world.project)).hooks]
    assert why[1].startswith("Factory droid reads PreToolUse hooks in ")


def test_a_file_that_droid_skips_replaces_nothing(world: World) -> None:
    write(world.project / ".factory/hooks.json", '{"PreToolUse": [{"hooks": [{}]}]}')
    write(world.project / ".factory/settings.json", wrapped(bare("PreToolUse")))
    assert ("settings.json", "PreToolUse", True) in states(world)


def test_the_older_file_counts_only_without_the_usual_one(world: World) -> None:
    write(world.project / ".factory/hooks/hooks.json", bare("Stop"))
    assert states(world) == [("hooks.json", "Stop", True)]
    write(world.project / ".factory/hooks.json", bare("PreToolUse"))
    assert sorted(states(world)) == [("hooks.json", "PreToolUse", True), ("hooks.json", "Stop", False)]


def test_the_most_specific_switch_decides(world: World) -> None:
    write(Path(world.home) / ".factory/hooks.json", '{"hooksDisabled": true}')
    write(world.project / ".factory/hooks.json", bare())
    assert states(world) == [("hooks.json", "PreToolUse", False)]
    write(world.project / ".factory/hooks.json", '{"hooksDisabled": false, ' + bare()[1:])
    assert states(world) == [("hooks.json", "PreToolUse", True)]


@pytest.mark.parametrize(
    ("event", "effect", "exit_code", "stdout"),
    [
        ("PreToolUse", {"decision": "deny", "reason": "no"}, 2, {}),
        ("PreToolUse", {"decision": "ask", "reason": "sure?"}, 2, {}),
        ("PreToolUse", {"decision": "allow"}, 0, {}),
        ("PreToolUse", {"decision": "stop", "reason": "enough"}, 0, {"continue": False, "stopReason": "enough"}),
        ("PreToolUse", {"modified_input": {"riskLevel": "low"}}, 2, {}),
        (
            "PreToolUse",
            {"modified_input": {"command": "pwd"}},
            0,
            {"hookSpecificOutput": {"hookEventName": "PreToolUse", "updatedInput": {"command": "pwd"}}},
        ),
        ("PreToolUse", {"additional_context": ("x",)}, 0, {}),
        (
            "PostToolUse",
            {"additional_context": ("x",)},
            0,
            {"hookSpecificOutput": {"hookEventName": "PostToolUse", "additionalContext": "x"}},
        ),
        ("Stop", {"decision": "deny", "reason": "more"}, 2, {}),
        ("Stop", {"decision": "stop", "reason": "enough"}, 0, {"continue": False, "stopReason": "enough"}),
        ("SubagentStop", {"decision": "deny", "reason": "more"}, 0, {}),
        ("PreToolUse", {"system_messages": ("x",)}, 0, {}),
    ],
)
def test_droid_gets_only_answers_that_it_obeys(
    event: str, effect: dict[str, Any], exit_code: int, stdout: dict[str, Any]
) -> None:
    answer = hosts.answer("droid", Dispatch(id=1, event=call(event), project="/", runs=(), **effect))
    assert (answer.exit_code, json.loads(answer.stdout or "{}")) == (exit_code, stdout)
    assert bool(answer.stderr) == (exit_code == 2)


def entry(hook: Hook, text: str) -> Any:
    """The entry at a hook's path."""
    value = json.loads(text)
    for step in hook.entry_path:
        value = value[step]
    return value


def test_an_edit_of_a_bare_file_stays_at_its_path() -> None:
    text = bare(command="a")
    hook = only(read(droid, text, FILE))
    changed = Document.of(hook, text).set(("PreToolUse", 0, "hooks", 0, "command"), "b").text
    assert entry(hook, changed)["command"] == "b"
    assert [field.path for field in droid.fields(text, hook)][:2] == [(), ("PreToolUse", 0, "matcher")]
