"""A new hook of every format: where it is written, and what stays unchanged."""

from __future__ import annotations

import json
import os
import re
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hooktui.catalog import catalog
from hooktui.edit import create_hook, new_hook_places
from hooktui.edit.change_plan import carry_out, undone
from hooktui.edit.drafts import HookDraft
from hooktui.edit.file_steps import ChangeRefusedError, Write
from hooktui.edit.new_hook_places import NewHookPlace
from hooktui.runner import trust
from tests.new_hooks import draft, make
from tests.unit.edit.world import SPELLINGS, World

FORMATS = ("agenthooks", "claude", "vscode", "copilot", "azure")
OWN_FILES = ("claude", "vscode", "copilot", "azure")  # with a person's entries in them


def place_of(world: World, format_name: str, path: str, agent: str = "") -> NewHookPlace:
    """The place with this file."""
    found = new_hook_places.places(world.project)
    return next(one for one in found if (one.format, one.path, one.agent) == (format_name, path, agent))


def is_within(part: str, whole: str) -> bool:
    """Whether insertions alone turn one text into the other."""
    letters = iter(whole)
    return all(letter in letters for letter in part)


@pytest.mark.parametrize("format_name", FORMATS)
def test_a_new_hook_is_approved_when_its_person_asked_for_it_and_else_not(world: World, format_name: str) -> None:
    make(world.project, "mine", "pre-tool-call", format_name, own=True)
    make(world.project, "somebodys", "pre-tool-call", format_name)
    found = catalog.load(world.project)
    assert sorted(found.trust[hook.id] for hook in found.hooks) == ["trusted", "untrusted"]


@pytest.mark.parametrize("format_name", FORMATS)
def test_undoing_a_new_hook_removes_its_files_and_directories(world: World, format_name: str) -> None:
    before = world.tree()
    change = carry_out(create_hook.plan(draft(world.project, "guard", "pre-tool-call", format_name), own=True), world.project)
    assert [hook.id for hook in catalog.load(world.project).hooks] == [change.plan.hook.id]
    world.undo(change)
    assert world.tree() == before
    assert os.listdir(world.project) == []


@pytest.mark.parametrize("format_name", OWN_FILES)
@pytest.mark.parametrize("spelling", SPELLINGS)
def test_an_entry_is_put_into_a_file_whose_other_bytes_stay(world: World, format_name: str, spelling: str) -> None:
    path = world.add(format_name, spelling)
    before = world.read(path)
    plan = create_hook.plan(HookDraft(place_of(world, format_name, path), "guard", "PostToolUse", tool="Bash"), own=True)
    change = carry_out(plan, world.project)
    after = world.read(path)
    assert is_within(before.decode(), after.decode())
    assert (b"\r\n" in after) == (b"\r\n" in before)
    assert b"\r\n" not in before or after.count(b"\n") == after.count(b"\r\n")
    assert plan.hook.id in {hook.id for hook in catalog.load(world.project).hooks}
    world.undo(change)
    assert world.read(path) == before


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(
    others=st.dictionaries(st.sampled_from(["model", "env", "Stop"]), st.text(max_size=5)),
    events=st.dictionaries(st.sampled_from(["PreToolUse", "Stop", "SessionStart"]), st.integers(0, 3)),
    indent=st.sampled_from([None, 1, 2, 4, "\t"]),
)
def test_whatever_a_file_holds_its_own_bytes_stay_and_the_hook_comes_last(
    world: World, others: dict[str, str], events: dict[str, int], indent: int | str | None
) -> None:
    path = world.path(".claude/settings.json")
    entry = {"hooks": [{"type": "command", "command": "true"}]}
    hooks = {event: [entry] * number for event, number in events.items()}
    before = json.dumps({**others, **({"hooks": hooks} if hooks else {})}, indent=indent)
    world.write(path, before.encode())
    plan = create_hook.plan(draft(world.project, "guard", "PreToolUse", "claude"), own=False)
    step = plan.steps[-1]
    assert isinstance(step, Write)
    after = (step.after or b"").decode()
    assert is_within(before, after)
    read = json.loads(after)
    [group] = read["hooks"]["PreToolUse"][events.get("PreToolUse", 0) :]
    assert group["hooks"][0]["command"] == '"$CLAUDE_PROJECT_DIR"/.claude/hooks/guard.sh'
    assert {key: read[key] for key in others} == others
    assert {key: len(found) for key, found in read["hooks"].items() if key != "PreToolUse"} == {
        key: number for key, number in events.items() if key != "PreToolUse"
    }


