"""Convert hooks to the `hooks=` mapping of the Claude Agent SDK for Python (its `types.py`; formats.md §3).

Without the SDK installed, the mapping holds objects with the same attributes as its HookMatcher.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Generic, Protocol

from hooktui.stack.contexts import HookEvent, S, StopHookContext, ToolCall, ToolExecution, ToolHookContext
from hooktui.stack.event_payloads import error_text, metadata_texts

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping

    from claude_agent_sdk import HookMatcher
    from claude_agent_sdk.types import HookEvent as ClaudeEvent

    from hooktui.stack.contexts import HookContext
    from hooktui.stack.hook_stack import Terminal
    from hooktui.stack.outcomes import HookOutcome

_TIMEOUT_S = 900.0  # Claude's default is 60; hooks on disk have timeouts of their own
_NOTIFICATION = "<task-notification>"  # starts a prompt that Claude Code writes for a background subagent
_LOG = logging.getLogger("hooktui")


class EventHooks(Protocol):
    """The methods of AgentHooks that are used here."""

    def names(self, event: HookEvent) -> tuple[str, ...]: ...

    async def process(self, context: HookContext[Any], terminal: Terminal[Any]) -> HookOutcome[Any]: ...


@dataclass
class _SdkMatcher:
    matcher: str | None = None
    hooks: list[Callable[..., Awaitable[dict[str, Any]]]] = field(default_factory=list)
    timeout: float | None = None
    on_failure: str | None = None


def claude_hooks(hooks: EventHooks, state: S) -> dict[ClaudeEvent, list[HookMatcher]]:
    """Return the mapping for `ClaudeAgentOptions(hooks=…)`; the hooks apply their own matchers."""
    try:
        from claude_agent_sdk import HookMatcher as Matcher
    except ImportError:
        Matcher = _SdkMatcher  # noqa: N806  # takes the place of the class
    for event in HookEvent:
        if event not in _FIRED and (names := hooks.names(event)):
            _LOG.warning("the Claude Agent SDK does not fire %s: call process yourself for %s", event, ", ".join(names))
    bridge = _Bridge(hooks, state)
    answers = {"UserPromptSubmit": bridge.on_prompt, **dict.fromkeys(_CONTEXTS, bridge.on_event)}
    return {event: [Matcher(hooks=[answer], timeout=_TIMEOUT_S)] for event, answer in answers.items()}


class _Bridge(Generic[S]):
    """Answers the SDK. Claude cannot be stopped before a tool, so a stop denies that call and every later one of the run.

    Claude ignores an exception from a callback. Before a tool, that would let a call pass that a guard could not check, so the
    call is denied.

    A stop lasts until the user's next prompt in the session: subagents share it, background subagents outlive the main agent's
    Stop and wake it with a generated prompt, and an interrupted run fires no Stop.
    """

    def __init__(self, hooks: EventHooks, state: S) -> None:
        self._hooks = hooks
        self._state = state
        self._stopped: dict[str, str] = {}

    async def on_prompt(self, sdk_input: Mapping[str, Any], _tool_use_id: str | None, _sdk: object) -> dict[str, Any]:
        """HookCallback of the SDK: a run begins, unless the prompt is a subagent's notification."""
        session = sdk_input.get("session_id", "")
        if not sdk_input["prompt"].startswith(_NOTIFICATION):
            self._stopped.pop(session, None)
        return _halt(self._stopped[session]) if session in self._stopped else {}

    async def on_event(self, sdk_input: Mapping[str, Any], tool_use_id: str | None, _sdk: object) -> dict[str, Any]:
        """HookCallback of the SDK: run the hooks and answer in Claude's format."""
        event, session = sdk_input["hook_event_name"], sdk_input.get("session_id", "")
        if session in self._stopped:
            return _stop(event, self._stopped[session])
        context = _CONTEXTS[event](sdk_input, tool_use_id, self._state).with_metadata("claude", sdk_input)
        try:
            outcome = await self._hooks.process(context, lambda _context: None)
        except Exception as error:
            _LOG.exception("hooks of the Claude Agent SDK failed on %s", event)
            if event != "PreToolUse":
                raise
            return _deny(f"a hook failed: {type(error).__name__}: {error_text(error)}")
        if outcome.is_stopped:
            self._stopped[session] = outcome.reason or ""
            return _stop(event, self._stopped[session])
        if outcome.is_blocked:
            return _BLOCKS[event](outcome.reason)
        if outcome.context is None:
            return {}
        self._state = outcome.context.state
        return _changes(event, context, outcome.context)


def _before(sdk_input: Mapping[str, Any], tool_use_id: str | None, state: S) -> HookContext[S]:
    return ToolHookContext.before(_call(sdk_input, tool_use_id), state)


def _after(sdk_input: Mapping[str, Any], tool_use_id: str | None, state: S) -> HookContext[S]:
    call = _call(sdk_input, tool_use_id)
    return ToolHookContext.after(call, ToolExecution(call, sdk_input.get("tool_response"), sdk_input.get("error")), state)


def _call(sdk_input: Mapping[str, Any], tool_use_id: str | None) -> ToolCall:
    return ToolCall(sdk_input["tool_name"], sdk_input["tool_input"], sdk_input.get("tool_use_id", tool_use_id))


def _end(sdk_input: Mapping[str, Any], _tool_use_id: str | None, state: S) -> HookContext[S]:
    make = StopHookContext.stop if sdk_input["hook_event_name"] == "Stop" else StopHookContext.subagent_stop
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
    """The changes of a tool call, and the texts for the model and the user, in Claude's format."""
    messages, context = metadata_texts(after, "system_messages"), metadata_texts(after, "additional_context")
    specific: dict[str, Any] = {}
    if isinstance(before, ToolHookContext) and isinstance(after, ToolHookContext):
        if before.tool_call.name != after.tool_call.name:
            return _deny(f"a hook replaced tool {before.tool_call.name} with {after.tool_call.name}: Claude cannot do that")
        specific = _replaced(event, before, after)
        if context:
            specific["additionalContext"] = "\n".join(context)
    else:
        messages += context  # on Stop, additionalContext would make Claude continue
    answer: dict[str, Any] = {"systemMessage": "\n".join(messages)} if messages else {}
    return answer | _specific(event, **specific) if specific else answer


def _replaced(event: str, before: ToolHookContext[Any], after: ToolHookContext[Any]) -> dict[str, Any]:
    if event == "PreToolUse" and after.tool_call.args != before.tool_call.args:
        return {"updatedInput": dict(after.tool_call.args)}
    if event == "PostToolUse" and after.execution and after.execution is not before.execution:
        error = after.execution.error
        return {"updatedToolOutput": after.execution.result if error is None else error_text(error)}
    return {}
