"""A converted hook decides what the original did, for what its new host sends, and needs nothing of the original."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

from hooktui import hosts
from hooktui.catalog import catalog
from hooktui.core import settings
from hooktui.edit import matcher_translation, trash
from hooktui.edit.copy_plan import copy
from hooktui.edit.copy_targets import callers, targets
from hooktui.engine import pipeline
from hooktui.log.write.writer import LogWriter, db_path
from hooktui.security import trust

from .world import FILES

if TYPE_CHECKING:
    from hooktui.core.model import Hook
    from hooktui.edit.change_plan import ChangePlan

    from .world import World

pytestmark = pytest.mark.slow  # runs the converted scripts

HOSTS = tuple(FILES)
SHELL = {spec.name: spec.tools["shell"] for spec in hosts.specs() if "shell" in spec.tools}
READ = {spec.name: spec.tools.get("read", "Read") for spec in hosts.specs()}
FORCE = {"command": "git push --force"}
HOOK_MD = """---
name: guard
description: Keeps history
trigger: pre-tool-call
matcher:
  tool: '^Shell$'
  pattern: 'push.*--force'
timeout: 5500
---
"""
DENIES = 'cat >/dev/null\necho "no force" >&2\nexit 2\n'
READS = """\
import json, sys
event = json.load(sys.stdin)
if "push" in event["tool_input"]["command"]:
    print("no force", file=sys.stderr)
    sys.exit(2)
