"""Event keys and matchers of a JSON hook file: what each means on its host, and what never fires (formats.md §1, §3)."""

from __future__ import annotations

import json
from collections.abc import Collection
from typing import NamedTuple

from hooktui import hosts
from hooktui.config import suggest
from hooktui.core import events
from hooktui.core.model import Obstacle
from hooktui.formats import regexes
from hooktui.formats.diagnostic_collector import DiagnosticCollector
from hooktui.formats.json_hooks import json_shapes
from hooktui.formats.json_hooks.entry_fields import TOOL_EVENTS, EntryFields, kind_of
from hooktui.formats.node import Node
from hooktui.hosts import Host

_LISTS = ("names", "whole names")
_WITH_EVERYTHING = (*_LISTS, "regex", "exact")
_COMMAND_REGEX = "commandRegex"  # next to a matcher: a regex for the shell's command
_MATCHER_HINT = "names consist of letters, digits, _ and -; separate them with |"


class ResolvedEvent(NamedTuple):
    """The event of a key for a host: the canonical name or the host's own. `known`: the host reads its entries.

    For an unknown key, `event` is the closest known event or empty.
    """

    event: str
    known: bool = True
    obstacles: tuple[Obstacle, ...] = ()


def resolve(key: Node, value: Node, beside: Node, spec: Host, notes: DiagnosticCollector) -> ResolvedEvent:
    """Resolve an event key with its value, among the keys of `beside`. Reports one that never fires."""
    name = key.value
    if name in spec.events:
        return ResolvedEvent(events.canonical(name) or name)
    other = _sharing_host(name, spec, notes.file)
    if other or spec.ignores_event(name):
        message = f"{spec.title} never fires {name}: its hooks " + (f"run only in {other}" if other else "do not run")
        notes.on(spec.name, "info" if other else "warning", "never-fires", message, key.span)
        return ResolvedEvent(events.canonical(name) or name)
    if name in spec.entry.moved_keys:
        message, hint = f"{spec.title} does not read hooks.{name}: the hooks run anyway", f"use {spec.entry.moved_keys[name]}"
        notes.on(spec.name, "warning", "unread-key", message, key.span, hint=hint)
        return ResolvedEvent("", known=False)
    obstacle = Obstacle(skip="invalid", why=f"unknown event {name[:60] or '(empty)'}")
    shown = name[:60] or "(empty)"
    is_fatal = "unknown event" in spec.entry.file_faults
    meant = suggest.event(name, _spelled_alike(key, beside, spec))
    if name == "hooks" and isinstance(value.value, dict) and not set(spec.events).isdisjoint(value.value):
        message = f"{spec.title} ignores hooks inside hooks: nothing below it runs"
        notes.on(spec.name, "warning", "unknown-key", message, key.span, hint="move its events up")
        return ResolvedEvent("", False, (obstacle,))
    if meant is None and not isinstance(value.value, list) and not is_fatal:
        notes.info("unknown-key", f"{shown} is not a {spec.title} event and has no effect", key.span)
        return ResolvedEvent("", False, (obstacle,))
    fix = notes.renaming(key, meant) if meant and _is_alone(key, meant, beside) else None
    hint = f"did you mean {meant}?" if meant else ""
    if meant and isinstance(value.value, str) and not notes.file.endswith(".toml"):
        whole = f"{json.dumps(meant)}: {_whole(value.value, spec)}"  # the name alone would leave another mistake
        hint, fix = f"write {whole}", fix and notes.replacement(f"write {whole}", (key.start, value.end), whole)
    fix = fix and fix.replace(is_guess=suggest.is_guess(name, meant or ""))
    if is_fatal:
        notes.breaks_file(spec, f"{shown} is not an event", key.span, fix, hint=hint)
    else:
        message = f"{shown} is not a {spec.title} event: its hooks never run"
        notes.on(spec.name, "error", "unknown-event", message, key.span, hint=hint, fix=fix)
    event = (events.canonical(meant) or meant) if meant else ""
    return ResolvedEvent(event, False, (obstacle,))


def _sharing_host(event: str, spec: Host, file: str) -> str:
    """The title of another host that keeps hooks in the same directory and fires an event, "" if there is none."""
    others = (other for other in hosts.readers(spec.name) if other is not spec and event in other.events)
    return next((other.title for other in others if any(place.is_directory and place.fits(file) for place in other.files)), "")


