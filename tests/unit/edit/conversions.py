"""Hooks to convert, and what they decide in their new host."""

from __future__ import annotations

import json
import os
from typing import Any

from hooktui import hosts
from hooktui.catalog import catalog
from hooktui.catalog.hook_files import CatalogFiles
from hooktui.core import paths, settings
from hooktui.core.model import Hook
from hooktui.edit.change_plan import ChangePlan, is_made
from hooktui.edit.copy_plan import copy
from hooktui.edit.copy_targets import targets
from hooktui.runner import pipeline
from hooktui.runner.journal.recorder import SpoolRecorder

from .world import FILES, World

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
PLUGIN_ENTRIES: dict[str, dict[str, Any]] = {
    "a script": {"command": '"${CLAUDE_PLUGIN_ROOT}"/tools/guard.py'},
    "without a shell": {"command": "python3", "args": ["${CLAUDE_PLUGIN_ROOT}/tools/guard.py", "--strict"]},
}


def payload(host: str, tool: str, tool_input: dict[str, Any], project: str, *, camel: bool) -> dict[str, Any]:
    """The event that a host sends before a tool runs."""
    if camel:
        return {"sessionId": "s", "timestamp": 1, "cwd": project, "toolName": tool, "toolArgs": tool_input}
    event = {"hook_event_name": "PreToolUse", "cwd": project}
    if host == "agenthooks":
        event = {"event_type": "pre-tool-call", "work_dir": project}
    elif host == "azure":
        event["agent_name"] = "keeper"
    return {"session_id": "s", **event, "tool_name": tool, "tool_input": tool_input}


def decided(world: World, hook: Hook, tool: str, tool_input: dict[str, Any], cwd: str = "") -> tuple[str, str]:
    """The decision and reason of a hook for a tool call, as its host runs it in the project or in `cwd`."""
    camel = hook.event_as_written == "preToolUse"
    sent = payload(hook.format, tool, tool_input, cwd or world.project, camel=camel)
    event = hosts.read(hook.format, sent, hook.event_as_written if camel else None, "2026-01-01T00:00:00Z")
    done = pipeline.handle(
        event, world.project, [hook], settings.Settings(), SpoolRecorder(paths.log_path(None)), CatalogFiles, approved=True
    ).dispatch
    return done.decision, (done.reason or "").strip()


def planned(world: World, hook: Hook, host: str, scope: str = "project") -> ChangePlan:
    target = next(place for place in targets(hook, world.project) if (place.format, place.scope) == (host, scope))
    return copy(hook, target)


def converted(world: World, hook: Hook, host: str, scope: str = "project") -> ChangePlan:
    plan = planned(world, hook, host, scope)
    world.do(plan)
    return plan


def landed(world: World, plan: ChangePlan) -> Hook:
    """The hook that an applied plan created, as its format reads it."""
    assert plan.result is not None
    (hook,) = [hook for hook in world.hooks(plan.result.format) if is_made(hook, plan.result)]
    return hook


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


def add_group(world: World, group: dict[str, Any], *events: str) -> Hook:
    """A hook of Claude Code in a group, on each event."""
    listed = {event: [group] for event in events or ("PreToolUse",)}
    world.write(world.path(FILES["claude"]), json.dumps({"hooks": listed}).encode())
    return world.hook("claude")


def errors(world: World, file: str) -> list[str]:
    return [
        f"{problem.code}: {problem.message}"
        for problem in catalog.load(world.project).diagnostics
        if problem.severity == "error" and problem.file == file
    ]


def denies(world: World, hook: Hook) -> bool:
    return decided(world, hook, SHELL[hook.format], FORCE) == ("deny", "no force")


def assert_guards(world: World, hook: Hook) -> None:
    host = hook.format
    assert decided(world, hook, SHELL[host], FORCE) == ("deny", "no force"), hook.command
    assert decided(world, hook, SHELL[host], {"command": "ls"})[0] == "none"
    assert decided(world, hook, READ[host], {"path": "git push --force", "command": "x"})[0] == "none"
