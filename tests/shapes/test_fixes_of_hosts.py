"""Safe fixes in files of every host: a hook runs where it ran, and none that is no guard denies more than before.

What a hook runs for and denies is asked of its host, as the runner asks.
"""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from hooktui import hosts
from hooktui.catalog import catalog
from hooktui.catalog.catalog import Catalog
from hooktui.core.model import Event, Hook
from hooktui.edit import apply_fixes
from hooktui.formats import host_tools
from hooktui.hosts import Host
from hooktui.runner import matching

FILES = {
    "claude": ".claude/settings.json",
    "codex": ".codex/hooks.json",
    "copilot": ".github/hooks/a.json",
    "cursor": ".cursor/hooks.json",
    "droid": ".factory/hooks.json",
    "gemini": ".gemini/settings.json",
    "qwen": ".qwen/settings.json",
}
# Commands with their exit codes and output.
GUARD, COMMANDS = "exit 2", {"exit 2": (2, ""), "echo hello": (0, "hello\n"), "true": (0, "")}
MATCHERS = (
    *("Bash", "bash", "Shell", "shell", "Execute", "run_shell_command", "exec_command", "Wirte", "Edit", "create_file", "Read"),
    *("Bash|Foo", "Edit, Bash", "Bash|Shell", "^Bash$", ".*run_command.*", "*", "", "mcp__x", "Stop"),
)
EVENTS = ("PreToolUse", "preToolUse", "BeforeTool", "pre_tool_use", "PreTolUse", "preTolUse", "BeforeTol")


class Entry(NamedTuple):
    event: str
    matcher: str
    command: str


ENTRIES = st.builds(Entry, st.sampled_from(EVENTS), st.sampled_from(MATCHERS), st.sampled_from(sorted(COMMANDS)))


@pytest.fixture(autouse=True)
def _own_state(own_home: Path) -> None:
    """Hide the user's own configuration."""


@given(host=st.sampled_from(sorted(FILES)), entries=st.lists(ENTRIES, min_size=1, max_size=3))
@example(host="cursor", entries=[Entry("preToolUse", "Bash", "echo hello")])
@example(host="cursor", entries=[Entry("preTolUse", "Shell", "echo hello"), Entry("preToolUse", "Shell", "true")])
@example(host="codex", entries=[Entry("PreToolUse", "exec_command", GUARD)])
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_fixes_keep_what_runs_and_deny_no_more(
    host: str, entries: list[Entry], tmp_path_factory: pytest.TempPathFactory
) -> None:
    spec, project = hosts.spec(host), tmp_path_factory.mktemp("hosts").resolve()
    file = project / FILES[host]
    file.parent.mkdir(parents=True)
    file.write_text(json.dumps(_document(spec, entries)))
    before = catalog.load(str(project))
    apply_fixes.apply(apply_fixes.plan(before), before.hooks, str(project))
    after = catalog.load(str(project))
    assert not _reach(before, spec) - _reach(after, spec)
    assert not _denied(after, spec) - _denied(before, spec)
    assert not _errors(after) - _errors(before)


def _document(spec: Host, entries: list[Entry]) -> dict[str, Any]:
    events: dict[str, list[Any]] = {}
    for event, matcher, command in entries:
        handler = {"type": "command", "command": command}
        grouped = {"matcher": matcher, "hooks": [handler]}
        events.setdefault(event, []).append(grouped if spec.entry.shape == "groups" else {"matcher": matcher, **handler})
    return {"hooks": events, **({} if spec.entry.shape == "groups" else {"version": 1})}


def _reach(loaded: Catalog, spec: Host) -> set[tuple[str, str]]:
    """The commands that run, each with a tool for which it does."""
    return {(hook.command or "", tool) for hook, tool in _calls(loaded, spec)}


def _denied(loaded: Catalog, spec: Host) -> set[str]:
    """The tools that a hook denies that is no guard."""
    return {tool for hook, tool in _calls(loaded, spec) if hook.command != GUARD and _decision(spec, hook) in ("deny", "stop")}


def _calls(loaded: Catalog, spec: Host) -> list[tuple[Hook, str]]:
    running = [hook for hook in loaded.hooks if hook.event == "pre-tool-call" and hook.enabled and not hook.obstacle]
    tools = host_tools.own(spec)
    return [(hook, tool) for hook in running for tool in tools if not matching.match(hook, _call(spec, hook, tool)).skip]


def _call(spec: Host, hook: Hook, tool: str) -> Event:
    return Event(
        name=hook.event,
        as_written=hook.event_as_written,
        known=True,
        host=spec.name,
        session_id="",
        work_dir="",
        timestamp="",
        tool_name=tool,
        tool_input={"command": "ls"},
    )


def _decision(spec: Host, hook: Hook) -> str:
    code, stdout = COMMANDS[hook.command or ""]
    return hosts.interpret(spec.name, hook.event_as_written, code, stdout).outcome.decision


def _errors(loaded: Catalog) -> Counter[tuple[str, str]]:
    return Counter((problem.file, problem.code) for problem in loaded.diagnostics if problem.severity == "error")
