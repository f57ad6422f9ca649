"""An agent's hooks as the `hooks=` of the Claude Agent SDK for Python (its `types.py`; formats.md §3 for what Claude obeys).

The SDK is not needed to import this: where it is not installed, the mapping holds look-alikes of its HookMatcher.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Generic

from hooktui.stack.contexts import HookEvent, S, StopHookContext, ToolCall, ToolExecution, ToolHookContext
from hooktui.stack.event_payloads import said, texts

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping

    from claude_agent_sdk import HookMatcher
    from claude_agent_sdk.types import HookEvent as ClaudeEvent

    from hooktui.stack.agent_hooks import AgentHooks
    from hooktui.stack.contexts import HookContext

_TIMEOUT_S = 900.0  # Claude gives up on a hook after 60; hooks on disk are held to their own timeouts
_REPORT = "<task-notification>"  # how a prompt begins that Claude Code writes itself, for a subagent in the background
_LOG = logging.getLogger("hooktui")


@dataclass
class _Matcher:
    """What the SDK reads of a HookMatcher."""

    matcher: str | None = None
    hooks: list[Callable[..., Awaitable[dict[str, Any]]]] = field(default_factory=list)
    timeout: float | None = None
    on_failure: str | None = None


def claude_hooks(hooks: AgentHooks[S], state: S) -> dict[ClaudeEvent, list[HookMatcher]]:
    """The mapping for `ClaudeAgentOptions(hooks=…)`; matchers are the hooks' own."""
    try:
        from claude_agent_sdk import HookMatcher as Matcher
    except ImportError:
        Matcher = _Matcher  # noqa: N806  # stands for the class
    for event in HookEvent:
        if event not in _FIRED and (names := hooks.names(event)):
            _LOG.warning("the Claude Agent SDK fires no %s: call process yourself for %s", event, ", ".join(names))
    bridge = _Bridge(hooks, state)
    answers = {"UserPromptSubmit": bridge.prompted, **dict.fromkeys(_CONTEXTS, bridge.answer)}
    return {event: [Matcher(hooks=[answer], timeout=_TIMEOUT_S)] for event, answer in answers.items()}


class _Bridge(Generic[S]):
    """Answers the SDK. Claude cannot be stopped before a tool: the call is denied, and so is every later one of that run.

    To Claude a callback that raises has no opinion. Before a tool that would let pass what a guard failed to look at, which an
    exception prevents everywhere else: it is denied.

    A stop holds for the whole session until a person's next prompt: subagents share it, those in the background outlive
    the main agent's Stop and wake it with what looks like a prompt, and a run that is interrupted fires no Stop.
    """

    def __init__(self, hooks: AgentHooks[S], state: S) -> None:
        self._hooks = hooks
        self._state = state
        self._stopped: dict[str, str] = {}

    async def prompted(self, told: Mapping[str, Any], _tool_use_id: str | None, _sdk: object) -> dict[str, Any]:
        """A HookCallback of the SDK: a run begins, unless it is a subagent that reports."""
        session = told.get("session_id", "")
        if not told["prompt"].startswith(_REPORT):
            self._stopped.pop(session, None)
        return _halt(self._stopped[session]) if session in self._stopped else {}

    async def answer(self, told: Mapping[str, Any], tool_use_id: str | None, _sdk: object) -> dict[str, Any]:
        """A HookCallback of the SDK: what hooks say to an event, in Claude's words."""
        event, session = told["hook_event_name"], told.get("session_id", "")
        if session in self._stopped:
            return _stop(event, self._stopped[session])
        context = _CONTEXTS[event](told, tool_use_id, self._state).with_metadata("claude", told)
        try:
            outcome = await self._hooks.process(context, lambda _context: None)
        except Exception as error:
            _LOG.exception("hooks of the Claude Agent SDK failed on %s", event)
            if event != "PreToolUse":
                raise
            return _deny(f"a hook failed: {type(error).__name__}: {said(error)}")
        if outcome.is_stopped:
            self._stopped[session] = outcome.reason or ""
            return _stop(event, self._stopped[session])
        if outcome.is_blocked:
            return _BLOCKS[event](outcome.reason)
        if outcome.context is None:
            return {}
        self._state = outcome.context.state
        return _changes(event, context, outcome.context)


