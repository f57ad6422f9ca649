"""Convert contexts to the events that the log and the hooks on disk use (formats.md §1, column "in-process")."""

from __future__ import annotations

import math
import time
from typing import Any

from hooktui import hosts
from hooktui.core import events
from hooktui.core.model import Event
from hooktui.stack.contexts import FailureHookContext, HookContext, StepHookContext, StopHookContext, ToolHookContext

HOST = hosts.IN_PROCESS.name
_MAX_DEPTH = 100  # levels; deeper values could overflow the stack of a reader
_MAX_BITS = 14_284  # the most that Python converts to decimal: 4300 digits


def event_of(context: HookContext[Any], session_id: str, project: str) -> Event:
    """Convert a context to an event of JSON values (see `json_value`). Never raises."""
    fields = json_value(_fields(context))
    common = {"event_type": context.event.value, "session_id": session_id, "work_dir": project}
    return Event(
        name=events.canonical(context.event.value) or context.event.value,
        as_written=context.event.value,
        known=True,
        host=HOST,
        session_id=session_id,
        work_dir=project,
        timestamp=time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        tool_name=fields.get("tool_name"),
        tool_input=fields.get("tool_input"),
        fields=fields,
        payload=common | fields,
    )


def json_value(value: Any, ancestors: tuple[int, ...] = ()) -> Any:
    """Copy a value as JSON types; `ancestors` are the ids of the enclosing containers.

    Anything that JSON cannot represent becomes its repr: NaN and infinity, other objects, cycles and values below 100 levels.
    Keys become strings.
    """
    if not isinstance(value, (dict, list, tuple)):
        return _scalar(value)
    if id(value) in ancestors or len(ancestors) == _MAX_DEPTH:
        return _repr(value)
    ancestors = (*ancestors, id(value))
    if isinstance(value, dict):
        items = tuple(value.items())  # at once: another thread of the agent may change the dict
        return {str(json_value(key)): json_value(item, ancestors) for key, item in items}
    return [json_value(item, ancestors) for item in value]


def _scalar(value: Any) -> Any:
    """Strip subclasses: a StrEnum member becomes a plain string."""
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str):
        return str.__str__(value)
    if isinstance(value, int) and value.bit_length() <= _MAX_BITS:
        return int(value)
    if isinstance(value, float) and math.isfinite(value):
        return float(value)
    return _repr(value)


def _repr(value: object) -> str:
    try:
        return repr(value)
    except Exception as error:  # noqa: BLE001  # the agent's __repr__ may raise; recording must not break the agent
        return f"<{type(value).__name__}, whose repr raises {type(error).__name__}>"


def error_text(error: object) -> str:
    """The message of an exception, or its type; never empty."""
    try:
        return str(error) or type(error).__name__
    except Exception:  # noqa: BLE001  # the agent's __str__ may raise
        return type(error).__name__


def metadata_texts(context: HookContext[Any], key: str) -> tuple[str, ...]:
    """The texts under a metadata key: `additional_context` for the model, `system_messages` for the user."""
    value = context.get(key, ())
    return (value,) if isinstance(value, str) else tuple(value)


def _fields(context: HookContext[Any]) -> dict[str, Any]:
    """The event's own fields, with AgentHooks names where they exist."""
    if isinstance(context, ToolHookContext):
        return _tool_fields(context)
    if isinstance(context, StepHookContext):
        step = {} if context.step is None else {"step": context.step}
        return {"step_index": context.step_index, **step}
    if isinstance(context, StopHookContext):
        return {"stop_reason": context.stop_reason}
    if isinstance(context, FailureHookContext):
        return {"error": f"{context.error_class}: {error_text(context.exception)}"}
    return {}


def _tool_fields(context: ToolHookContext[Any]) -> dict[str, Any]:
    call, execution = context.tool_call, context.execution
    fields: dict[str, Any] = {"tool_name": str(call.name), "tool_input": call.args}
    if call.id is not None:
        fields["tool_use_id"] = call.id
    if execution is None:
        return fields
    if execution.error is not None:
        return {**fields, "error": error_text(execution.error)}
    return {**fields, "tool_output": execution.result}
