"""Answers in a hook's text that a host rejects or misses (formats.md §3, "What goes wrong between hosts").

Only literal answers are checked.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from hooktui import hosts
from hooktui.core.events import GATE

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from hooktui.core.model import Diagnostic, Hook
    from hooktui.diagnostics.script_rules import ScriptText
    from hooktui.formats.node import Span
    from hooktui.hosts import HostSpec

# A key and its value in JSON, in jq, and in a literal of Python or JavaScript.
_KEY = r"[\"']?\b{0}[\"']?\s*:\s*"
_SPECIFIC = re.compile(_KEY.format("hookSpecificOutput") + r"\{")
_PERMISSION = re.compile(_KEY.format("permissionDecision") + r"[\"'](?:allow|deny|ask)[\"']")
_ASK = re.compile(_KEY.format("permissionDecision") + r"[\"']ask[\"']")
_BLOCK = re.compile(_KEY.format("decision") + r"[\"']block[\"']")
_LONGEST_LITERAL = 4_000
_NAME = "hookEventName"


def rejected(script: ScriptText) -> Iterator[Diagnostic]:
    """A permission decision that some hosts reject, so that the tool call proceeds."""
    text = _unescaped(script.text)
    for start, end in _specific(text):
        decision = _PERMISSION.search(text, start, end)
        if decision and _NAME not in text[start:end]:
            rejection = without_event_name()
            yield script.warn("host-rejects-output", rejection.message, decision, rejection.hint).replace(hosts=rejection.hosts)
            break
    asked = _ASK.search(text)
    if asked and (rejection := asking()).hosts:
        yield script.warn("host-rejects-output", rejection.message, asked, rejection.hint).replace(hosts=rejection.hosts)


class Rejection(NamedTuple):
    """Why hosts reject an answer, and which."""

    message: str
    hint: str
    hosts: tuple[str, ...]


def without_event_name() -> Rejection:
    """A permission decision without `hookEventName`."""
    rejecting = [spec for spec in hosts.specs() if spec.speech.needs_event_name]
    message = f"{_reject(rejecting)} permissionDecision without hookEventName: the tool call proceeds"
    return Rejection(message, 'add "hookEventName": "PreToolUse" next to it', tuple(spec.name for spec in rejecting))


def asking() -> Rejection:
    """A decision to ask the user."""
    rejecting = [spec for spec in hosts.specs() if spec.speech.rejects_ask]
    message = f"{_reject(rejecting)} permissionDecision ask: the tool call proceeds"
    return Rejection(message, "deny with a reason instead", tuple(spec.name for spec in rejecting))


def _reject(rejecting: Sequence[HostSpec]) -> str:
    """ "Claude Code rejects", or "Claude Code and Codex CLI reject"."""
    titles = " and ".join(spec.title for spec in rejecting)
    return f"{titles} {'rejects' if len(rejecting) == 1 else 'reject'}"


def missing_block(hook: Hook, *, at_top: bool, nested: bool) -> Rejection | None:
    """A Stop block where a host of the hook does not look; None if all hosts see it."""
    hint = "write decision and reason in both places, or exit 2 with the reason on stderr"
    for spec in _misses_block(hook):
        if at_top and not nested and "top" not in spec.speech.block_at:
            message = f"{spec.title} reads a Stop block only inside hookSpecificOutput and misses this one"
            return Rejection(message, hint, (spec.name,))
        if nested and not at_top and "nested" not in spec.speech.block_at:
            message = f"{spec.title} reads a Stop block only at the top level and misses this one"
            return Rejection(message, hint, (spec.name,))
    return None


def _misses_block(hook: Hook) -> Iterator[HostSpec]:
    """The hosts of the hook that look for a block in one place only."""
    return (spec for spec in hosts.readers(hook.format) if len(spec.speech.block_at) == 1)


def missed(script: ScriptText) -> Iterator[Diagnostic]:
    """A Stop block where a host does not look."""
    if script.hook.event != GATE:
        return
    text = _unescaped(script.text)
    nested = list(_specific(text))
    blocks = list(_BLOCK.finditer(text))
    inner = [block for block in blocks if any(start <= block.start() < end for start, end in nested)]
    if not blocks or (inner and len(inner) < len(blocks)):
        return
    if rejection := missing_block(script.hook, at_top=not inner, nested=bool(inner)):
        yield script.warn("host-misses-block", rejection.message, blocks[0], rejection.hint).replace(hosts=rejection.hosts)


def _specific(text: str) -> Iterator[Span]:
    """The spans of hookSpecificOutput objects, braces included. Unclosed ones are left out."""
    for match in _SPECIFIC.finditer(text):
        depth = 0
        for brace in re.finditer(r"[{}]", text[match.end() - 1 : match.end() + _LONGEST_LITERAL]):
            depth += 1 if brace.group() == "{" else -1
            if depth == 0:
                yield match.end() - 1, match.end() - 1 + brace.end()
                break


def _unescaped(text: str) -> str:
    r"""The text with `\"` as `"`, as long as before."""
    return text.replace('\\"', ' "')
