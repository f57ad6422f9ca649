"""Hooks inside a Python agent: middleware around its tools and steps, recorded in the same log as hooks on disk.

    hooks = AgentHooks(recorder=Recorder("session-1"))
    hooks.on_before_tool_use(guard, priority=100, matcher="bash")
    outcome = await hooks.process(ToolHookContext.before(call), run_tool)

See docs/stack.md.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from hooktui.stack.agent_hooks import AgentHooks
from hooktui.stack.callbacks import CallableHook, CallNext, ContinuationCriteriaAdapter, Hook, StateProcessorAdapter
from hooktui.stack.context_matchers import CallableMatcher, CompositeMatcher, EventTypeMatcher, HookMatcher, ToolNameMatcher
from hooktui.stack.contexts import (
    ExecutionHookContext,
    FailureHookContext,
    HookContext,
    HookEvent,
    StepHookContext,
    StopHookContext,
    ToolCall,
    ToolExecution,
    ToolHookContext,
)
from hooktui.stack.hook_stack import HookStack
from hooktui.stack.outcomes import HookOutcome

if TYPE_CHECKING:
    from hooktui.stack.file_hooks import FileHooks
    from hooktui.stack.stack_recorder import Recorder

__all__ = [
    "AgentHooks", "CallNext", "CallableHook", "CallableMatcher", "CompositeMatcher", "ContinuationCriteriaAdapter",
    "EventTypeMatcher", "ExecutionHookContext", "FailureHookContext", "FileHooks", "Hook", "HookContext", "HookEvent",
    "HookMatcher", "HookOutcome", "HookStack", "Recorder", "StateProcessorAdapter", "StepHookContext",
    "StopHookContext", "ToolCall", "ToolExecution", "ToolHookContext", "ToolNameMatcher",
]  # fmt: skip

# Imported on first use: they need asyncio, threads and the rest of the engine.
_LAZY = {"FileHooks": "hooktui.stack.file_hooks", "Recorder": "hooktui.stack.stack_recorder"}


def __dir__() -> list[str]:
    return __all__


def __getattr__(name: str) -> object:
    if name not in _LAZY:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_LAZY[name]), name)
