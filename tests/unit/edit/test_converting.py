"""A converted hook decides as the original did, on the events of its new host, and does not need the original's files."""

from __future__ import annotations

import json
import os
from typing import Any

import pytest

from hooktui.catalog import catalog
from hooktui.edit import trash
from hooktui.edit.copy_targets import callers
from hooktui.runner import trust

from .conversions import (
    CLAUDE_ENTRIES,
    DENIES,
    FORCE,
    HOSTS,
    PLUGIN_ENTRIES,
    READ,
    READS,
    SCRIPTS,
    SHELL,
    add_entry,
    add_group,
    add_hook_md,
    assert_guards,
    converted,
    decided,
    denies,
    errors,
    landed,
    planned,
)
from .world import FILES, World

pytestmark = pytest.mark.slow  # runs the converted scripts


@pytest.mark.parametrize("host", HOSTS[1:])
@pytest.mark.parametrize("scripts", SCRIPTS.values(), ids=SCRIPTS)
def test_hook_md_guards_in_every_format_without_the_original_and_when_converted_again(
    world: World, scripts: dict[str, str], host: str
) -> None:
    """VS Code does not check matchers: there the shim does."""
    hook, before = add_hook_md(world, scripts), world.tree()
    plan = converted(world, hook, host)
    made = landed(world, plan)
    world.do(trash.delete(hook, world.project))
    assert world.hooks("agenthooks") == []
    assert_guards(world, made)
    assert errors(world, made.file) == []
    world.do(trash.restore(next(trash.contents(world.project))))
    world.do(trash.delete(made, world.project))
    assert denies(world, world.hook("agenthooks"))
    world.do(trash.restore(next(trash.contents(world.project))))
    made = landed(world, plan)
    assert denies(world, made)
    assert before.items() <= world.tree().items()
    for other in ("claude", "copilot", "azure") if host == "vscode" else ("vscode",):
        assert_guards(world, landed(world, converted(world, made, other)))


@pytest.mark.parametrize("host", [host for host in HOSTS if host != "claude"])
@pytest.mark.parametrize("entry", CLAUDE_ENTRIES.values(), ids=CLAUDE_ENTRIES)
def test_an_entry_of_claude_code_guards_in_every_format(world: World, entry: dict[str, Any], host: str) -> None:
    world.write(path := world.path("tools/guard.py"), f"#!/usr/bin/env python3\n{READS}".encode())
    os.chmod(path, 0o755)
    hook = add_group(world, {"matcher": "Bash", "hooks": [{"type": "command", "timeout": 7, **entry}]})
    assert_guards(world, hook)
    made = landed(world, converted(world, hook, host))
    assert_guards(world, made)
    assert made.timeout_ms == 7000
    assert errors(world, made.file) == []


@pytest.mark.parametrize("host", HOSTS)
@pytest.mark.parametrize("entry", PLUGIN_ENTRIES.values(), ids=PLUGIN_ENTRIES)
def test_hook_of_a_plugin_guards_in_the_project_that_holds_the_plugin(world: World, entry: dict[str, Any], host: str) -> None:
    world.write(world.path(".claude-plugin/plugin.json"), b'{"name": "history"}')
    world.write(path := world.path("tools/guard.py"), f"#!/usr/bin/env python3\n{READS}".encode())
    os.chmod(path, 0o755)
    group = {"matcher": "Bash", "hooks": [{"type": "command", "timeout": 600, **entry}]}
    world.write(world.path("hooks/hooks.json"), json.dumps({"hooks": {"PreToolUse": [group]}}).encode())
    made = landed(world, converted(world, world.hook("claude"), host, "local" if host == "claude" else "project"))
    assert_guards(world, made)
    assert made.timeout_ms == (300_000 if host == "azure" else 600_000)  # Azure allows no more
    assert errors(world, made.file) == []


OWN_PATH = {
    "the root": '#!/bin/bash\ncd "$(dirname "$0")/../../../.." || exit 1\n. tools/deny.sh\n',
    "alone": '#!/bin/sh\ncd "$(dirname "$0")/../scripts" || exit 1\n' + DENIES,
    "beside": '#!/bin/bash\n. "${BASH_SOURCE[0]%/*}/lib/deny.sh"\n',
    "above": '#!/bin/sh\nHERE=$(cd "$(dirname "$0")" && pwd)\n. "$HERE/../deny.sh"\n',
}


@pytest.mark.parametrize("host", HOSTS[1:])
@pytest.mark.parametrize("script", OWN_PATH.values(), ids=OWN_PATH)
def test_copied_script_finds_the_project_and_the_files_copied_with_it(world: World, script: str, host: str) -> None:
    world.write(world.path("tools/deny.sh"), DENIES.encode())
    beside = {} if script == OWN_PATH["alone"] else {"scripts/lib/deny.sh": DENIES, "deny.sh": DENIES}
    hook = add_hook_md(world, {"scripts/run": script, **beside})
    made = landed(world, converted(world, hook, host))
    assert callers(hook, catalog.load(world.project).hooks) == []
    world.do(trash.delete(hook, world.project))
    assert_guards(world, made)
    assert errors(world, made.file) == []


