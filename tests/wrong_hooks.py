"""Hooks that do not do what their author means, for the file of each program.

The tests of what `check` reports and those of what the real programs do share them (docs/proofs.md).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from hooktui import hosts
from tests.bad_input import PLACES, Place

REASON = "not while the moon is full"
_SPECIFIC = {"hookEventName": "PreToolUse", "permissionDecisionReason": REASON}
_DENY = {"permissionDecision": "deny", "permissionDecisionReason": REASON}
# Ways in which a hook may mean to deny a call: what it prints, what it writes to stderr, and its exit code.
DENIALS: Mapping[str, tuple[object, str, int]] = {
    "exit-1": ("", f"blocked: {REASON}", 1),
    "exit-2": ("", REASON, 2),
    "silent": ("", "", 2),
    "nested": ({"hookSpecificOutput": {**_SPECIFIC, "permissionDecision": "deny"}}, "", 0),
    "unnamed": ({"hookSpecificOutput": _DENY}, "", 0),
    "wrong-word": ({"hookSpecificOutput": {**_SPECIFIC, "permissionDecision": "block"}}, "", 0),
    "top": (_DENY, "", 0),
    "block": ({"decision": "block", "reason": REASON}, "", 0),
    "deny": ({"decision": "deny", "reason": REASON}, "", 0),
    "no-reason": ({"decision": "block"}, "", 0),
    "extra-key": ({"decision": "block", "reason": REASON, "colour": "red"}, "", 0),
    "ask": ({"hookSpecificOutput": {**_SPECIFIC, "permissionDecision": "ask"}}, "", 0),
    "stop": ({"continue": False, "stopReason": REASON}, "", 0),  # perhaps it ends the session, so it is tried last
}
# Ways in which a hook may mean to keep an agent from stopping.
GATES: Mapping[str, tuple[object, str, int]] = {
    "exit-2": ("", REASON, 2),
    "silent": ("", "", 2),
    "top": ({"decision": "block", "reason": REASON}, "", 0),
    "nested": ({"hookSpecificOutput": {"hookEventName": "Stop", "decision": "block", "reason": REASON}}, "", 0),
    "no-reason": ({"decision": "block"}, "", 0),
}
KEYS: Mapping[str, object] = {
    "enabled": False,
    "blocking": True,
    "filePattern": "*.none",
    "continueOnError": True,
    "match": "Nothing",
    "once": True,
    "args": ["nowhere"],
    "colour": "red",
    "loop_limit": 1,
    "failClosed": True,
    "sequential": True,
}
VARIABLES = ("TOOL_INPUT", "FILE_PATH", "CLAUDE_TOOL_NAME", "CLAUDE_TOOL_INPUT", "CLAUDE_FILE_PATHS")
FIELDS = ("sessionId", "session_id", "toolName", "tool_name", "toolArgs", "tool_input", "tool_output", "event_type")
TYPES: Mapping[str, str] = {"prompt": "prompt", "agent": "prompt", "http": "url", "mcp_tool": "tool"}  # with the key it needs
TIMEOUTS = (600, 60_000)


class Hook(NamedTuple):
    """An entry of a program's own file; `event` is before a tool if empty."""

    command: str
    matcher: object = ...
    event: str = ""
    values: Mapping[str, object] = {}


def write(place: Place, home: Path, project: Path, *hooks: Hook) -> None:
    """Write the program's own hook file."""
    events: dict[str, list[dict[str, Any]]] = {}
    for hook in hooks:
        events.setdefault(hook.event or place.event, []).append(_group(place, hook))
    listed: Any = [entry for groups in events.values() for entry in groups] if place.is_list else events
    place.write(place.text(listed if place.bare else {**place.top, "hooks": listed}), home, project)


def _group(place: Place, hook: Hook) -> dict[str, Any]:
    matched = {} if hook.matcher is ... else {"matcher": hook.matcher}
    named = {"event": hook.event or place.event} if place.is_list else {}
    entry = place.entry("", **{place.command: hook.command, **named, **hook.values})
    return {**matched, **entry} if place.flat or place.is_list else {**matched, "hooks": [entry]}


def noting(name: str) -> str:
    """A command that notes that it ran."""
    return f"cat > /dev/null; echo {name} >> fired.txt"


def with_matchers(place: Place) -> tuple[Mapping[str, str], list[Hook]]:
    """Names of hooks with matchers, most of which match nothing, and the hooks; another one is at a stop."""
    shells = {other.shell for other in PLACES.values()}
    names = sorted({*shells, "Edti", "git push", f"{place.shell}, Read", place.shell.swapcase()})
    matchers = {f"m{number}": name for number, name in enumerate(names)}
    at_stop = Hook(noting("at-stop"), "Nothing", place.other)
    return matchers, [at_stop, *(Hook(noting(name), matcher) for name, matcher in matchers.items())]


def unknown_events(place: Place) -> list[str]:
    """Events of other programs; none where one loses the file."""
    spec = hosts.spec(place.host)
    loses = "unknown event" in spec.entry.file_faults or place.is_list
    return [] if loses else sorted({"Nope", *(other.event for other in PLACES.values())} - {*spec.events})


def without_matchers(place: Place) -> list[str]:
    """The events on which the program ignores matchers."""
    spec = hosts.spec(place.host)
    return [name for name in spec.matcher.ignored_on if name in spec.events]


def on_events(place: Place) -> list[Hook]:
    """A hook on each unknown event, and two, one with a matcher, on each that has none."""
    hooks = [Hook(noting(name), event=name) for name in unknown_events(place)]
    for name in without_matchers(place):
        hooks += [Hook(noting(f"always-{name}"), event=name), Hook(noting(f"matched-{name}"), "Nothing", name)]
    return [Hook(noting(place.event)), *hooks]


def with_keys() -> list[Hook]:
    """A hook with each key that may not be read."""
    return [Hook(noting(key), values={key: value}) for key, value in KEYS.items()]


def with_values(place: Place) -> list[Hook]:
    """Hooks that read variables and fields, which may not be set."""
    names = {*VARIABLES, *(name for host in hosts.specs() for name in host.variables)}
    reads = [Hook(f"jq -r .{field}") for field in FIELDS]
    at_stop = [Hook(f"jq -r .{field}", event=place.other) for field in ("tool_input", "tool_name")]
    return [Hook(f'echo "{" ".join(f"${name}" for name in sorted(names))}" >&2'), *reads, *at_stop]


def with_types() -> list[Hook]:
    """A hook of each type that may not run, beside one that does."""
    typed = [Hook("", values={"type": name, key: f"a {name} hook"}) for name, key in TYPES.items()]
    return [Hook(noting("command")), *typed]


def answering(project: Path, ways: Mapping[str, tuple[object, str, int]], event: str = "") -> list[Hook]:
    """A hook with a script for each way to answer."""
    for name, (printed, stderr, code) in ways.items():
        script = project / f"answers/{name}"
        script.parent.mkdir(exist_ok=True)
        says = f"echo '{printed if isinstance(printed, str) else json.dumps(printed)}'\n" if printed else ""
        blames = f"echo '{stderr}' >&2\n" if stderr else ""
        script.write_text(f"#!/bin/sh\n{says}{blames}exit {code}\n")
        script.chmod(0o755)
    return [Hook(f"{project}/answers/{name}", event=event) for name in ways]