def resolve_value(value: Node | None, entry: Node, spec: Host, notes: DiagnosticCollector, *, strict: bool) -> ResolvedEvent:
    """Resolve the event that an entry names itself. `strict`: a wrong one makes the host reject the file."""
    if value is not None and type(value.value) is not str:
        return ResolvedEvent("", obstacles=(Obstacle(skip="invalid", why="its event is not text"),))
    name = value.value if value else ""
    if name in spec.events:
        return ResolvedEvent(events.canonical(name) or name)
    meant = suggest.event(name, spec.events) if name else None
    span = value.span if value else (entry.start, entry.start + 1)
    problem = f"{name[:60] or '(empty)'} is not a {spec.title} event" if value else "event is missing"
    hint = f"did you mean {meant}?" if meant else ""
    fix = notes.instead(value, json.dumps(meant)) if value and meant else None
    if strict:
        notes.breaks_file(spec, problem, span, fix, hint=hint)
    else:
        notes.error("unknown-event" if value else "missing-field", problem, span, hint=hint, fix=fix)
    event = (events.canonical(meant) or meant) if meant else ""
    return ResolvedEvent(event, obstacles=(Obstacle(skip="invalid", why=problem),))


def _whole(command: str, spec: Host) -> str:
    """What a command at an event has to be, in the shape of a host."""
    entry = {"type": "command", "command": command}
    return json.dumps([{"hooks": [entry]}] if spec.entry.shape == "groups" else [entry], ensure_ascii=False)


def _spelled_alike(key: Node, beside: Node, spec: Host) -> Collection[str]:
    """The events of a host in the case of the file's other events, or of the key itself."""
    others = [other.value for other, _ in beside.entries if other is not key and other.value in spec.events]
    if not others and not key.value[:1].islower():
        return spec.events
    is_lower = (others[0] if others else key.value)[:1].islower()
    return [name for name in spec.events if name[:1].islower() == is_lower] or spec.events


def _is_alone(key: Node, meant: str, beside: Node) -> bool:
    """Whether no other key of the file means the same event, which would make both ambiguous."""
    others = (other.value for other, _ in beside.entries if other is not key)
    return all(meant != other and meant != suggest.event(other, (meant,)) for other in others)


def report_twins(node: Node, spec: Host, notes: DiagnosticCollector) -> None:
    """Report two spellings of one event in a file. A host that translates spellings keeps only the last."""
    first: dict[str, str] = {}
    for key, _ in node.entries:
        twin = first.setdefault(events.canonical(key.value) or key.value, key.value)
        if twin != key.value:
            for reader in hosts.readers(spec.name):
                if not reader.keeps_last_spelling():
                    continue
                message = f"{key.value} and {twin} are the same event: {reader.title} keeps only the last"
                notes.on(reader.name, "error", "conflicting-keys", message, key.span, hint="move all entries under one of them")


def report_never_fires(entry: EntryFields, kind: str, event: str, written: str, *, in_skill: bool = False) -> None:
    """Warn about entries that never fire, and about `once` outside a skill."""
    spec = entry.spec
    if entry.get("if") is not None and written not in TOOL_EVENTS:
        message = f"an entry with `if` never fires on {written}: `if` applies to tool events only"
        entry.notes.on(spec.name, "warning", "never-fires", message, entry.pairs["if"][0].span)
    if entry.get("once") is not None and not in_skill:
        message = f"{spec.title} ignores once outside a skill"
        entry.notes.on(spec.name, "warning", "ignored-key", message, entry.pairs["once"][0].span)
    key, why = spec.entry.never_fires(entry.values, kind, event, written)
    if why:
        entry.notes.on(spec.name, "warning", "never-fires", f"{spec.title} {why}", entry.place(key))


class Matcher(NamedTuple):
    """`tool` is the matcher as written, `pattern` a regex for the shell's command; `obstacle` says why it cannot match."""

    tool: str | None = None
    obstacle: Obstacle | None = None
    pattern: str | None = None


def is_names(matcher: str, event: str, spec: Host) -> bool:
    """Whether a matcher on an event (as written) is a list of names or matches everything."""
    if matcher == "":
        return True
    rule = spec.matcher.rule_for(event)
    everything = rule in _WITH_EVERYTHING and matcher in spec.matcher.everything
    return everything or (rule in _LISTS and spec.matcher.is_list(matcher))


