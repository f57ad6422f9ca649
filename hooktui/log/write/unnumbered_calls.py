"""Tool calls of hosts whose hooks get no id of the call: a record and a transcript share only the tool and its input."""

from __future__ import annotations

from typing import Any

from hooktui.core import fast_json

_TOOL, _INPUT = ("tool_name", "toolName"), ("tool_input", "toolArgs")
_ID = "tool_use_id"


def of_record(payload: str) -> str:
    """What identifies the call of a stored payload that a hook got; "" if it has an id, or cannot be read."""
    value = _value(payload)
    return "" if value.get(_ID) else _call(value)


def of_transcript(payload: str) -> str:
    """What identifies the call of a stored payload that was made from a transcript; "" if it cannot be read."""
    return _call(_value(payload))


def _value(payload: str) -> dict[str, Any]:
    try:
        value = fast_json.loads(payload)
    except (ValueError, RecursionError):
        return {}  # it was too long to be stored whole
    return value if isinstance(value, dict) else {}


def _call(value: dict[str, Any]) -> str:
    names = [next((value[key] for key in keys if key in value), None) for keys in (_TOOL, _INPUT)]
    return fast_json.dumps(names) if names[0] else ""
