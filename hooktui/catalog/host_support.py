"""In which agent programs a hook works, and why not in the others: the *Hosts* line of the form (formats.md §3 and §4)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from hooktui.connect import PLACES
from hooktui.core import events
from hooktui.core.hook_source import HookDirectory
from hooktui.formats import host_tools
from hooktui.formats.azure.azure_fields import HOST as AZURE
from hooktui.formats.json_hooks.dialects import DIALECTS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from collections.abc import Set as AbstractSet

    from hooktui.connect import Place
    from hooktui.core.model import Diagnostic, Hook
    from hooktui.formats.json_hooks.dialects import Dialect

# The hosts that read the files of a format, its own first.
_READERS: Mapping[str, tuple[str, ...]] = {
    "claude": ("claude", "vscode", "copilot"),
    "vscode": ("vscode", "copilot"),
    "copilot": ("copilot", "vscode"),
}
_NO_EVENT = "has no such event"
_NO_TOOL = "no tool matches"
# What a host makes of a hook that is found wanting, by the code of the problem.
_BUT: Mapping[str, str] = {
    "host-ignores-matcher": "for every tool",
    "host-rejects-output": "rejects its answer",
    "host-misses-block": "misses its block",
    "duplicate-command": "runs it twice",
}
_NEVER: Mapping[str, str] = {
    "host-skips-file": "skips its file",
    "unknown-event": _NO_EVENT,
    "never-fires": "never fires it",
}
_OBSTACLES: Mapping[str, str] = {
    "host-skips-file": "skips its file",
    "invalid": "cannot make sense of it",
    "bad-matcher": "cannot read its matcher",
}


@dataclass(frozen=True, slots=True)
class Reach:
    """One program: whether the hook works there, and what there is to say of it; `note` is the reason when it does not."""

    host: str
    works: bool
    note: str = ""


def reach(hook: Hook, found: Iterable[Diagnostic]) -> tuple[Reach, ...]:
    """Where a hook works, its own host first; `found` are problems, also of other hooks."""
    if isinstance(hook.source, HookDirectory):
        return tuple(_of_agenthooks(hook))
    if hook.type == "callback":
        return (Reach("the Python agent that registers it", works=True),)
    if hook.format == "azure":
        why = _hindered(hook) or ("" if hook.tool or hook.event not in events.TOOL_EVENTS else _NO_TOOL)
        return (Reach(AZURE, not why, why),)
    own = [one for one in found if one.hook == hook.id]
    said = {name: {one.code for one in own if name in one.hosts} for name in DIALECTS}
    return tuple(_in(DIALECTS[name], hook, said[name]) for name in _READERS[hook.format])


def _of_agenthooks(hook: Hook) -> Iterator[Reach]:
    hindered = _hindered(hook)
    yield Reach("programs that read HOOK.md", not hindered, hindered)
    for place in PLACES.values():
        why = hindered or _deaf(hook, place)
        yield Reach(place.title, not why, why or "once connected")


def _deaf(hook: Hook, place: Place) -> str:
    """Why a host that calls hooktui never has this HOOK.md run; empty when it does."""
    if events.spelling(hook.event, place.host) not in place.events():
        return _NO_EVENT
    foreign = hook.tool and hook.event in events.TOOL_EVENTS and host_tools.is_foreign(hook.tool, place.host)
    return f"no tool there matches {hook.tool}" if foreign else ""


def _in(host: Dialect, hook: Hook, codes: AbstractSet[str]) -> Reach:
    why = _why_not(host, hook, codes)
    if why:
        return Reach(host.host, False, why)
    return Reach(host.host, True, ", ".join(words for code, words in _BUT.items() if code in codes))


def _why_not(host: Dialect, hook: Hook, codes: AbstractSet[str]) -> str:
    """Why a hook of a JSON file does not work in a host; empty when it does."""
    if never := next((words for code, words in _NEVER.items() if code in codes), ""):
        return never
    own = host.name == hook.format
    if own and (hindered := _hindered(hook)):
        return hindered
    if hook.format == "claude" and hook.scope == "user" and host.name == "copilot":
        return "reads only a project's"
    if hook.type not in host.types:
        return f"knows no hooks of type {hook.type}"
    if not own and not _fires(host, hook):
        return _NO_EVENT
    if hook.obstacle and hook.obstacle.skip == "invalid":
        return _OBSTACLES["invalid"]
    one_name = not {"|", ","}.intersection(hook.tool or "")
    return _NO_TOOL if "matches-nothing" in codes and one_name else ""


def _fires(host: Dialect, hook: Hook) -> bool:
    return hook.event_as_written in host.events or events.spelling(hook.event, host.name) in host.events


def _hindered(hook: Hook) -> str:
    """What keeps a hook from working in its own host; empty when nothing does. Types that only hooktui cannot run do work."""
    if not hook.enabled:
        return "it is switched off"
    return _OBSTACLES.get(hook.obstacle.skip, "") if hook.obstacle else ""
