"""The cost of hooks inside a Python agent per event: 10 matching plain callbacks, and recording them."""

from __future__ import annotations

import asyncio
import statistics
import time

from hooktui.stack import AgentHooks, Recorder, ToolCall, ToolHookContext
from tests.bench.figure import Figure
from tests.command_world import CommandWorld

_ROUNDS, _EVENTS, _CALLBACKS = 9, 500, 10
_CONTEXT = ToolHookContext.before(ToolCall("bash", {"command": "ls -la", "timeout": 120}))


def stack(_world: CommandWorld) -> Figure:
    """10 matching plain callbacks, nothing recorded."""
    spent, waited = _measure(None)
    return Figure(spent, 150, "µs", f"CPU an event with {_CALLBACKS} callbacks; {waited:.0f} µs on the clock")


def record(world: CommandWorld) -> Figure:
    """The cost that recording adds, in both threads, until everything is committed."""
    bare, _ = _measure(None)
    with Recorder("bench", str(world.project), str(world.db)) as recorder:
        spent, waited = _measure(recorder)
    return Figure(spent - bare, 300, "µs", f"CPU an event, {_CALLBACKS} runs each; the agent waits {waited:.0f} µs in all")


def _measure(recorder: Recorder | None) -> tuple[float, float]:
    """Microseconds an event: of the process's CPU until everything is stored, and of the agent's clock; medians of rounds."""
    hooks = AgentHooks(recorder=recorder)
    for _ in range(_CALLBACKS):
        hooks.on_before_tool_use(lambda _context: None, matcher="bash")
    rounds = [_round(hooks, recorder) for _ in range(_ROUNDS)]
    spent, waited = (statistics.median(column) / _EVENTS * 1e6 for column in zip(*rounds[1:], strict=True))
    return spent, waited


def _round(hooks: AgentHooks, recorder: Recorder | None) -> tuple[float, float]:
    async def work() -> float:
        started = time.perf_counter()
        for _ in range(_EVENTS):
            await hooks.process(_CONTEXT, lambda _context: None)
        return time.perf_counter() - started

    spent = time.process_time()
    waited = asyncio.run(work())
    if recorder:
        recorder.flush()
    return time.process_time() - spent, waited
