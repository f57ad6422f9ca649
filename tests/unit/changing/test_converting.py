"""A converted hook decides what the original did, for what its new host sends, and needs nothing of the original."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

import pytest

from hooktui import catalog, handling, hosts, settings
from hooktui.changing import trash
from hooktui.changing.copying import copy
from hooktui.changing.targets import targets
from hooktui.formats.host_tools import TWINS

from .world import FILES

if TYPE_CHECKING:
    from hooktui.changing.plan import Plan
    from hooktui.model import Hook

    from .world import World

HOSTS = tuple(FILES)
SHELL = TWINS[0]
READ = {**TWINS[1], "azure": "Read"}
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


def decided(world: World, hook: Hook, tool: str, tool_input: dict[str, Any]) -> tuple[str, str]:
    """What a hook decides for a call of a tool, and why, when it is run as its host does."""
    camel = hook.event_as_written == "preToolUse"
    said = payload(hook.format, tool, tool_input, world.project, camel=camel)
    event = hosts.load(hook.format).read(said, hook.event_as_written if camel else None, "2026-01-01T00:00:00Z")
    done = handling.handle(event, world.project, [hook], settings.Settings(), approved=True).dispatch
    return done.decision, (done.reason or "").strip()


def converted(world: World, hook: Hook, host: str, scope: str = "project") -> Plan:
    where = next(one for one in targets(hook, world.project) if (one.format, one.scope) == (host, scope))
    plan = copy(hook, where)
    world.do(plan)
    return plan


def landed(world: World, plan: Plan) -> Hook:
    assert plan.result is not None
    return next(one for one in world.hooks(plan.result.format) if (one.file, one.text) == (plan.result.file, plan.result.text))


def add_hook_md(world: World, scripts: dict[str, str]) -> Hook:
    for name, text in {"HOOK.md": HOOK_MD, **scripts}.items():
        world.write(path := world.path(f".agents/hooks/guard/{name}"), text.encode())
        os.chmod(path, 0o755)
    return world.hook("agenthooks")


def errors(world: World, file: str) -> list[str]:
    return [
        f"{one.code}: {one.message}"
        for one in catalog.load(world.project).diagnostics
        if one.severity == "error" and one.file == file
    ]


def assert_guards(world: World, hook: Hook) -> None:
    host = hook.format
    assert decided(world, hook, SHELL[host], FORCE) == ("deny", "no force"), hook.command
    assert decided(world, hook, SHELL[host], {"command": "ls"})[0] == "none"
    assert decided(world, hook, READ[host], {"path": "git push --force", "command": "x"})[0] == "none"


@pytest.mark.parametrize("host", HOSTS[1:])
@pytest.mark.parametrize("scripts", SCRIPTS.values(), ids=SCRIPTS)
def test_a_hook_md_guards_in_every_format_also_without_the_original(world: World, scripts: dict[str, str], host: str) -> None:
    hook, before = add_hook_md(world, scripts), world.tree()
    assert_guards(world, hook)
    plan = converted(world, hook, host)
    made = landed(world, plan)
    assert_guards(world, made)
    world.do(trash.delete(hook, world.project))
    assert world.hooks("agenthooks") == []
    assert_guards(world, made)
    assert errors(world, made.file) == []
    world.do(trash.restore(next(trash.contents(world.project))))
    assert_guards(world, world.hook("agenthooks"))
    world.do(trash.delete(made, world.project))
    assert_guards(world, world.hook("agenthooks"))
    world.do(trash.restore(next(trash.contents(world.project))))
    assert_guards(world, landed(world, plan))
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


def test_a_conversion_into_a_file_that_its_host_skips_loses_the_whole_hook(world: World) -> None:
    hook = add_hook_md(world, SCRIPTS["sh"])
    world.write(world.path(FILES["claude"]), b"{} // mine")
    plan = converted(world, hook, "claude")
    assert plan.rows[-1].fate == "lost"
    assert plan.rows[-1].says == "Claude Code skips the whole file: a comment is no JSON (line 17): mend that first"