def test_a_copilot_file_keeps_its_own_spelling_of_events_commands_and_timeouts(world: World) -> None:
    path = world.path(".github/hooks/mine.json")
    entry = {"type": "command", "command": "true", "timeout": 5}
    world.write(path, json.dumps({"version": 1, "hooks": {"PostToolUse": [entry]}}).encode())
    plan = create_hook.plan(HookDraft(place_of(world, "copilot", path), "guard", "preToolUse"), own=False)
    assert (plan.hook.event_as_written, '"command": ".github' in plan.hook.text) == ("PreToolUse", True)
    assert '"timeout": 30' in plan.hook.text
    new = create_hook.plan(draft(world.project, "other", "pre-tool-call", "copilot", "user"), own=False)
    assert (new.hook.event_as_written, '"bash": "\\"$HOME\\"/.copilot' in new.hook.text) == ("preToolUse", True)


@pytest.mark.parametrize("nothing", [b"", b" \n\t"])
def test_an_empty_file_counts_as_missing(world: World, nothing: bytes) -> None:
    path = world.path(".claude/settings.json")
    world.write(path, nothing)
    carry_out(create_hook.plan(draft(world.project, "guard", "PreToolUse", "claude"), own=True), world.project)
    assert list(json.loads(world.read(path))["hooks"]) == ["PreToolUse"]


def test_hook_of_an_azure_agent_is_added_to_its_document(world: World) -> None:
    path = world.add("azure")
    place = place_of(world, "azure", path, "keeper")
    plan = create_hook.plan(HookDraft(place, "guard", "PreToolUse", pattern="rm"), own=False)
    world.do(plan)
    [made] = [hook for hook in world.hooks("azure") if hook.event_as_written == "PreToolUse"]
    assert (made.name, made.scope, made.tool, made.problems) == ("keeper:PreToolUse:1", "agent", "*", ())
    opening = create_hook.edit_position(plan)
    assert opening.file == path
    assert 'reason="Blocked this' in world.read(path).decode().split("\n")[opening.line - 1]


@pytest.mark.parametrize(
    ("format_name", "part"), [("agenthooks", """echo '{"log": "ran without a decision"}'"""), ("azure", "exit 0")]
)
def test_a_new_hook_that_decides_nothing_yet_opens_on_its_last_command(world: World, format_name: str, part: str) -> None:
    plan = create_hook.plan(draft(world.project, "guard", "post-tool-call", format_name), own=False)
    world.do(plan)
    opening = create_hook.edit_position(plan)
    line = world.read(opening.file).decode().split("\n")[opening.line - 1]
    assert line[opening.column - 1 : opening.end_column - 1] == part


@pytest.mark.parametrize("format_name", FORMATS)
@pytest.mark.parametrize("language", ["sh", "py"])
def test_a_new_guard_opens_on_the_words_of_its_reason(world: World, format_name: str, language: str) -> None:
    wanted: dict[str, Any] = {"pattern": "rm -rf", "language": language}
    plan = create_hook.plan(draft(world.project, "guard", "pre-tool-call", format_name, **wanted), own=False)
    world.do(plan)
    opening = create_hook.edit_position(plan)
    line = world.read(opening.file).decode().split("\n")[opening.line - 1]
    tool = "{tool}" if language == "py" else "$tool"
    assert line[opening.column - 1 : opening.end_column - 1] == f"Blocked this {tool} call"
    assert format_name == "azure" or os.access(opening.file, os.X_OK)


@pytest.mark.parametrize("format_name", FORMATS)
def test_new_hook_never_overwrites_a_file_of_the_same_name(world: World, format_name: str) -> None:
    make(world.project, "guard", "pre-tool-call", format_name)
    before = world.tree()
    with pytest.raises(ChangeRefusedError, match="already exists: choose another name"):
        create_hook.plan(HookDraft(_new(world, format_name), "guard", "pre-tool-call"), own=False)
    assert world.tree() == before


def test_undo_is_refused_for_a_new_script_that_was_edited(world: World) -> None:
    change = carry_out(create_hook.plan(draft(world.project, "guard", "Stop", "claude"), own=True), world.project)
    script = world.path(".claude/hooks/guard.sh")
    world.write(script, b"#!/bin/sh\n# mine\n")
    before = world.tree()
    with pytest.raises(ChangeRefusedError, match="has changed"):
        undone(change)
    assert world.tree() == before


def test_a_file_that_cannot_be_read_is_left_alone(world: World) -> None:
    world.write(world.path(".claude/settings.json"), b"{")
    before = world.tree()
    with pytest.raises(ChangeRefusedError, match=r"settings\.json: not valid JSON"):
        create_hook.plan(draft(world.project, "guard", "Stop", "claude"), own=False)
    assert world.tree() == before


@pytest.mark.parametrize(
    ("format_name", "event", "says"),
    [
        ("vscode", "post-session", "VS Code has no post-session."),
        ("azure", "pre-session", "Azure SRE Agent has no pre-session."),
        ("copilot", "post-context-compact", "Copilot CLI has no post-context-compact."),
        ("agenthooks", "Notification", "AgentHooks has no Notification."),
        ("claude", "pre-tool-call", ""),
    ],
)
def test_a_place_says_why_it_cannot_have_an_event(world: World, format_name: str, event: str, says: str) -> None:
    assert new_hook_places.default_place(world.project, format_name, "project").refusal(event) == says