def read_matcher(node: Node | None, event: str, spec: Host, notes: DiagnosticCollector, *, strict: bool) -> Matcher:
    """Read the matcher in `node` for an event (as written). Reports errors."""
    if node is None or (node.value is None and "matcher" in spec.entry.nullable):
        return Matcher()
    matcher = node.value
    if event in spec.matcher.ignored_on and spec.matcher.rule_for(event) == "ignored":
        return _ignored(node, event, spec, notes)
    if type(matcher) is not str:
        return _not_text(node, event, spec, notes, strict=strict)
    if matcher == "" and spec.matcher.is_read and "" not in spec.matcher.everything:
        return _empty(node, spec, notes, strict=strict)
    if not spec.matcher.is_read or matcher == "":
        return Matcher(matcher)
    if event in spec.matcher.ignored_on:
        return _ignored(node, event, spec, notes)
    if is_names(matcher, event, spec):
        return Matcher(matcher)
    return _regex(node, event, spec, notes, strict=strict)


def _ignored(node: Node, event: str, spec: Host, notes: DiagnosticCollector) -> Matcher:
    matcher = node.value
    if matcher not in ("", *spec.matcher.everything):
        notes.on(spec.name, "warning", "matcher-ignored", f"{spec.title} ignores matchers on {event}", node.span)
    return Matcher(matcher if isinstance(matcher, str) else None)


def _regex(node: Node, event: str, spec: Host, notes: DiagnosticCollector, *, strict: bool) -> Matcher:
    """A regex. If it is not valid, the host takes it as an exact name, skips the hook or ignores the file."""
    matcher = node.value
    wrong = None if spec.matcher.rule_for(event) == "exact" else regexes.check(matcher, spec.matcher.dialect)
    if wrong is None:
        return Matcher(matcher)
    problem = f"its matcher is not a valid regex: {wrong.message}"
    fix = notes.regex_fix(matcher, node.span, lambda text: json.dumps(text, ensure_ascii=False), spec.matcher.dialect)
    obstacle = Obstacle(skip="bad-matcher", why=problem)
    if strict and spec.entry.shape == "flat":
        notes.breaks_file(spec, problem, node.span, fix)
        return Matcher(matcher, obstacle)
    hint = f"{spec.title} needs .* here, or no matcher" if matcher == "*" else _MATCHER_HINT
    message = f"{spec.title} never runs this hook: {problem}"
    notes.on(spec.name, "error", "bad-regex", message, node.span, hint=hint, fix=fix)
    return Matcher(matcher, None if spec.matcher.rule_for(event) == "regex" else obstacle)


def command_pattern(group: Node, spec: Host, notes: DiagnosticCollector, *, strict: bool) -> str | None:
    """Read a group's regex for the shell's command, if its host has such a key. Reports errors."""
    node = group.members.get(_COMMAND_REGEX) if _COMMAND_REGEX in spec.entry.group_keys else None
    if node is None:
        return None
    if isinstance(node.value, str):
        _regex(node, "", spec, notes, strict=strict)
        return node.value
    message = f"{_COMMAND_REGEX} must be text, not {kind_of(node.value)}"
    if strict:
        notes.breaks_file(spec, message, node.span)
    else:
        notes.error("wrong-type", message, node.span)
    return None


def _empty(node: Node, spec: Host, notes: DiagnosticCollector, *, strict: bool) -> Matcher:
    problem, hint = f"{spec.title} ignores an entry with an empty matcher", "remove the matcher: then it runs for every tool"
    if strict:
        notes.breaks_file(spec, "the matcher is empty", node.span, hint=hint)
    else:
        notes.on(spec.name, "error", "never-fires", problem, node.span, hint=hint)
    return Matcher("", Obstacle(skip="bad-matcher", why=problem))


def _not_text(node: Node, event: str, spec: Host, notes: DiagnosticCollector, *, strict: bool) -> Matcher:
    problem = f"matcher must be text, not {kind_of(node.value)}"
    fix = json_shapes.matcher(node, notes)
    if strict:
        notes.breaks_file(spec, problem, node.span, fix)
    elif spec.entry.matcher_loses_event:
        problem = notes.lost_events[event] = f"{spec.title} runs no {event} hook, of any file: {problem}"
        notes.on(spec.name, "error", "wrong-type", problem, node.span, fix=fix)
    elif spec.entry.drops_entries:
        problem = f"{spec.title} ignores this entry: {problem}"
        notes.on(spec.name, "error", "wrong-type", problem, node.span, fix=fix)
    else:
        notes.error("wrong-type", problem, node.span, fix=fix)
    return Matcher(None, Obstacle(skip="bad-matcher", why=problem) if spec.matcher.is_read else None)
