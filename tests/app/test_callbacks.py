"""The functions of Python agents on the screens: listed from the log, opened at their line, watched like any other hook."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import nullcontext
from typing import Any

import pytest
from textual.widgets import TextArea

from hooktui.core import paths
from hooktui.log.read import recorded_callbacks
from hooktui.stack import AgentHooks, Recorder, StepHookContext, ToolCall, ToolHookContext
from tests.app.hook_world import HookWorld, read, shown, type_text, until, until_shown, world, write

__all__ = ["world"]

SIZE = (140, 40)
AGENT = '''"""An agent's hooks."""

from hooktui.stack import HookOutcome


def guard(context):
    """No force."""
    return HookOutcome.block("not by force")


def count(context):
    return None
'''


class Agent:
    """An agent of a project, whose hooks are recorded."""

    def __init__(self, project: str, source: str = AGENT) -> None:
        self.file = f"{project}/agent.py"
        write(self.file, source)
        names: dict[str, Any] = {"__name__": "agent"}
        exec(compile(source, self.file, "exec"), names)
        self.recorder = Recorder("agent-1", project)
        self.hooks = AgentHooks(recorder=self.recorder)
        self.hooks.on_before_tool_use(names["guard"], matcher="bash").on_before_step(names["count"])

    async def work(self) -> None:
        """Take a step, in which a tool is blocked."""
        call = ToolCall("bash", {"command": "git push --force"})
        for context in (StepHookContext.before(0), ToolHookContext.before(call)):
            await self.hooks.process(context, lambda _context: None)
        self.recorder.flush()


@pytest.fixture
def agent(world: HookWorld) -> Iterator[Agent]:
    agent = Agent(world.project)
    yield agent
    agent.recorder.close()


async def test_the_hooks_screen_lists_them_by_name_and_place(world: HookWorld, agent: Agent) -> None:
    world.add("on-disk")
    app = world.app()
    async with app.run_test(size=SIZE, notifications=True) as pilot:
        await until_shown(pilot, "on-disk")
        await agent.work()
        await until_shown(pilot, "guard", "count", "BeforeStep")
        app.navigator.open_hook("python:agent.guard:PreToolUse")
        await until_shown(pilot, "agent.py:6", '"""No force."""', "the Python agent that registers it")
        assert "Match" not in shown(pilot)
        await pilot.press("t")
        await until_shown(pilot, "agent can run")
        await pilot.press("M")
        await until_shown(pilot, "agent can match")


async def test_e_opens_the_source_line_and_the_file_can_be_edited_here_too(
    world: HookWorld, agent: Agent, monkeypatch: pytest.MonkeyPatch
) -> None:
    editor = f"{world.project}/vi"
    write(editor, '#!/bin/sh\necho "$@" > "$0.called"\n')
    os.chmod(editor, 0o755)
    monkeypatch.setenv("VISUAL", editor)
    await agent.work()
    app = world.app()
    monkeypatch.setattr(app, "suspend", nullcontext)  # there is no terminal here to leave
    async with app.run_test(size=SIZE) as pilot:
        await until_shown(pilot, "guard")
        app.navigator.open_hook("python:agent.guard:PreToolUse")
        await until_shown(pilot, "agent.py:6")
        await pilot.press("e")
        assert read(f"{editor}.called") == f"+6 {agent.file}\n"
        app.navigator.open_hook("python:agent.guard:PreToolUse", 7)
        await until_shown(pilot, "No force.")
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.focused, TextArea))
        await type_text(pilot, "x")
        await pilot.press("ctrl+s")
        await until(pilot, lambda: read(agent.file) != AGENT)
        assert len(read(agent.file)) == len(AGENT) + 1


async def test_live_and_sessions_show_them_steps_included_and_o_opens_the_function(world: HookWorld, agent: Agent) -> None:
    await agent.work()
    async with world.running("pre-step", "pre-tool-call", "not by force", "count", key="2", size=SIZE) as pilot:
        await pilot.press("o")
        await until_shown(pilot, "agent.py:6")
        await pilot.press("3")
        await until_shown(pilot, "agent-1")
        await pilot.press("enter")
        await until_shown(pilot, "pre-step", "guard")


async def test_those_of_other_projects_and_of_files_that_are_gone_are_not_listed(world: HookWorld, agent: Agent) -> None:
    await agent.work()
    path = paths.log_path(None)
    assert [hook.name for hook in await recorded_callbacks.read(path, world.project)] == ["guard", "count"]
    assert await recorded_callbacks.read(path, "/elsewhere") == ()
    os.remove(agent.file)
    assert await recorded_callbacks.read(path, world.project) == ()


async def test_a_function_that_has_moved_is_listed_once_at_its_newest_line(world: HookWorld, agent: Agent) -> None:
    await agent.work()
    later = Agent(world.project, f"# A line more.\n{AGENT}")
    await later.work()
    later.recorder.close()
    found = await recorded_callbacks.read(paths.log_path(None), world.project)
    assert [(hook.name, hook.line) for hook in found] == [("guard", 7), ("count", 12)]


async def test_an_undone_change_lists_the_previous_line(world: HookWorld, agent: Agent) -> None:
    for source in (AGENT, f"# A line more.\n{AGENT}", AGENT):
        again = Agent(world.project, source)
        await again.work()
        again.recorder.close()
    found = await recorded_callbacks.read(paths.log_path(None), world.project)
    assert [(hook.name, hook.line) for hook in found] == [("guard", 6), ("count", 11)]


async def test_functions_of_the_same_name_in_other_projects_take_nothing_away(world: HookWorld, agent: Agent) -> None:
    await agent.work()
    other = f"{world.project}-2"
    os.mkdir(other)
    namesake = Agent(other)
    await namesake.work()
    namesake.recorder.close()
    for project in (world.project, other):
        found = await recorded_callbacks.read(paths.log_path(None), project)
        assert [(hook.name, hook.file) for hook in found] == [
            ("guard", f"{project}/agent.py"),
            ("count", f"{project}/agent.py"),
        ]


LAMBDA = """
import asyncio, sys
from hooktui.stack import AgentHooks, Recorder, ToolCall, ToolHookContext

with Recorder("s", sys.argv[1]) as recorder:
    hooks = AgentHooks(recorder=recorder)
    hooks.on_before_tool_use(lambda context: None)
    asyncio.run(hooks.process(ToolHookContext.before(ToolCall("bash")), lambda context: None))
"""


async def test_a_scripts_lambda_that_has_moved_is_listed_at_its_new_line(world: HookWorld) -> None:
    for source in (LAMBDA, f"# A line more.\n{LAMBDA}"):
        write(f"{world.project}/script.py", source)
        subprocess.run([sys.executable, f"{world.project}/script.py", world.project], check=True)
    found = await recorded_callbacks.read(paths.log_path(None), world.project)
    assert [(hook.id, hook.line) for hook in found] == [("python:script.<lambda>:8:PreToolUse", 8)]


async def test_a_log_that_is_not_there_lists_none(world: HookWorld) -> None:
    assert await recorded_callbacks.read(f"{world.project}/no.db", world.project) == ()