def test_places_are_every_file_that_can_take_a_hook_and_a_new_one(world: World) -> None:
    for format_name in FORMATS:
        world.add(format_name)
    world.write(world.path(".github/hooks/hooktui.json"), b"{}")  # what `hooktui connect` writes
    shown = {(place.format, place.scope, place.shown) for place in new_hook_places.places(world.project)}
    assert {row for row in shown if row[1] in ("project", "agent") and row[0] != "agenthooks"} == {
        ("claude", "project", ".claude/settings.json"),
        ("vscode", "project", ".github/hooks/mine.json"),
        ("vscode", "project", ".github/hooks/NAME.json"),
        ("copilot", "project", ".github/hooks/copilot.json"),
        ("copilot", "project", ".github/hooks/NAME.json"),
        ("codex", "project", ".codex/hooks.json"),
        ("cursor", "project", ".cursor/hooks.json"),
        ("droid", "project", ".factory/hooks.json"),
        ("gemini", "project", ".gemini/settings.json"),
        ("qwen", "project", ".qwen/settings.json"),
        ("azure", "project", "agents/keeper.yaml"),
        ("azure", "agent", "agents/keeper.yaml"),
        ("azure", "project", "azuresre/NAME.yaml"),
    }
    assert ("claude", "local", ".claude/settings.local.json") in shown
    assert ("claude", "user", "~/.claude/settings.json") in shown


@pytest.mark.parametrize(
    ("format_name", "wanted", "says"),
    [
        ("claude", {"tool": "Bash("}, "is not a valid regex"),
        ("copilot", {"tool": "*"}, "is not a valid regex"),
        ("agenthooks", {"pattern": "["}, "is not a valid regex"),
        ("claude", {"name": "a/b"}, "is not a valid directory name"),
        ("vscode", {"event": "PreToolUze"}, "did you mean PreToolUse?"),
        ("claude", {"event": "Stop", "tool": "Bash"}, "needs a tool event"),
        ("claude", {"event": "SessionStart", "pattern": "x"}, "needs a tool event"),
    ],
)
def test_invalid_draft_is_refused_with_a_sentence(world: World, format_name: str, wanted: dict[str, str], says: str) -> None:
    wrong = draft(world.project, **{"name": "guard", "event": "pre-tool-call", "format_name": format_name, **wanted})
    with pytest.raises(ChangeRefusedError, match=re.escape(says)):
        create_hook.plan(wrong, own=False)
    assert next(iter(wrong.faults)) == list(wanted)[-1]


def test_each_fault_belongs_to_its_field(world: World) -> None:
    wrong = draft(world.project, "a/b", "pre-tool-call", tool="Sh(", pattern="rm[")
    assert {field: fault.partition(" is not a valid ")[2].partition(":")[0] for field, fault in wrong.faults.items()} == {
        "name": "directory name",
        "tool": "regex",
        "pattern": "regex",
    }


def test_a_matcher_is_read_as_its_host_does(world: World) -> None:
    assert draft(world.project, "guard", "PreToolUse", "claude", tool="*").matcher == "*"
    assert draft(world.project, "guard", "SessionStart", "claude", tool="startup").matcher == "startup"
    assert draft(world.project, "guard", "PreToolUse", "azure").matcher == "*"
    ignored = draft(world.project, "guard", "PreToolUse", "vscode", tool="Bash")
    assert (ignored.matcher, ignored.script_filter) == (None, ("Bash", None))


def test_creating_a_hook_approves_no_other_hook(world: World) -> None:
    path = world.add("claude")
    make(world.project, "guard", "PreToolUse", "claude", own=True)
    found = catalog.load(world.project)
    states = [found.trust[hook.id] for hook in found.hooks if hook.file == path]
    assert (states.count("trusted"), states.count("untrusted")) == (1, 4)
    assert set(trust.approvals(world.project)) == {hook.identity for hook in found.hooks if found.trust[hook.id] == "trusted"}


def _new(world: World, format_name: str) -> NewHookPlace:
    """The place where a new hook would have the same file or directory."""
    found = [
        place for place in new_hook_places.places(world.project) if (place.format, place.scope) == (format_name, "project")
    ]
    return next((place for place in found if place.is_named), found[0])


def test_an_event_of_several_hosts_names_each_of_them() -> None:
    meaning = "only in Claude Code, Copilot CLI, Codex CLI, Qwen Code and Kimi Code"
    assert new_hook_places.event_meanings()["PermissionRequest"] == meaning
    assert new_hook_places.event_meanings()["Setup"] == "only in Claude Code"
