"""The form of a HOOK.md (formats.md §2)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hooktui.core import events
from hooktui.formats import form_fields
from hooktui.formats.agenthooks import frontmatter
from hooktui.formats.agenthooks.fields import FIELDS
from hooktui.formats.form_fields import FormField

if TYPE_CHECKING:
    from hooktui.core.model import Hook

_TIMEOUT, _PRIORITY = FIELDS["timeout"], FIELDS["priority"]
_ALWAYS = (
    FormField(
        "Name", "name", required=True, help="1 to 64 characters; other hosts want a-z, 0-9 and hyphens, as the directory"
    ),
    FormField("Event", "trigger", "choice", choices=events.TRIGGERS, required=True, help="when the hook runs"),
    FormField("About", "description", required=True, help="what it does, for people and agents; 1 to 1024 characters"),
)
_TOOL = (
    FormField("Tool", "matcher.tool", "regex", "any tool", help="a regex, found anywhere in the tool's name"),
    FormField("Pattern", "matcher.pattern", "regex", "any input", help="a regex, found in any text of the tool's input"),
)
_REST = (
    FormField(
        *("Timeout", "timeout", "number", str(_TIMEOUT.default), "ms"),
        whole=True,
        help=f"milliseconds, {_TIMEOUT.low} to {_TIMEOUT.high}; the hook is ended then",
    ),
    FormField(
        *("Priority", "priority", "number", str(_PRIORITY.default)),
        whole=True,
        help=f"{_PRIORITY.low} to {_PRIORITY.high}; high ones run first",
    ),
    FormField("Async", "async", "flag", "false", help="the agent does not wait, and the hook can neither block nor change"),
)


def fields(text: str, hook: Hook) -> tuple[FormField, ...]:
    """The form of the HOOK.md in `text`. Raises ValueError when its frontmatter cannot be read."""
    head, faults = frontmatter.read(text)
    if head is None or faults:
        raise ValueError(f"the frontmatter must be mended first: {faults[0].message}")
    has_matcher = hook.event in events.TOOL_EVENTS or head.root.entry("matcher") is not None
    return tuple(form_fields.filled((*_ALWAYS, *(_TOOL if has_matcher else ()), *_REST), head.root))
