"""A HOOK.md that no agent program runs is not "ok": the note says which programs could run it, and how."""

from __future__ import annotations

import asyncio
import json

import pytest

from hooktui.catalog import catalog, log_links
from hooktui.catalog.catalog import Catalog
from hooktui.catalog.hook_states import OK, UNCALLED, hook_state, problems_by_hook
from hooktui.core.model import Diagnostic
from hooktui.scripts import hooktui_commands
from tests.log_world import LogWorld
from tests.unit.formats.agenthooks_world import World, changed
from tests.unit.formats.json_world import write

NOTES = ("not-connected", "matches-nothing", "never-fires")


def install(world: World, monkeypatch: pytest.MonkeyPatch, *programs: str) -> None:
    for name in programs:
        write(world.home / "bin" / name, "#!/bin/sh\n").chmod(0o755)
    monkeypatch.setenv("PATH", str(world.home / "bin"))


def connect(world: World, host: str, event: str) -> None:
    entry = {"type": "command", "command": hooktui_commands.run(host)}
    write(world.project / f".{host}/settings.json", json.dumps({"hooks": {event: [{"matcher": "*", "hooks": [entry]}]}}))


def load(world: World) -> tuple[Catalog, list[Diagnostic]]:
    loaded = catalog.load(str(world.project))
    return loaded, [problem for problem in loaded.diagnostics if problem.code in NOTES]


def test_a_hook_that_no_installed_program_runs_names_them_and_the_command(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    world.hook(scope="user", text=changed(matcher="{tool: Bash}"))
    install(world, monkeypatch, "codex", "gemini")
    loaded, [note] = load(world)
    assert (note.severity, note.code) == ("info", "not-connected")
    assert note.message == "no program runs guard: Codex CLI and Gemini CLI are not connected"
    assert note.hint == "run `hooktui connect --all`"
    [hook] = loaded.hooks
    assert hook_state(loaded, hook, problems_by_hook(loaded)[hook.id]) is UNCALLED
    connect(world, "claude", "PreToolUse")
    assert load(world)[1] == []


def test_only_programs_that_have_the_event_are_offered(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    world.hook(scope="user", text=changed(trigger="post-session"))
    install(world, monkeypatch, "gemini", "code")
    assert [note.hint for note in load(world)[1]] == ["run `hooktui connect gemini`"]


def test_a_tool_that_every_installed_program_calls_otherwise_is_noted_with_its_fix(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    world.hook(scope="user", text=changed(matcher="{tool: 'Shell'}"))
    install(world, monkeypatch, "codex", "gemini")
    _, [_, tool] = load(world)
    assert (tool.severity, tool.message) == (
        "info",
        "Shell matches no tool of Codex CLI and Gemini CLI: guard never runs there",
    )
    assert tool.fix
    assert tool.fix.text == "'Shell|Bash|run_shell_command'"
    assert tool.hosts == ("codex", "gemini")


def test_an_event_that_no_connected_program_has_is_a_warning_unless_ones_own_agent_has_it(world: World, log: LogWorld) -> None:
    world.hook(scope="user", text=changed(trigger="pre-subagent"))
    connect(world, "gemini", "BeforeTool")
    [problem] = load(world)[1]
    assert (problem.severity, problem.code) == ("warning", "never-fires")
    log.add(project=str(world.project), host="agenthooks")
    assert asyncio.run(log_links.audited(catalog.load(str(world.project)), log.db))[0].diagnostics == ()


def test_without_an_installed_program_hooks_of_ones_own_agents_stay_green(world: World) -> None:
    world.hook(scope="user", text=changed(matcher="{tool: Shell}"))
    loaded, notes = load(world)
    assert notes == []
    assert hook_state(loaded, loaded.hooks[0], ()) is OK


@pytest.mark.parametrize(
    ("host", "synthetic", "codes"),
    [
        ("agenthooks", False, []),
        ("python", False, []),
        ("agenthooks", True, ["not-connected"]),
        ("claude", False, ["not-connected"]),
    ],
)
def test_agents_of_ones_own_that_run_the_hooks_need_no_connection(
    world: World, log: LogWorld, monkeypatch: pytest.MonkeyPatch, host: str, synthetic: bool, codes: list[str]
) -> None:
    world.hook(scope="user")
    install(world, monkeypatch, "codex")
    log.add(project=str(world.project), host=host, synthetic=synthetic)
    audited, _ = asyncio.run(log_links.audited(load(world)[0], log.db))
    assert [problem.code for problem in audited.diagnostics] == codes
    assert [problem.code for problem in catalog.edited(audited, {}).diagnostics] == codes