"""
SCRIPTS = {
    "sh": {"scripts/run.sh": f"#!/bin/sh -eu\n{DENIES}"},
    "bash": {"scripts/run": f"#!/usr/bin/env bash\nset -euo pipefail\n{DENIES}"},
    "flags of its shell": {"scripts/run.sh": "#!/bin/bash -e\ncat >/dev/null\n(echo 'no force' >&2; exit 2)\nexit 0\n"},
    "no shebang": {"scripts/run.sh": DENIES},
    "python": {"scripts/run.py": f'#!/usr/bin/env python3\n"""Guards."""\n\nfrom __future__ import annotations\n\n{READS}'},
    "another language": {"scripts/run": '#!/usr/bin/perl\nlocal $/; <STDIN>; print STDERR "no force\\n"; exit 2;\n'},
    "with a file beside it": {
        "scripts/run.sh": '#!/bin/sh\n. "$(dirname "$0")/../lib.sh"\nrefuse\n',
        "lib.sh": f"refuse() {{\n{DENIES}}}\n",
    },
}
CLAUDE_ENTRIES: dict[str, dict[str, Any]] = {
    "a script": {"command": '"$CLAUDE_PROJECT_DIR"/tools/guard.py'},
    "without a shell": {"command": "python3", "args": ["${CLAUDE_PROJECT_DIR}/tools/guard.py", "--strict"]},
    "a text": {"command": "grep -q push && { echo 'no force' >&2; exit 2; } || exit 0"},
    "a powerful text": {"command": "e=$(cat); case $e in *push*) echo 'no force' >&2; exit 2;; esac"},
}


def payload(host: str, tool: str, tool_input: dict[str, Any], project: str, *, camel: bool) -> dict[str, Any]:
    """What a host sends before a tool runs."""
    if camel:
        return {"sessionId": "s", "timestamp": 1, "cwd": project, "toolName": tool, "toolArgs": tool_input}
    event = {"agenthooks": {"event_type": "pre-tool-call", "work_dir": project}, "azure": {"agent_name": "keeper"}}.get(
        host, {}
    )
    named = {} if host == "agenthooks" else {"hook_event_name": "PreToolUse", "cwd": project}
    return {"session_id": "s", **named, **event, "tool_name": tool, "tool_input": tool_input}


def decided(world: World, hook: Hook, tool: str, tool_input: dict[str, Any], cwd: str = "") -> tuple[str, str]:
    """What a hook decides for a call of a tool, and why, when its host runs it; the agent is in the project, or in `cwd`."""
    camel = hook.event_as_written == "preToolUse"
    said = payload(hook.format, tool, tool_input, cwd or world.project, camel=camel)
    event = hosts.read(hook.format, said, hook.event_as_written if camel else None, "2026-01-01T00:00:00Z")
    done = pipeline.handle(
        event, world.project, [hook], settings.Settings(), LogWriter(db_path(settings.Settings())), approved=True
    ).dispatch
    return done.decision, (done.reason or "").strip()


def converted(world: World, hook: Hook, host: str, scope: str = "project") -> ChangePlan:
    where = next(one for one in targets(hook, world.project) if (one.format, one.scope) == (host, scope))
    plan = copy(hook, where)
    world.do(plan)
    return plan


def landed(world: World, plan: ChangePlan) -> Hook:
    assert plan.result is not None
    return next(one for one in world.hooks(plan.result.format) if (one.file, one.text) == (plan.result.file, plan.result.text))


def add_hook_md(world: World, scripts: dict[str, str]) -> Hook:
    for name, text in {"HOOK.md": HOOK_MD, **scripts}.items():
        world.write(path := world.path(f".agents/hooks/guard/{name}"), text.encode())
        os.chmod(path, 0o755)
    return world.hook("agenthooks")


def add_entry(world: World, source: str, command: str) -> Hook:
    """A hook of a format that runs a command before each tool."""
    if source == "agenthooks":
        return add_hook_md(world, {"scripts/run.sh": f"#!/bin/sh\n{command}\n"})
    entry = {"type": "command", "command": command}
    if source == "azure":
        spec = {"eventType": "PreToolUse", "hook": {**entry, "matcher": "*"}}
        document = {"kind": "GlobalHook", "metadata": {"name": "g"}, "spec": spec}
        world.write(world.path(FILES[source]), json.dumps(document).encode())
    else:
        group = {"hooks": [entry]} if source == "claude" else entry
        world.write(world.path(FILES[source]), json.dumps({"hooks": {"PreToolUse": [group]}}).encode())
    return world.hook(source)


def errors(world: World, file: str) -> list[str]:
    return [
        f"{one.code}: {one.message}"
        for one in catalog.load(world.project).diagnostics
        if one.severity == "error" and one.file == file
    ]


def denies(world: World, hook: Hook) -> bool:
    return decided(world, hook, SHELL[hook.format], FORCE) == ("deny", "no force")


def assert_guards(world: World, hook: Hook) -> None:
    host = hook.format
    assert decided(world, hook, SHELL[host], FORCE) == ("deny", "no force"), hook.command
    assert decided(world, hook, SHELL[host], {"command": "ls"})[0] == "none"
    assert decided(world, hook, READ[host], {"path": "git push --force", "command": "x"})[0] == "none"


@pytest.mark.parametrize("host", HOSTS[1:])
@pytest.mark.parametrize("scripts", SCRIPTS.values(), ids=SCRIPTS)
def test_a_hook_md_guards_in_every_format_also_without_the_original(world: World, scripts: dict[str, str], host: str) -> None:
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
    assert denies(world, landed(world, plan))
    assert before.items() <= world.tree().items()


@pytest.mark.parametrize("host", [host for host in HOSTS if host != "claude"])
@pytest.mark.parametrize("entry", CLAUDE_ENTRIES.values(), ids=CLAUDE_ENTRIES)
def test_an_entry_of_claude_code_guards_in_every_format(world: World, entry: dict[str, Any], host: str) -> None:
    world.write(path := world.path("tools/guard.py"), f"#!/usr/bin/env python3\n{READS}".encode())
    os.chmod(path, 0o755)
    group = {"matcher": "Bash", "hooks": [{"type": "command", "timeout": 7, **entry}]}
    world.write(world.path(FILES["claude"]), json.dumps({"hooks": {"PreToolUse": [group]}}).encode())
    assert_guards(world, world.hook("claude"))
    made = landed(world, converted(world, world.hook("claude"), host))
    assert_guards(world, made)
    assert made.timeout_ms == 7000
    assert errors(world, made.file) == []


@pytest.mark.parametrize("host", [host for host in HOSTS if host != "claude"])
def test_conversion_says_for_which_host_the_script_was_written(world: World, host: str) -> None:
    plan = converted(world, add_entry(world, "claude", "./guard.sh"), host)
    [note] = [row.note for row in plan.fields if row.field == "script"]
    assert note == "This script was written for Claude Code: it reads its stdin and answers in its words."


def test_event_that_the_new_host_does_not_block_by_exit_code_loses_it(world: World) -> None:
    group = {"hooks": [{"type": "command", "command": "./check.sh"}]}
    world.write(world.path(FILES["claude"]), json.dumps({"hooks": {"PreCompact": [group], "PreToolUse": [group]}}).encode())
    lost = {
        (hook.event_as_written, host): [row.note for row in converted(world, hook, host).fields if row.field == "exit code 2"]
        for hook in world.hooks("claude")
        for host in ("copilot", "vscode")
    }
    assert {key for key, notes in lost.items() if notes} == {("PreCompact", "copilot")}
    assert lost["PreCompact", "copilot"] == ["does not block PreCompact in Copilot CLI"]


@pytest.mark.parametrize("scripts", SCRIPTS.values(), ids=SCRIPTS)
def test_hook_md_converted_to_vs_code_guards_again_in_every_format(world: World, scripts: dict[str, str]) -> None:
    there = landed(world, converted(world, add_hook_md(world, scripts), "vscode"))
    for host in ("claude", "copilot", "azure"):
        assert_guards(world, landed(world, converted(world, there, host)))


@pytest.mark.parametrize("scripts", SCRIPTS.values(), ids=SCRIPTS)
@pytest.mark.parametrize("between", ["claude", "copilot", "azure"])
def test_matcher_that_a_host_does_not_check_is_added_to_the_shim(world: World, scripts: dict[str, str], between: str) -> None:
    there = landed(world, converted(world, add_hook_md(world, scripts), between))
    assert_guards(world, landed(world, converted(world, there, "vscode")))


OWN_PATH = {
    "the root": '#!/bin/bash\ncd "$(dirname "$0")/../../../.." || exit 1\n. tools/deny.sh\n',
    "alone": '#!/bin/sh\ncd "$(dirname "$0")/../scripts" || exit 1\n' + DENIES,
    "beside": '#!/bin/bash\n. "${BASH_SOURCE[0]%/*}/lib/deny.sh"\n',
    "above": '#!/bin/sh\nHERE=$(cd "$(dirname "$0")" && pwd)\n. "$HERE/../deny.sh"\n',
}


@pytest.mark.parametrize("host", HOSTS[1:])
@pytest.mark.parametrize("script", OWN_PATH.values(), ids=OWN_PATH)
def test_copied_script_finds_the_project_and_what_was_copied_with_it(world: World, script: str, host: str) -> None:
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


def test_script_of_azure_may_run_outside_the_root_elsewhere(world: World) -> None:
    script = {"eventType": "PreToolUse", "hook": {"type": "command", "matcher": "*", "script": "#!/bin/bash\ncat deny.txt\n"}}
    document = {"kind": "GlobalHook", "metadata": {"name": "g"}, "spec": script}
    world.write(world.path(FILES["azure"]), json.dumps(document).encode())
    fates = {}
    for host in HOSTS[:-1]:
        rows = converted(world, world.hook("azure"), host).fields
        fates[host] = [row.fate for row in rows if row.field == "directory"]
    assert fates == {"agenthooks": ["approximated"], "claude": ["approximated"], "vscode": [], "copilot": []}


def test_approval_covers_the_script_behind_a_guard(world: World) -> None:
    scripts = {"scripts/run": "#!/usr/bin/perl\nexit 2;\n"}
    made = landed(world, converted(world, add_hook_md(world, scripts), "claude"))
    assert "guard.sh" in (made.command or "")
    world.approve_all()
    world.write(world.path(".claude/hooks/guard/scripts/run"), b"#!/usr/bin/perl\nexit 0;\n")
    (found,) = world.hooks("claude")
    assert trust.state(found, trust.approvals(world.project)) == "changed"


def test_hook_that_is_off_says_that_its_copy_is_on(world: World) -> None:
    hook = add_hook_md(world, {"scripts/run.sh": "#!/bin/sh\nexit 2\n"})
    os.rename(hook.file, f"{hook.file}.off")
    (row,) = [row for row in converted(world, world.hook("agenthooks"), "claude").fields if row.field == "state"]
    assert (row.fate, row.note) == ("approximated", "off: the copy is on")


def test_tools_of_mcp_servers_may_have_other_names(world: World) -> None:
    group = {"matcher": "mcp__github__.*", "hooks": [{"type": "command", "command": "exit 2"}]}
    world.write(world.path(FILES["claude"]), json.dumps({"hooks": {"PreToolUse": [group]}}).encode())
    for host in HOSTS[2:]:
        fields = converted(world, world.hook("claude"), host).fields
        assert [row.fate for row in fields if row.field == "servers"] == ["approximated"]


def test_command_that_a_new_script_runs_is_not_called_copied(world: World) -> None:
    group = {"matcher": "Bash", "hooks": [{"type": "command", "command": "sh tools/guard.sh"}]}
    world.write(world.path(FILES["claude"]), json.dumps({"hooks": {"PreToolUse": [group]}}).encode())
    note = "a new script runs it: ~/shop/.github/hooks/scripts/guard.sh"
    fields = converted(world, world.hook("claude"), "vscode").fields
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


@pytest.mark.parametrize(
    "script",
    [
        "\ufeffimport sys\n",
        "#!/usr/bin/env python3\n# -*- coding: utf-8 -*-\nimport sys\n",
        '"""A\x0cform\x1cfeed"""\nfrom __future__ import annotations\nimport sys\n',
        'import sys\r\nx = """\u2028"""\r\n',
    ],
)
def test_shim_goes_where_a_python_script_still_works(script: str) -> None:
    wanted = matcher_translation.ShimFilter("Bash", None)
    text = matcher_translation.add_shim(f"{script}sys.stdin.read()\nsys.exit(2)\n", "py", wanted, "vscode")
    for tool, code in (("Bash", 2), ("Read", 0)):
        done = subprocess.run([sys.executable, "-c", text], input=f'{{"tool_name": "{tool}"}}', text=True, check=False)
        assert done.returncode == code


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


def test_copilot_tells_a_converted_guard_what_it_reads(world: World) -> None:
    world.write(world.path(FILES["copilot"]), b'{"version": 1, "hooks": {"agentStop": []}}')
    made = landed(world, converted(world, add_hook_md(world, SCRIPTS["python"]), "copilot"))
    assert made.event_as_written == "PreToolUse"
    assert_guards(world, made)


def test_two_spellings_of_an_event_never_stand_in_one_file(world: World) -> None:
    world.write(world.path(FILES["copilot"]), b'{"version": 1, "hooks": {"preToolUse": []}}')
    made = landed(world, converted(world, add_hook_md(world, SCRIPTS["sh"]), "copilot"))
    assert made.event_as_written == "preToolUse"
    assert_guards(world, made)


def test_a_script_whose_name_is_taken_gets_a_number(world: World) -> None:
    hook = add_hook_md(world, SCRIPTS["sh"])
    commands = [landed(world, converted(world, hook, "claude", scope)).command for scope in ("project", "local")]
    assert commands == [f'"$CLAUDE_PROJECT_DIR"/.claude/hooks/{name}/scripts/run.sh' for name in ("guard", "guard-2")]


@pytest.mark.parametrize("host", HOSTS[1:])
@pytest.mark.parametrize("scripts", SCRIPTS.values(), ids=SCRIPTS)
def test_taking_a_conversion_back_leaves_no_file(world: World, scripts: dict[str, str], host: str) -> None:
    hook, before = add_hook_md(world, scripts), world.tree()
    where = next(one for one in targets(hook, world.project) if (one.format, one.scope) == (host, "project"))
    change = world.do(copy(hook, where))
    assert world.tree() != before
    again = world.undo(change)
    assert world.tree() == before
    assert not os.path.exists(world.path(".claude"))
    world.undo(again)
    assert len(world.hooks(host)) == 1


def test_a_conversion_into_a_file_that_its_host_skips_loses_the_whole_hook(world: World) -> None:
    hook = add_hook_md(world, SCRIPTS["sh"])
    world.write(world.path(FILES["claude"]), b"{} // mine")
    plan = converted(world, hook, "claude")
    assert plan.fields[-1].fate == "lost"
    assert plan.fields[-1].note == "Claude Code ignores this file: comments are not valid JSON (line 17): fix that first"


@pytest.mark.parametrize("host", HOSTS[1:])
@pytest.mark.parametrize("script", [SCRIPTS["another language"]["scripts/run"], DENIES], ids=["its #! line", "no #! line"])
def test_a_script_that_is_not_executable_is_run_by_its_interpreter_there_too(world: World, script: str, host: str) -> None:
    add_hook_md(world, {"scripts/run": script})
    os.chmod(world.path(".agents/hooks/guard/scripts/run"), 0o644)
    assert_guards(world, landed(world, converted(world, world.hook("agenthooks"), host)))


def test_a_regex_for_tools_says_what_it_becomes_and_where_it_finds_nothing(world: World) -> None:
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
