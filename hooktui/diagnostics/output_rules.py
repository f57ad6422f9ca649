"""Answers in a hook's text that a host rejects or misses (formats.md §3, "What goes wrong between hosts").

Only literal answers are checked.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hooktui import hosts
from hooktui.core.events import GATE
from hooktui.diagnostics.exit_rules import EXIT_2

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from hooktui.core.model import Diagnostic
    from hooktui.diagnostics.script_text import ScriptText
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


@dataclass(frozen=True, slots=True)
class Fault:
    """A problem of a hook or its answer. `field` is the HOOK.md field that causes it, empty for the script."""

    code: str
    message: str
    hint: str = ""
    hosts: tuple[str, ...] = ()
    field: str = ""


def rejected(script: ScriptText) -> Iterator[Diagnostic]:
    """A permission decision that some hosts reject, so that the tool call proceeds."""
    text = _unescaped(script.text)
    for start, end in _specific(text):
        decision = _PERMISSION.search(text, start, end)
        fault = without_event_name(script.readers)
        if decision and _NAME not in text[start:end] and fault.hosts:
            yield _at(script, decision, fault)
            break
    asked = _ASK.search(text)
    if asked and (fault := asking(script.readers)).hosts:
        yield _at(script, asked, fault)


def _at(script: ScriptText, match: re.Match[str], fault: Fault) -> Diagnostic:
    return script.warn(fault.code, fault.message, match.span(), fault.hint).replace(hosts=fault.hosts)


def without_event_name(readers: Sequence[HostSpec]) -> Fault:
    """A permission decision without `hookEventName`, to those of some hosts that reject it."""
    rejecting = [spec for spec in readers if spec.speech.needs_event_name]
    hint = 'add "hookEventName": "PreToolUse" next to it'
    return _rejection("permissionDecision without hookEventName", hint, rejecting)


def asking(readers: Sequence[HostSpec]) -> Fault:
    """A decision to ask the user, to those of some hosts that reject it."""
    rejecting = [spec for spec in readers if spec.speech.rejects_ask]
    return _rejection("permissionDecision ask", "deny with a reason instead", rejecting)


def _rejection(subject: str, hint: str, rejecting: Sequence[HostSpec]) -> Fault:
    """Such as "Claude Code rejects …" or "Claude Code and Codex CLI reject …"."""
    verb = "rejects" if len(rejecting) == 1 else "reject"
    message = f"{' and '.join(spec.title for spec in rejecting)} {verb} {subject}: the tool call proceeds"
    return Fault("host-rejects-output", message, hint, tuple(spec.name for spec in rejecting))


def missing_block(readers: Sequence[HostSpec], *, at_top: bool, nested: bool) -> Fault | None:
    """A Stop block where one of some hosts does not look; None if all of them see it."""
    if at_top == nested:
        return None
    place, expected = ("top", "inside hookSpecificOutput") if at_top else ("nested", "at the top level")
    for spec in readers:
        if place not in spec.speech.block_at:
            message = f"{spec.title} reads a Stop block only {expected} and misses this one"
            hint = "write decision and reason in both places, or exit 2 with the reason on stderr"
            return Fault("host-misses-block", message, hint, (spec.name,))
    return None


def missed(script: ScriptText) -> Iterator[Diagnostic]:
    """A Stop block, or a denied tool, where a host does not look."""
    text = _unescaped(script.text)
    nested = list(_specific(text))
    if script.hook.event == "pre-tool-call":
        yield from _missed_decision(script, text, nested)
    if script.hook.event != GATE:
        return
    blocks = list(_BLOCK.finditer(text))
    inner = [block for block in blocks if _is_inside(block, nested)]
    if not blocks or (inner and len(inner) < len(blocks)):
        return
    if fault := missing_block(script.readers, at_top=not inner, nested=bool(inner)):
        yield _at(script, blocks[0], fault)


def _missed_decision(script: ScriptText, text: str, nested: Sequence[Span]) -> Iterator[Diagnostic]:
    """A permission decision only inside hookSpecificOutput, on an event whose answers are read at the top level."""
    spec, written = hosts.spec(script.hook.format), script.hook.event_as_written
    decisions = list(_PERMISSION.finditer(text))
    if not spec.speech.camel_answers_at_top or not written[:1].islower() or EXIT_2.search(text):
        return
    if decisions and all(_is_inside(decision, nested) for decision in decisions):
        message = f"{spec.title} reads permissionDecision on {written} only at the top level: the tool runs"
        hint = "print permissionDecision and permissionDecisionReason outside of hookSpecificOutput"
        yield _at(script, decisions[0], Fault("host-misses-block", message, hint, (spec.name,)))


def _is_inside(match: re.Match[str], spans: Sequence[Span]) -> bool:
    return any(start <= match.start() < end for start, end in spans)


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
