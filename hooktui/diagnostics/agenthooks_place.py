"""Diagnostics about a hook as a whole still stand at a place: the value that is to blame, or the line of its event."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hooktui.core.hook_source import HookDirectory
from hooktui.core.model import Diagnostic
from hooktui.formats.agenthooks import frontmatter
from hooktui.formats.problems import Notes

if TYPE_CHECKING:
    from hooktui.core.model import Fix, Hook, Severity
    from hooktui.formats.problems import Span


def at_event(hook: Hook, severity: Severity, code: str, message: str, hint: str = "") -> Diagnostic:
    """A problem at the place where the hook's event is written."""
    return at_field(hook, "trigger", severity, code, message, hint)


def at_field(hook: Hook, field: str, severity: Severity, code: str, message: str, hint: str = "") -> Diagnostic:
    """A problem at the value of a HOOK.md field; for other formats, and where there is no such value, at the hook's line."""
    span = _field(hook.text, field) if isinstance(hook.source, HookDirectory) else None
    if span:
        return at_span(hook, Notes(hook.file, hook.text), span, severity, code, message, hint)
    at = hook.line
    return Diagnostic(
        severity=severity, code=code, message=message, file=hook.file, line=at, end_line=at, hint=hint, hook=hook.id
    )


def at_span(
    hook: Hook, notes: Notes, span: Span, severity: Severity, code: str, message: str, hint: str = "", fix: Fix | None = None
) -> Diagnostic:
    """A problem at a place in one of the hook's files."""
    return notes.diagnostic(severity, code, message, span, hint=hint, fix=fix).replace(hook=hook.id)


def _field(text: str, field: str) -> Span | None:
    """Where the value of a field, dotted when it stands in a mapping, is found in a HOOK.md."""
    head, _ = frontmatter.read(text)
    node = head.root if head else None
    for key in field.split("."):
        entry = node.entry(key) if node else None
        node = entry[1] if entry else None
    return node.span if node else None
