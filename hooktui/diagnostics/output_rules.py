"""Answers in a hook's text that a host rejects or misses (formats.md §3, "What goes wrong between hosts").

Only literal answers are checked.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from hooktui import hosts
from hooktui.core import events
from hooktui.core.events import GATE
from hooktui.core.model import Diagnostic
from hooktui.diagnostics.exit_rules import exits_2, fails
from hooktui.diagnostics.script_text import ScriptText
from hooktui.formats.node import Span
from hooktui.hosts import Host

# A key and its value in JSON, in jq, and in a literal of Python or JavaScript.
_KEY = r"[\"']?\b{0}[\"']?\s*:\s*"
_SPECIFIC = re.compile(_KEY.format("hookSpecificOutput") + r"\{")
_PERMISSION = re.compile(_KEY.format("permissionDecision") + r"[\"'](?P<word>\w+)[\"']")
_PERMISSIONS = ("allow", "deny", "ask", "defer")
_REFUSAL = re.compile(
    _KEY.format("decision") + r"[\"'](?P<word>den(?:y|ied)|reject(?:ed)?|block(?:ed)?|refused?|forbid|no|stop)[\"']"
)
_PERMITTED = re.compile(_KEY.format("decision") + r"[\"'](?P<word>ask|allow)[\"']")
_REASON = re.compile(_KEY.format("reason"))
_NEAR = 200  # characters between a decision and its reason
_EVENT_NAME = re.compile(_KEY.format("hookEventName") + r"[\"'](?P<word>\w+)[\"']")
_ASK = re.compile(_KEY.format("permissionDecision") + r"[\"']ask[\"']")
_BLOCK = re.compile(_KEY.format("decision") + r"[\"']block[\"']")
# Events on which `decision` is read, and nothing else means a refusal.
_DECIDED = ("pre-tool-call", "post-tool-call", "pre-agent-turn", GATE, "post-subagent")
_LONGEST_LITERAL = 4_000
_NAME = "hookEventName"
_NAMED = {_NAME: "PreToolUse"}


class Fault(NamedTuple):
    """A problem of a hook or its answer. `field` is the HOOK.md field that causes it, empty for the script."""

    code: str
    message: str
    hint: str = ""
    hosts: tuple[str, ...] = ()
    field: str = ""


def rejected(script: ScriptText) -> Iterator[Diagnostic]:
    """A literal answer that some hosts reject, so that the action proceeds; the first one of a text."""
    text = _unescaped(script.text)
    for match, fault in _rejections(script, text):
        if fault.hosts:
            yield _at(script, match, fault)
            break
    asked = _ASK.search(text)
    if asked and (fault := asking(script.readers)).hosts:
        yield _at(script, asked, fault)


def _rejections(script: ScriptText, text: str) -> Iterator[tuple[re.Match[str], Fault]]:
    """The answers in a text that hosts may reject, each with the fault."""
    nested = list(_specific(text))
    for start, end in nested:
        decision = _PERMISSION.search(text, start, end)
        if decision and _NAME not in text[start:end]:
            yield decision, without_event_name(script.readers)
    if script.hook.event == "pre-tool-call":
        unknown = (match for match in _PERMISSION.finditer(text) if match["word"] not in _PERMISSIONS)
        for match in unknown:
            subject, hint = f"permissionDecision {match['word']}", "write deny, allow or ask"
            yield match, _unknown(subject, hint, script.readers, "the tool call proceeds")
    else:
        yield from _permissions_elsewhere(script, text, nested)
    yield from _wrong_refusals(script, text)
    yield from _wrong_permissions(script, text)
    yield from _wrong_names(script, text, nested)


def _permissions_elsewhere(script: ScriptText, text: str, nested: Sequence[Span]) -> Iterator[tuple[re.Match[str], Fault]]:
    """The permission decisions on an event where a host rejects an answer that has one."""
    written = script.hook.event_as_written
    for match in (match for match in _PERMISSION.finditer(text) if _is_inside(match, nested)):
        plain, answer = (
            json.dumps({"hookSpecificOutput": {_NAME: written, **decision}})
            for decision in ({}, {"permissionDecision": match["word"]})
        )
        deaf = [spec for spec in script.readers if _rejects(spec, written, answer) and not _rejects(spec, written, plain)]
        yield match, _unknown("permissionDecision", "leave it out", deaf, "the answer has no effect")


def _rejects(spec: Host, written: str, answer: str) -> bool:
    return hosts.interpret(spec.name, written, 0, answer).state == "invalid-output"


def _wrong_refusals(script: ScriptText, text: str) -> Iterator[tuple[re.Match[str], Fault]]:
    """The refusals in words that a host does not know, unless the text also blocks in another way."""
    if script.hook.event not in _DECIDED or exits_2(text) or _BLOCK.search(text) or _PERMISSION.search(text):
        return
    for match in _REFUSAL.finditer(text):
        if not _REASON.search(text, max(0, match.start() - _NEAR), match.end() + _NEAR):
            continue  # an entry of a log, for example
        deaf = [spec for spec in script.readers if match["word"] not in spec.decisions]
        yield match, _unknown(f"decision {match['word']}", 'write "block"', deaf, "the action proceeds")


def _wrong_permissions(script: ScriptText, text: str) -> Iterator[tuple[re.Match[str], Fault]]:
    """The words of `permissionDecision` in another key, where a host rejects them."""
    if script.hook.event != "pre-tool-call" or _PERMISSION.search(text):
        return
    for match in _PERMITTED.finditer(text):
        word = match["word"]
        answer = json.dumps({"decision": word, "reason": "a reason"})
        deaf = [spec for spec in script.readers if _rejects(spec, script.hook.event_as_written, answer)]
        effect = "the tool call proceeds" if word == "ask" else "the answer has no effect"
        yield match, _unknown(f"decision {word}", f'print "permissionDecision": "{word}"', deaf, effect)


def _wrong_names(script: ScriptText, text: str, nested: Sequence[Span]) -> Iterator[tuple[re.Match[str], Fault]]:
    """The answers with the name of another event, unless the text looks at the event."""
    hook = script.hook
    expected = events.spelling(hook.event, "pascal") or hook.event
    names = [match for match in _EVENT_NAME.finditer(text) if _is_inside(match, nested)]
    if hook.agent or "hook_event_name" in text or any(match["word"] == expected for match in names):
        return
    for match in names:
        answer = f'{{"hookSpecificOutput": {{"hookEventName": "{match["word"]}"}}}}'
        rejecting = [spec for spec in script.readers if _rejects(spec, hook.event_as_written, answer)]
        yield match, _unknown(f"hookEventName {match['word']}", f"write {expected}", rejecting, "the answer has no effect")


def _at(script: ScriptText, match: re.Match[str], fault: Fault) -> Diagnostic:
    return script.warn(fault.code, fault.message, match.span(), fault.hint).replace(hosts=fault.hosts)


def without_event_name(readers: Sequence[Host]) -> Fault:
    """A permission decision without `hookEventName`, to those of some hosts that reject it."""
    rejecting = [spec for spec in readers if _decides(spec, "deny", _NAMED) and not _decides(spec, "deny", {})]
    hint = 'add "hookEventName": "PreToolUse" next to it'
    return _rejection("permissionDecision without hookEventName", hint, rejecting)


def asking(readers: Sequence[Host]) -> Fault:
    """A decision to ask the user, to those of some hosts that reject it."""
    rejecting = [spec for spec in readers if _decides(spec, "deny", _NAMED) and not _decides(spec, "ask", _NAMED)]
    return _rejection("permissionDecision ask", "deny with a reason instead", rejecting)


def _decides(spec: Host, permission: str, name: Mapping[str, str]) -> bool:
    specific = {**name, "permissionDecision": permission, "permissionDecisionReason": "a reason"}
    event = spec.spelling("pre-tool-call") or "PreToolUse"
    return hosts.interpret(spec.name, event, 0, json.dumps({"hookSpecificOutput": specific})).outcome.decision != "none"


def _rejection(subject: str, hint: str, rejecting: Sequence[Host]) -> Fault:
    """Such as "Claude Code rejects …" or "Claude Code and Codex CLI reject …"."""
    verb = "rejects" if len(rejecting) == 1 else "reject"
    return _fault(rejecting, f"{verb} {subject}: the tool call proceeds", hint)


def _unknown(subject: str, hint: str, deaf: Sequence[Host], effect: str) -> Fault:
    """A word that is not among those that some hosts accept here."""
    return _fault(deaf, f"{'does' if len(deaf) == 1 else 'do'} not accept {subject} here: {effect}", hint)


def _fault(readers: Sequence[Host], behavior: str, hint: str) -> Fault:
    titles = " and ".join(spec.title for spec in readers)
    return Fault("host-rejects-output", f"{titles} {behavior}", hint, tuple(spec.name for spec in readers))


def missing_block(readers: Sequence[Host], *, at_top: bool, nested: bool) -> Fault | None:
    """A Stop block where one of some hosts does not look; None if all of them see it."""
    if at_top == nested:
        return None
    place, expected = ("top", "inside hookSpecificOutput") if at_top else ("nested", "at the top level")
    for spec in readers:
        if place not in spec.block_at:
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
    """A permission decision where a host does not look, or a `decision` that it does not read, if no exit code denies."""
    if exits_2(text):
        return
    answers = list(_PERMISSION.finditer(text))
    decisions = [answer for answer in answers if answer["word"] != "allow"]
    block = None if answers else _REFUSAL.search(text)
    for spec in (spec for spec in script.readers if not (spec.fails_closed(script.hook.event) and fails(text))):
        inside = [_is_inside(decision, nested) for decision in decisions]
        fault = _unread_decision(spec, script, text, inside) if block or decisions else None
        if fault and (match := block or next(iter(decisions), None)):
            yield _at(script, match, fault)


def _unread_decision(spec: Host, script: ScriptText, text: str, inside: Sequence[bool]) -> Fault | None:
    """What a host does not read in an answer before a tool; `inside` tells which permission decisions are nested."""
    written, event = script.hook.event_as_written, script.hook.event
    if not inside:
        obeyed = spec.obeys(written)
        unread = event in spec.no_decision_on or (obeyed is not None and "decision" not in obeyed)
        message = f"{spec.title} does not read decision on {written}: the tool runs"
        return Fault("host-misses-block", message, 'print "permissionDecision": "deny"', (spec.name,)) if unread else None
    is_camel = spec.is_camel_case(written)
    if not spec.permission_at:
        where, hint = "", 'print "decision": "deny" and "reason" at the top level'
    elif is_camel and all(inside):
        where, hint = "at the top level", "print permissionDecision and permissionDecisionReason outside of hookSpecificOutput"
    elif not is_camel and "top" not in spec.permission_at and "hookSpecificOutput" not in text:
        where, hint = "inside hookSpecificOutput", 'print {"hookSpecificOutput": {"hookEventName": "PreToolUse", …}}'
    else:
        return None
    reads = f"reads permissionDecision on {written} only {where}" if where else "does not read permissionDecision"
    return Fault("host-misses-block", f"{spec.title} {reads}: the tool runs", hint, (spec.name,))


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
