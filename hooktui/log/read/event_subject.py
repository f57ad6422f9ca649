"""The subject of an event as one text: a tool call's command or file, a prompt, a final message, an error."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from typing import Any

from hooktui.core import paths

_INPUTS = ("tool_input", "toolArgs")  # where hosts put a tool's input (formats.md §3)
_INPUT_FIELDS = (
    "command", "file_path", "filePath", "path", "notebook_path", "url", "pattern", "query", "description", "prompt",
)  # fmt: skip
_EVENT_FIELDS = (
    "prompt", "final_message.content", "last_assistant_message", "final_output", "task_description", "message", "error",
    "trigger", "source", "exit_reason", "reason",
)  # fmt: skip
# Truncated JSON: Copilot's input, and whole payloads in older logs.
_IN_TRUNCATED = re.compile(rf'"(?:{"|".join(_INPUT_FIELDS[:6])})"\s?:\s?("(?:[^"\\]|\\.){{1,4000}}")')


def of_payload(payload: Any) -> str:
    """The subject of a payload, "" without one. A string is a payload that an older log truncated."""
    if isinstance(payload, str):
        return _of_truncated(payload)
    tool_input = tool_input_of(payload)
    if tool_input is None:
        return _first(_at(payload, path) for path in _EVENT_FIELDS)
    if isinstance(tool_input, str):
        return _of_truncated(tool_input) or tool_input
    return _first([*(_at(tool_input, name) for name in _INPUT_FIELDS), tool_input])


def _of_truncated(text: str) -> str:
    match = _IN_TRUNCATED.search(text)
    return str(parsed(match[1])) if match else ""


def near(subject: str, project: str) -> str:
    """A subject; the path of a file in the project begins there."""
    return subject if " " in subject else paths.near(subject, project)


def of_stored(text: str) -> str:
    """The subject of a payload as the log stores it."""
    return of_payload(parsed(text))


def tool_input_of(payload: Any) -> Any:
    """The tool's input, wherever the host puts it; None without one."""
    tool_input = next((payload[name] for name in _INPUTS if name in payload), None) if isinstance(payload, dict) else None
    return parsed(tool_input) if isinstance(tool_input, str) else tool_input


def _at(value: Any, path: str) -> Any:
    """The value at a dotted path of keys; None if missing."""
    for key in path.split("."):
        value = value.get(key) if isinstance(value, dict) else None
    return value


def _first(values: Iterable[Any]) -> str:
    """The first string that is not empty, at any depth."""
    for value in values:
        if isinstance(value, str) and value:
            return value
        children = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
        if text := _first(children):
            return text
    return ""


def parsed(text: str) -> Any:
    """The value of a JSON text; the text itself if it is not valid JSON."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text
