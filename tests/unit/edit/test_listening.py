"""Moving an entry of a JSON or YAML file to another event."""

from __future__ import annotations

import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hooktui.core.model import Hook
from hooktui.edit.document import Document
from hooktui.edit.file_steps import ChangeRefusedError
from hooktui.edit.switch import change_event, moved, switch
from tests.unit.edit.world import SPELLINGS, TEXTS, World


def called(hooks: list[Hook], command: str) -> Hook:
    return next(hook for hook in hooks if command in (hook.command or ""))


@pytest.mark.parametrize("spelling", SPELLINGS)
@pytest.mark.parametrize(
    ("format_name", "command", "event"),
    [
        ("claude", "first.sh", "PostToolUse"),
        ("claude", "third.sh", "Stop"),
        ("claude", "stop.sh", "SessionStart"),
        ("vscode", "two.sh", "PostToolUse"),
        ("copilot", "guard.sh", "postToolUse"),
        ("copilot", "done.sh", "preToolUse"),
        ("azure", "end.sh", "PostToolUse"),
        ("azure", "after.sh", "PreToolUse"),
    ],
)
def test_an_entry_goes_to_the_other_list_and_back_with_its_own_bytes(
    world: World, format_name: str, command: str, event: str, spelling: str
) -> None:
    path = world.add(format_name, spelling)
    before, hooks = world.read(path), world.hooks(format_name)
    hook = called(hooks, command)
    change = world.do(change_event(hook, event))
    moved = world.hooks(format_name)
    assert called(moved, command).event_as_written == event
    others = [(one.event_as_written, one.tool, one.text) for one in hooks if one.id != hook.id]
    assert [(one.event_as_written, one.tool, one.text) for one in moved if command not in (one.command or "")] == others
    assert alike(change.plan.result) == alike(called(moved, command))
    world.undo(change)
    assert world.read(path) == before


def alike(hook: Hook | None) -> Hook | None:
    """A hook without the consequences of a byte order mark for its host."""
    return hook and hook.replace(obstacle=None, problems=())


def test_a_hook_of_an_agent_takes_its_comments_along_and_leaves_every_other_line_alone(world: World) -> None:
    path = world.add("azure")
    asks = next(hook for hook in world.hooks("azure") if hook.type == "prompt")
    lines = TEXTS["azure"].splitlines()
    world.do(change_event(asks, "PreToolUse"))
    own = ["      # asks", "      - type: prompt", "        prompt: Is it done? $ARGUMENTS"]
    after = "      - {type: command, command: ./after.sh, matcher: Bash}"
    rest = [line for line in lines if line not in own]
    at = rest.index(after) + 1
    assert world.read(path).decode().splitlines() == [*rest[:at], "    PreToolUse:", *own, *rest[at:]]


def test_a_hook_of_an_agent_comes_into_the_column_of_its_new_list(world: World) -> None:
    text = "kind: ExtendedAgent\nspec:\n  hooks:\n{stop}    PostToolUse:\n        - command: a\n{there}"
    before = text.format(stop="    Stop:\n    - command: |\n        one\n          two\n", there="")
    world.write(path := world.path("agents/a.yaml"), before.encode())
    [stop] = [hook for hook in world.hooks("azure") if hook.event_as_written == "Stop"]
    world.do(change_event(stop, "PostToolUse"))
    there = "        - command: |\n            one\n              two\n"
    assert world.read(path).decode() == text.format(stop="", there=there)


@pytest.mark.parametrize(
    "lists",
    [
        "{Stop: [{command: a}], PostToolUse: [{command: b}]}",
        "\n    Stop: # why\n      - command: a\n    PostToolUse:\n      - command: b",
        "\n    Stop:\n      - command: a\n    PostToolUse: [{command: b}]",
    ],
)
def test_a_hook_that_cannot_be_moved_alone_stays_where_it_is(world: World, lists: str) -> None:
    text = f"kind: ExtendedAgent\nspec:\n  hooks: {lists}\n"
    world.write(path := world.path("agents/a.yaml"), text.encode())
    [stop] = [hook for hook in world.hooks("azure") if hook.event_as_written == "Stop"]
    with pytest.raises(ChangeRefusedError, match="edit the source"):
        change_event(stop, "PostToolUse")
    assert world.read(path).decode() == text


def test_a_matcher_goes_along_to_tools_and_nowhere_else(world: World) -> None:
    world.add("claude")
    alone = change_event(world.called("claude", "first.sh"), "PostToolUse")
    world.do(alone)
    assert world.called("claude", "first.sh").tool == "Bash|Edit"
    assert world.called("claude", "second.sh").tool == "Bash|Edit"
    plan = change_event(world.called("claude", "first.sh"), "SessionStart")
    assert plan.title == "Move first.sh to SessionStart, without its matcher"
    world.do(plan)
    assert world.called("claude", "first.sh").tool is None


def test_approved_hooks_stay_approved_when_one_changes_its_event(world: World) -> None:
    world.add("claude")
    world.approve_all()
    world.do(change_event(world.called("claude", "first.sh"), "PostToolUse"))
    assert set(world.trusted().values()) == {"trusted"}


def test_a_hook_that_is_off_stays_off(world: World) -> None:
    world.add("claude")
    world.do(switch(world.called("claude", "second.sh"), on=False))
    world.do(change_event(world.called("claude", "second.sh"), "PostToolUse"))
    hook = world.called("claude", "second.sh")
    assert (hook.event_as_written, hook.enabled) == ("PostToolUse", False)


def test_an_event_that_the_host_does_not_have_is_refused(world: World) -> None:
    path = world.add("vscode")
    before = world.read(path)
    with pytest.raises(ChangeRefusedError, match="VS Code has no PostCompact"):
        change_event(world.hook("vscode"), "PostCompact")
    assert world.read(path) == before


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    groups=st.lists(st.lists(st.integers(0, 9), min_size=1, max_size=3), min_size=1, max_size=3),
    others=st.lists(st.integers(0, 9), max_size=2),
    indent=st.sampled_from([None, 1, 2, "\t"]),
    data=st.data(),
)
def test_however_a_file_is_written_only_the_entry_has_another_place(
    groups: list[list[int]], others: list[int], indent: int | str | None, data: st.DataObject
) -> None:
    entries = [[{"type": "command", "command": f"run {number}"} for number in group] for group in groups]
    lists = {"PreToolUse": [{"matcher": "Bash", "hooks": group} for group in entries]}
    stop = {"Stop": [{"hooks": [{"type": "command", "command": f"stop {number}"}]} for number in others]} if others else {}
    text = json.dumps({"model": "x", "hooks": {**lists, **stop}}, indent=indent)
    at = data.draw(st.integers(0, len(groups) - 1))
    inside = data.draw(st.integers(0, len(groups[at]) - 1))
    place = ("hooks", "PreToolUse", at, "hooks", inside)
    read = json.loads(moved(Document(text, "claude", "settings.json"), place, "Stop", keep_matcher=True).text)
    taken = entries[at].pop(inside)
    left = [{"matcher": "Bash", "hooks": group} for group in entries if group]
    assert read["hooks"].get("PreToolUse", []) == left
    assert read["hooks"]["Stop"] == [*stop.get("Stop", []), {"matcher": "Bash", "hooks": [taken]}]
    assert read["model"] == "x"