@pytest.mark.parametrize("host", ["agenthooks", "claude"])
@pytest.mark.parametrize("source", ["vscode", "azure"])
def test_command_finds_files_of_the_root_wherever_the_agent_is(world: World, source: str, host: str) -> None:
    world.write(world.path("deny.txt"), b"push.*--force\n")
    os.makedirs(below := world.path("a dir/below"))
    hook = add_entry(world, source, "grep -q -e \"$(cat deny.txt)\" && { echo 'no force' >&2; exit 2; }; exit 0")
    made = landed(world, converted(world, hook, host))
    assert decided(world, made, SHELL[host], FORCE, below) == ("deny", "no force")
    assert decided(world, made, SHELL[host], {"command": "ls"}, below)[0] == "none"


def test_approval_covers_the_script_behind_a_guard(world: World) -> None:
    scripts = {"scripts/run": "#!/usr/bin/perl\nexit 2;\n"}
    made = landed(world, converted(world, add_hook_md(world, scripts), "claude"))
    assert "guard.sh" in (made.command or "")
    world.approve_all()
    world.write(world.path(".claude/hooks/guard/scripts/run"), b"#!/usr/bin/perl\nexit 0;\n")
    (hook,) = world.hooks("claude")
    assert trust.state(hook, trust.approvals(world.project)) == "changed"


@pytest.mark.parametrize("host", [host for host in HOSTS if host != "copilot"])
def test_directory_and_environment_hold_in_every_format(world: World, host: str) -> None:
    command = '[[ $LEVEL == "a b" && ${PWD##*/} == tools ]] && cat >/dev/null && echo "no force" >&2 && exit 2'
    keys = {"matcher": "bash", "env": {"LEVEL": "a b"}, "cwd": "tools", "powershell": "x.ps1"}
    entry = {"type": "command", "bash": command, **keys}
    os.makedirs(world.path("tools"))
    world.write(world.path(FILES["copilot"]), json.dumps({"version": 1, "hooks": {"PreToolUse": [entry]}}).encode())
    assert decided(world, world.hook("copilot"), "bash", FORCE) == ("deny", "no force")
    plan = converted(world, world.hook("copilot"), host)
    made = landed(world, plan)
    assert decided(world, made, SHELL[host], FORCE) == ("deny", "no force"), made.command
    assert decided(world, made, READ[host], FORCE)[0] == "none"
    assert errors(world, made.file) == []
    assert "windows=x.ps1" in next(row.note for row in plan.fields if row.field == "other systems")


def test_copilot_fires_the_event_whose_payload_the_guard_reads(world: World) -> None:
    world.write(world.path(FILES["copilot"]), b'{"version": 1, "hooks": {"agentStop": []}}')
    made = landed(world, converted(world, add_hook_md(world, SCRIPTS["python"]), "copilot"))
    assert made.event_as_written == "PreToolUse"
    assert_guards(world, made)


def test_two_spellings_of_an_event_never_share_a_file(world: World) -> None:
    world.write(world.path(FILES["copilot"]), b'{"version": 1, "hooks": {"preToolUse": []}}')
    made = landed(world, converted(world, add_hook_md(world, SCRIPTS["sh"]), "copilot"))
    assert made.event_as_written == "preToolUse"
    assert_guards(world, made)


def test_script_whose_name_is_taken_gets_a_number(world: World) -> None:
    hook = add_hook_md(world, SCRIPTS["sh"])
    commands = [landed(world, converted(world, hook, "claude", scope)).command for scope in ("project", "local")]
    assert commands == [f'"$CLAUDE_PROJECT_DIR"/.claude/hooks/{name}/guard.sh' for name in ("guard", "guard-2")]


@pytest.mark.parametrize("host", HOSTS[1:])
@pytest.mark.parametrize("scripts", SCRIPTS.values(), ids=SCRIPTS)
def test_undoing_a_conversion_leaves_no_file(world: World, scripts: dict[str, str], host: str) -> None:
    hook, before = add_hook_md(world, scripts), world.tree()
    change = world.do(planned(world, hook, host))
    assert world.tree() != before
    again = world.undo(change)
    assert world.tree() == before
    assert not os.path.exists(world.path(".claude"))
    world.undo(again)
    assert len(world.hooks(host)) == 1


@pytest.mark.parametrize("host", HOSTS[1:])
@pytest.mark.parametrize("script", [SCRIPTS["another language"]["scripts/run"], DENIES], ids=["its #! line", "no #! line"])
def test_interpreter_runs_a_copied_script_that_is_not_executable(world: World, script: str, host: str) -> None:
    add_hook_md(world, {"scripts/run": script})
    os.chmod(world.path(".agents/hooks/guard/scripts/run"), 0o644)
    assert_guards(world, landed(world, converted(world, world.hook("agenthooks"), host)))
