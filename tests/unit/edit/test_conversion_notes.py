"""A conversion explains what happens to each field of the hook."""

from __future__ import annotations

import json
import os

import pytest

from hooktui.core import paths

from .conversions import (
    DENIES,
    HOOK_MD,
    HOSTS,
    READS,
    SCRIPTS,
    add_entry,
    add_group,
    add_hook_md,
    assert_guards,
    converted,
    landed,
    planned,
)
from .world import FILES, World

pytestmark = pytest.mark.slow  # runs the converted scripts


@pytest.mark.parametrize("host", [host for host in HOSTS if host != "claude"])
def test_conversion_says_for_which_host_the_script_was_written(world: World, host: str) -> None:
    plan = converted(world, add_entry(world, "claude", "./guard.sh"), host)
    [note] = [row.note for row in plan.fields if row.field == "script"]
    assert note == "This script was written for Claude Code: it may not read this host's input or print its answers."


def test_event_that_the_new_host_does_not_block_by_exit_code_loses_it(world: World) -> None:
    add_group(world, {"hooks": [{"type": "command", "command": "./check.sh"}]}, "PreCompact", "PreToolUse")
    lost = {
        (hook.event_as_written, host): [row.note for row in converted(world, hook, host).fields if row.field == "exit code 2"]
        for hook in world.hooks("claude")
        for host in ("copilot", "vscode")
    }
    assert {key for key, notes in lost.items() if notes} == {("PreCompact", "copilot")}
    assert lost["PreCompact", "copilot"] == ["does not block PreCompact in Copilot CLI"]


def test_a_hook_that_denies_when_it_fails_does_so_wherever_the_new_host_can(world: World) -> None:
    entry = {"type": "command", "command": "./guard.sh", "onFailure": "block"}
    hook = add_group(world, {"matcher": "Bash", "hooks": [entry]})
    fates, written = {}, {}
    for host in ("cursor", "azure", "gemini", "agenthooks"):
        plan = planned(world, hook, host)
        [row] = [row for row in plan.fields if row.field in ("failure", "onFailure")]
        fates[host] = (row.fate, row.note)
        written[host] = plan.result.fail_mode if plan.result else ""
    lost = ("lost", "denies: if the hook fails, the agent continues")
    assert fates == {"cursor": ("kept", "denies"), "azure": ("kept", "denies"), "gemini": lost, "agenthooks": lost}
    assert written == {"cursor": "block", "azure": "block", "gemini": "allow", "agenthooks": "allow"}


def test_the_event_of_a_kimi_entry_is_no_field_that_is_lost(world: World) -> None:
    text = '[[hooks]]\nevent = "PreToolUse"\nmatcher = "Bash"\ncommand = "./guard.sh"\n'
    world.write(os.path.join(paths.home(), ".kimi-code/config.toml"), text.encode())
    plan = planned(world, world.hook("kimi"), "claude")
    assert [(row.field, row.fate) for row in plan.fields if row.field == "event"] == [("event", "kept")]


def test_script_of_azure_may_run_outside_the_root_elsewhere(world: World) -> None:
    script = {"eventType": "PreToolUse", "hook": {"type": "command", "matcher": "*", "script": "#!/bin/bash\ncat deny.txt\n"}}
    document = {"kind": "GlobalHook", "metadata": {"name": "g"}, "spec": script}
    world.write(world.path(FILES["azure"]), json.dumps(document).encode())
    fates = {}
    for host in HOSTS[:-1]:
        rows = converted(world, world.hook("azure"), host).fields
        fates[host] = [row.fate for row in rows if row.field == "directory"]
    assert fates == {"agenthooks": ["approximated"], "claude": ["approximated"], "vscode": [], "copilot": []}


def test_hook_that_is_off_says_that_its_copy_is_on(world: World) -> None:
    hook = add_hook_md(world, {"scripts/run.sh": "#!/bin/sh\nexit 2\n"})
    os.rename(hook.file, f"{hook.file}.off")
    (row,) = [row for row in converted(world, world.hook("agenthooks"), "claude").fields if row.field == "state"]
    assert (row.fate, row.note) == ("approximated", "off: the copy is on")


