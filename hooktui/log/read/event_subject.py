"""What an event was about, in one text: the command or file of a tool call, a prompt, a last message, an error."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

_INPUTS = ("tool_input", "toolArgs")  # where hosts put a tool's input (formats.md §3)
_OF_INPUT = ("command", "file_path", "filePath", "path", "notebook_path", "url", "pattern", "query", "description", "prompt")
_OF_EVENT = (
    "prompt", "final_message.content", "last_assistant_message", "final_output", "task_description", "message", "error",
    "trigger", "source", "exit_reason", "reason",
)  # fmt: skip
# The same in a text that was JSON until it was cut: Copilot's input, and in older logs the whole payload.
_IN_A_CUT_ONE = re.compile(rf'"(?:{"|".join(_OF_INPUT[:6])})"\s?:\s?("(?:[^"\\]|\\.){{1,4000}}")')


def of_payload(payload: Any) -> str:
    """The subject of what a host sent; "" when it has none. A text is a payload that an older log has cut."""
    if isinstance(payload, str):
        return _of_cut(payload)
    tool_input = tool_input_of(payload)
    if tool_input is None:
        return _first(_at(payload, path) for path in _OF_EVENT)
    if isinstance(tool_input, str):
        return _of_cut(tool_input) or tool_input
    return _first([*(_at(tool_input, name) for name in _OF_INPUT), tool_input])


def _of_cut(text: str) -> str:
    found = _IN_A_CUT_ONE.search(text)
    return str(_json(found[1])) if found else ""


def of_stored(text: str) -> str:
    """The same of a payload as the log holds it."""
    return of_payload(_json(text))


def tool_input_of(payload: Any) -> Any:
    """The tool's input, in whichever field the host puts it; None without one."""
    given = next((payload[name] for name in _INPUTS if name in payload), None) if isinstance(payload, dict) else None
    return _json(given) if isinstance(given, str) else given


def _at(value: Any, path: str) -> Any:
    """What stands under keys that are joined by dots; None when there is no such thing."""
    for key in path.split("."):
        value = value.get(key) if isinstance(value, dict) else None
    return value


def _first(values: Iterable[Any]) -> str:
    """The first text that is not empty, at any depth."""
    for value in values:
        if isinstance(value, str) and value:
            return value
        inside = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
        if found := _first(inside):
            return found
    return ""


def _json(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text