def _before(told: Mapping[str, Any], tool_use_id: str | None, state: S) -> HookContext[S]:
    return ToolHookContext.before(_call(told, tool_use_id), state)


def _after(told: Mapping[str, Any], tool_use_id: str | None, state: S) -> HookContext[S]:
    call = _call(told, tool_use_id)
    return ToolHookContext.after(call, ToolExecution(call, told.get("tool_response"), told.get("error")), state)


def _call(told: Mapping[str, Any], tool_use_id: str | None) -> ToolCall:
    return ToolCall(told["tool_name"], told["tool_input"], told.get("tool_use_id", tool_use_id))


def _end(told: Mapping[str, Any], _tool_use_id: str | None, state: S) -> HookContext[S]:
    make = StopHookContext.stop if told["hook_event_name"] == "Stop" else StopHookContext.subagent_stop
    return make("end_turn", state)


def _deny(reason: str | None) -> dict[str, Any]:
    return _specific("PreToolUse", permissionDecision="deny", permissionDecisionReason=reason)


def _halt(reason: str) -> dict[str, Any]:
    return {"continue_": False, "stopReason": reason}


def _stop(event: str, reason: str) -> dict[str, Any]:
    return _deny(reason) if event == "PreToolUse" else _halt(reason)


def _block(reason: str | None) -> dict[str, Any]:
    return {"decision": "block", "reason": reason}


def _specific(event: str, **values: Any) -> dict[str, Any]:
    return {"hookSpecificOutput": {"hookEventName": event, **values}}


_FIRED = (HookEvent.PRE_TOOL_USE, HookEvent.POST_TOOL_USE, HookEvent.STOP, HookEvent.SUBAGENT_STOP)
_CONTEXTS: Mapping[Any, Callable[[Mapping[str, Any], str | None, Any], HookContext[Any]]] = {
    "PreToolUse": _before,
    "PostToolUse": _after,
    "PostToolUseFailure": _after,
    "Stop": _end,
    "SubagentStop": _end,
}
_BLOCKS: Mapping[str, Callable[[str | None], dict[str, Any]]] = {
    "PreToolUse": _deny,
    "PostToolUse": _block,
    "PostToolUseFailure": lambda reason: _specific("PostToolUseFailure", additionalContext=reason),
    "Stop": _block,
    "SubagentStop": _block,
}


def _changes(event: str, before: HookContext[Any], after: HookContext[Any]) -> dict[str, Any]:
    """What the hooks changed of a tool, and what they say: in Claude's words to the model, or to the person."""
    messages, context = texts(after, "system_messages"), texts(after, "additional_context")
    specific: dict[str, Any] = {}
    if isinstance(before, ToolHookContext) and isinstance(after, ToolHookContext):
        if before.tool_call.name != after.tool_call.name:
            return _deny(f"a hook wants {after.tool_call.name} in place of {before.tool_call.name}, which Claude cannot do")
        specific = _replaced(event, before, after)
        if context:
            specific["additionalContext"] = "\n".join(context)
    else:
        messages += context  # at a gate, context would keep Claude going
    answer: dict[str, Any] = {"systemMessage": "\n".join(messages)} if messages else {}
    return answer | _specific(event, **specific) if specific else answer


def _replaced(event: str, before: ToolHookContext[Any], after: ToolHookContext[Any]) -> dict[str, Any]:
    if event == "PreToolUse" and after.tool_call.args != before.tool_call.args:
        return {"updatedInput": dict(after.tool_call.args)}
    if event == "PostToolUse" and after.execution and after.execution is not before.execution:
        error = after.execution.error
        return {"updatedToolOutput": after.execution.result if error is None else said(error)}
    return {}