def test_tools_of_mcp_servers_may_have_other_names(world: World) -> None:
    hook = add_group(world, {"matcher": "mcp__github__.*", "hooks": [{"type": "command", "command": "exit 2"}]})
    for host in HOSTS[2:]:
        fields = converted(world, hook, host).fields
        assert [row.fate for row in fields if row.field == "servers"] == ["approximated"]


def test_command_that_a_new_script_runs_is_not_called_copied(world: World) -> None:
    hook = add_group(world, {"matcher": "Bash", "hooks": [{"type": "command", "command": "sh tools/guard.sh"}]})
    note = "a new script runs it: ~/shop/.github/hooks/scripts/guard.sh"
    fields = converted(world, hook, "vscode").fields
    assert [(row.fate, row.note) for row in fields if row.field == "command"] == [("kept", note)]


@pytest.mark.parametrize("host", [host for host in HOSTS if host not in ("claude", "azure")])
def test_copy_for_all_projects_names_the_scripts_of_this_project(world: World, host: str) -> None:
    world.write(path := world.path(".claude/hooks/guard"), f"#!/usr/bin/env python3\n{READS}".encode())
    os.chmod(path, 0o755)
    hook = add_entry(world, "claude", '"$CLAUDE_PROJECT_DIR"/.claude/hooks/guard')
    note = "needs .claude/hooks/guard, which other projects do not have"
    fields = converted(world, hook, host, "user").fields
    assert [(row.fate, row.note) for row in fields if row.field == "command"] == [("approximated", note)]


@pytest.mark.parametrize("host", HOSTS)
def test_hook_of_one_agent_becomes_a_hook_of_every_agent(world: World, host: str) -> None:
    hook = {"type": "command", "matcher": "Bash", "command": "exit 2"}
    document = {"kind": "ExtendedAgent", "metadata": {"name": "keeper"}, "spec": {"hooks": {"PreToolUse": [hook]}}}
    world.write(world.path(FILES["azure"]), json.dumps(document).encode())
    (row,) = [row for row in converted(world, world.hook("azure"), host).fields if row.field == "agent"]
    assert row.fate == "lost"
    assert row.note.startswith("keeper: ")
    assert row.note.endswith(" runs it for every agent")


def test_conversion_into_a_file_that_its_host_skips_loses_the_whole_hook(world: World) -> None:
    hook = add_hook_md(world, SCRIPTS["sh"])
    world.write(world.path(FILES["claude"]), b"{} // mine")
    plan = converted(world, hook, "claude")
    assert plan.fields[-1].fate == "lost"
    assert plan.fields[-1].note == "Claude Code ignores this file: comments are not valid JSON (line 17): fix that first"


def test_regex_for_tools_says_what_it_becomes_and_where_it_matches_nothing(world: World) -> None:
    md = HOOK_MD.replace("^Shell$", "(?i)shell")
    hook = add_hook_md(world, {"HOOK.md": md, "scripts/run.sh": f"#!/bin/sh\n{DENIES}"})
    for host in HOSTS[1:]:
        plan = converted(world, hook, host)
        assert_guards(world, landed(world, plan))
        assert next(row.fate for row in plan.fields if row.field == "tools") == "approximated"
    hook = add_hook_md(world, {"HOOK.md": md.replace("(?i)shell", ".*File$")})
    rows = {host: next(row for row in converted(world, hook, host).fields if row.field == "tools") for host in HOSTS[1:]}
    assert {host: row.fate for host, row in rows.items() if row.fate != "approximated"} == {"azure": "lost"}
    assert rows["azure"].note == ".*File$: matches no known tool of Azure SRE Agent"
    assert rows["claude"].note == ".*File$ becomes Read|Write|Edit"


def test_a_timeout_longer_than_azure_allows_becomes_its_longest(world: World) -> None:
    hook = add_group(world, {"matcher": "Bash", "hooks": [{"type": "command", "command": "./guard.sh"}]})
    plan = planned(world, hook, "azure")
    assert [row.note for row in plan.fields if row.field == "timeout"] == ["600 s becomes 300 s"]
