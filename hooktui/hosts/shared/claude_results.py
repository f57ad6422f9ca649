"""Results that hooks of Claude Code give to the model in place of a tool's own (run, 2.1.197 and 2.1.332)."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from hooktui.core.model import Event

_KEY = "updatedToolOutput"
_OPTIONAL = {"Bash": ("isImage", "noOutputExpected"), "Write": ("userModified",)}


def rewrite(event: Event, answer: dict[str, Any], problems: list[str]) -> Mapping[str, Any] | None:
    """The changed result in an answer, {} if Claude Code ignores it, None without one."""
    specific = answer.get("hookSpecificOutput")
    if not isinstance(specific, dict) or _KEY not in specific:
        return None
    result, own = specific[_KEY], event.payload.get("tool_response")
    if isinstance(result, dict) if own is None else _has_form(result, own, event.tool_name or ""):
        return {"tool_response": result}
    if own is not None:
        problems.append(f"{_KEY} must have the form of the tool's own result: ignored")
    return {}


def _has_form(result: Any, own: Any, tool: str) -> bool:
    """Whether a result has all keys of the tool's own, with values of the same types; what is null there may be anything."""
    if not isinstance(own, dict) or not isinstance(result, dict):
        return type(result) is type(own)
    needed = own.keys() - _OPTIONAL.get(tool, ())
    return needed <= result.keys() and all(
        value is None or type(result.get(key, value)) is type(value) for key, value in own.items()
    )
