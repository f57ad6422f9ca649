"""A context as the event that the log, and the hooks on disk, know (formats.md §1, column "in-process")."""

from __future__ import annotations

import math
import time
from typing import TYPE_CHECKING, Any

from hooktui.core import events
from hooktui.core.model import Event
from hooktui.stack.contexts import FailureHookContext, StepHookContext, StopHookContext, ToolHookContext

if TYPE_CHECKING:
    from hooktui.stack.contexts import HookContext

HOST = "python"
_DEEPEST = 100  # levels: nobody who reads the event may run out of stack
_LARGEST_BITS = 14_284  # Python writes no integer of more than 4300 digits


def event_of(context: HookContext[Any], session_id: str, project: str) -> Event:
    """The event that a context is, in JSON values (see `plain`). Never raises."""
    fields = plain(_fields(context))
    about = {"event_type": context.event.value, "session_id": session_id, "work_dir": project}
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
        payload=about | fields,
    )


def plain(value: Any, above: tuple[int, ...] = ()) -> Any:
    """A value as JSON has it, apart from the one given; `above` are the ids of what it lies in.

    Only what JSON cannot hold becomes its repr, in its place: NaN and infinity, objects of other kinds, what contains itself or
    lies deeper than a hundred levels. A key that is no text becomes one.
    """
    if not isinstance(value, (dict, list, tuple)):
        return _scalar(value)
    if id(value) in above or len(above) == _DEEPEST:
        return _shown(value)
    above = (*above, id(value))
    if isinstance(value, dict):
        entries = tuple(value.items())  # at once: the agent may be changing it in another thread
        return {str(plain(key)): plain(one, above) for key, one in entries}
    return [plain(one, above) for one in value]


def _scalar(value: Any) -> Any:
    """Without what a subclass adds: a member of an enum of texts is its text."""
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str):
        return str.__str__(value)
    if isinstance(value, int) and value.bit_length() <= _LARGEST_BITS:
        return int(value)
    if isinstance(value, float) and math.isfinite(value):
        return float(value)
    return _shown(value)


def _shown(value: object) -> str:
    try:
        return repr(value)
    except Exception as error:  # noqa: BLE001  # anybody's __repr__; to be recorded must not break an agent
        return f"<{type(value).__name__}, whose repr raises {type(error).__name__}>"


def said(error: object) -> str:
    """What an exception, or whatever stands for one, says; never nothing."""
    try:
        return str(error) or type(error).__name__
    except Exception:  # noqa: BLE001  # anybody's __str__
        return type(error).__name__


def texts(context: HookContext[Any], name: str) -> tuple[str, ...]:
    """What hooks left in the metadata for the model, `additional_context`, or the person, `system_messages`: a text or some."""
    left = context.get(name, ())
    return (left,) if isinstance(left, str) else tuple(left)


def _fields(context: HookContext[Any]) -> dict[str, Any]:
    """An event's own values, under AgentHooks names where there are such."""
    if isinstance(context, ToolHookContext):
        return _tool_fields(context)
    if isinstance(context, StepHookContext):
        step = {} if context.step is None else {"step": context.step}
        return {"step_index": context.step_index, **step}
    if isinstance(context, StopHookContext):
        return {"stop_reason": context.stop_reason}
    if isinstance(context, FailureHookContext):
        return {"error": f"{context.error_class}: {said(context.exception)}"}
    return {}


def _tool_fields(context: ToolHookContext[Any]) -> dict[str, Any]:
    call, execution = context.tool_call, context.execution
    fields: dict[str, Any] = {"tool_name": str(call.name), "tool_input": call.args}
    if call.id is not None:
        fields["tool_use_id"] = call.id
    if execution is None:
        return fields
    if execution.error is not None:
        return {**fields, "error": said(execution.error)}
    return {**fields, "tool_output": execution.result}
