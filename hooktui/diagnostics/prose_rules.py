"""Rules about what a hook's description and text promise."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from hooktui.core.model import HookDirectory
from hooktui.diagnostics.rule_context import at_field, at_span
from hooktui.formats.file_notes import Notes

if TYPE_CHECKING:
    from collections.abc import Iterator

    from hooktui.core.model import Diagnostic, Hook
    from hooktui.diagnostics.rule_context import Snapshot
    from hooktui.formats.node import Span

# Events after which nothing can be blocked and no agent reads a reason.
OVER = frozenset({"post-session", "post-agent-turn", "post-agent-turn-stop", "post-context-compact"})

# A verb of blocking with the hook as its subject: at the start of a sentence or after a word for the hook. "Formats code
# blocks" does not count, nor does a negation ("never blocks").
_PROMISE = re.compile(
    r"(?:(?:\A|[.!?:;\n]|[-*#>])\s*|\b(?:hook|guard|gate|script|it|this|that|which|will|must|to|and|or|also|then)\s+)"
    r"(?:blocks?|den(?:y|ies)|rejects?|forbids?|refuses?|prevents?|vetoes)\b(?!\s*(?:list|quote|comment|of\b|level))",
    re.IGNORECASE,
)
_FENCED = re.compile(r"^(```+|~~~+).*?^\1", re.MULTILINE | re.DOTALL)
_FRONT = re.compile(r"\s*---[ \t]*\r?\n.*?^---[ \t]*\r?$", re.MULTILINE | re.DOTALL)


def contradicts(catalog: Snapshot) -> Iterator[Diagnostic]:
    """A hook promises to block but cannot."""
    for hook in catalog.hooks:
        why = _cannot_block(hook)
        if why and isinstance(hook.source, HookDirectory):
            yield from _contradiction(hook, why)


def promises_to_block(hook: Hook) -> bool:
    """Whether the name or description says that the hook blocks."""
    return bool(_PROMISE.search(hook.description) or _PROMISE.match(hook.name.replace("-", " ")))


def _contradiction(hook: Hook, why: str) -> Iterator[Diagnostic]:
    hint = "make it block, or describe what it does"
    if _PROMISE.search(hook.description):
        message = f"the description promises to block, but {why}"
        yield at_field(hook, "description", "warning", "prose-contradicts", message, hint)
        return
    span = _promise_in_body(hook.text)
    if span:
        notes = Notes(hook.file, hook.text)
        yield at_span(hook, notes, span, "warning", "prose-contradicts", f"the text promises to block, but {why}", hint)


def _cannot_block(hook: Hook) -> str:
    if hook.is_async:
        return "an async hook cannot block"
    return f"{hook.event} comes too late to block anything" if hook.event in OVER else ""


def _promise_in_body(text: str) -> Span | None:
    front = _FRONT.match(text)
    # Blanked, not removed: offsets must match the file.
    promise = _PROMISE.search(_blanked(_FENCED, text), front.end() if front else 0)
    if promise is None:
        return None
    words = re.search(r"\w.*", promise.group(), re.DOTALL)
    return (promise.start() + (words.start() if words else 0), promise.end())


def _blanked(pattern: re.Pattern[str], text: str) -> str:
    return pattern.sub(lambda match: " " * len(match.group()), text)
