"""The hosts in which a hook works, and why not in others: the *Hosts* line of the form (formats.md §3 and §4)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple, get_args

from hooktui import hosts
from hooktui.core import events
from hooktui.core.model import HookDirectory
from hooktui.formats import host_tools

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
    from collections.abc import Set as AbstractSet

    from hooktui.catalog.catalog import Catalog
    from hooktui.core.model import Diagnostic, Hook
    from hooktui.diagnostics.relevant_hosts import RelevantHosts
    from hooktui.hosts import Host
    from hooktui.hosts.shared.places import Reads

Standing = Literal["now", "installed", "absent"]
_STANDINGS: tuple[Standing, ...] = get_args(Standing)
_NO_EVENT = "has no such event"
_NO_TOOL = "no tool matches"
_OFF = "it is switched off"
# What a host does with a hook, by problem code.
_BUT: Mapping[str, str] = {
    "host-rejects-output": "rejects its answer",
    "host-misses-block": "misses its block",
    "runs-twice": "runs it twice",
}
_NEVER: Mapping[str, str] = {
    "host-skips-file": "skips its file",
    "host-untrusted": "does not trust it",
    "unknown-event": _NO_EVENT,
    "never-fires": "never fires it",
    "bad-regex": "cannot read its matcher",
}
# What a HOOK.md waits for.
_TO_COME: Mapping[Standing, str] = {"now": "", "installed": "when connected", "absent": "not installed"}
_OBSTACLES: Mapping[str, str] = {
    "host-skips-file": "skips its file",
    "invalid": "cannot read it",
    "bad-matcher": "cannot read its matcher",
}


class Support(NamedTuple):
    """A host: whether the hook works there; `note` is the reason if it does not, and `has_fix` tells that a fix is offered.

    `name` is the host's, `standing` whether it runs such hooks now, or could: a HOOK.md once it is connected, a hook of
    another host's file once it is in use.
    """

    host: str
    works: bool
    note: str = ""
    has_fix: bool = False
    name: str = ""
    standing: Standing = "now"


def title(host: str) -> str:
    """A host's title; its name if it is unknown, as in an old log."""
    try:
        return hosts.spec(host).title
    except KeyError:
        return host


def titles(names: Collection[str]) -> str:
    """The titles of hosts in a sentence: `A, B and C`."""
    return hosts.titles(names)


def asks_for_trust(host: str) -> bool:
    """Whether a host runs only those of its own hooks that are trusted there."""
    return hosts.spec(host).has_own_trust


def reach(hook: Hook, catalog: Catalog) -> tuple[Support, ...]:
    """The hosts in which a hook of a catalog works, or not: those that run it now, those installed, then the others; of each
    first those in which it works."""
    own = [diagnostic for diagnostic in catalog.diagnostics if diagnostic.hook == hook.id]
    if isinstance(hook.source, HookDirectory):
        reached = list(_of_agenthooks(hook, own, catalog.relevant))
    elif hook.type == "callback":
        reached = [Support("the Python agent that registers it", works=True, name=hook.format)]
    elif hook.type == "mod":
        reached = [Support(title(hook.format), hook.enabled, "" if hook.enabled else _OFF, name=hook.format)]
    else:
        readers = hosts.readers(hook.format)
        codes = {reader.name: {diagnostic.code for diagnostic in own if reader.name in diagnostic.hosts} for reader in readers}
        used = {hook.format, *catalog.relevant.used}
        reached = [_in(reader, hook, codes[reader.name], "now" if reader.name in used else "absent") for reader in readers]
        reached = [_unless_off(one, hook, catalog.relevant.switched_off) for one in reached]
    return tuple(sorted(reached, key=lambda one: (_STANDINGS.index(one.standing), not one.works)))


def grouped(reached: Sequence[Support]) -> Iterator[tuple[Support, Sequence[str]]]:
    """Hosts of the same standing with the same note: the first of them, and the titles of all.

    A hook that works in none, for one reason, has one group without titles.
    """
    if len(reached) > 1 and not any(one.works for one in reached) and len({one.note for one in reached}) == 1:
        yield reached[0], ()
        return
    groups: dict[tuple[object, ...], list[Support]] = {}
    for one in reached:
        groups.setdefault((one.standing, one.works, one.note, one.has_fix), []).append(one)
    for members in groups.values():
        yield members[0], [member.host for member in members]


def _of_agenthooks(hook: Hook, own: Iterable[Diagnostic], relevant: RelevantHosts) -> Iterator[Support]:
    never = _why_never(hook)
    fixed = {host for diagnostic in own if diagnostic.code == "matches-nothing" and diagnostic.fix for host in diagnostic.hosts}
    for spec in hosts.specs():
        if not spec.connect_scopes:
            continue
        is_installed, is_connected = spec.name in relevant.installed, spec.name in relevant.connected
        standing: Standing = "now" if is_connected else "installed" if is_installed else "absent"
        why = never or _why_not_called(hook, spec) or ("does not call hooktui" if spec.name in relevant.silent else "")
        has_fix = spec.name in fixed and not never
        yield Support(spec.title, not why, why or _TO_COME[standing], has_fix, spec.name, standing)
    is_theirs = relevant.has_own_agents or not (relevant.connected or relevant.installed)
    others: Standing = "now" if is_theirs else "installed"
    yield Support("programs that read HOOK.md", not never, never, name=hook.format, standing=others)


def _why_not_called(hook: Hook, spec: Host) -> str:
    """Why a connected host does not call this HOOK.md; empty if it does."""
    if spec.spelling(hook.event) not in spec.events:
        return _NO_EVENT
    if not hook.tool or hook.event not in events.TOOL_EVENTS or not host_tools.is_foreign(hook.tool, spec.name):
        return ""
    twins = host_tools.called(hook.tool, spec.name)
    if len(twins) == 1:
        return f"the tool is called {twins[0]} there"
    return f"the tools are called {', '.join(twins)} there" if twins else f"no tool there matches {hook.tool}"


def _in(host: Host, hook: Hook, codes: AbstractSet[str], standing: Standing) -> Support:
    why = _why_not(host, hook, codes)
    if why:
        return Support(host.title, False, why, name=host.name, standing=standing)
    notes = [words for code, words in _BUT.items() if code in codes]
    if hook.event in events.TOOL_EVENTS and host_tools.ignores_matcher(host, hook.tool):
        notes.insert(0, "for every tool")
    if (reads := _reads(host, hook.format)) and (setting := reads.setting()):
        notes.insert(0, f"with {setting}")
    return Support(host.title, True, ", ".join(notes), name=host.name, standing=standing)


def _unless_off(support: Support, hook: Hook, off: Collection[str]) -> Support:
    """A host whose settings switch off all hooks runs none of another host's file."""
    is_off = support.works and support.name in off and support.name != hook.format
    return support._replace(works=False, note=_OFF) if is_off else support


def _why_not(host: Host, hook: Hook, codes: AbstractSet[str]) -> str:
    """Why a hook of a JSON file does not work in a host; empty if it does."""
    if reason := next((words for code, words in _NEVER.items() if code in codes), ""):
        return reason
    own = host.name == hook.format
    if own and (never := _why_never(hook)):
        return never
    if (reads := _reads(host, hook.format)) and (unread := _why_unread(reads, hook)):
        return unread
    if hook.type not in host.entry.types:
        return f"has no hooks of type {hook.type}"
    if not own and not {hook.event_as_written, host.spelling(hook.event)}.intersection(host.events):
        return _NO_EVENT
    if hook.obstacle and hook.obstacle.skip == "invalid" and not hook.obstacle.host_runs:
        return _OBSTACLES["invalid"]
    if host.matcher.required and not hook.tool and hook.event in events.TOOL_EVENTS:
        return _NO_TOOL
    one_name = not {"|", ","}.intersection(hook.tool or "")
    return _NO_TOOL if "matches-nothing" in codes and one_name else ""


def _why_unread(reads: Reads, hook: Hook) -> str:
    """Why a host does not read a hook in another host's file; empty if it does."""
    if hook.owner:
        return "does not read it"
    if not reads.reads_scope(hook.scope):
        return "reads only a project's"
    if reads.loses(hook.event_as_written, hook.tool):
        return "drops its file"
    return "" if reads.reads_event(hook.event_as_written) else _NO_EVENT


def _reads(host: Host, other: str) -> Reads | None:
    """How a host reads another's files; None if it does not."""
    return next((reads for reads in host.reads if reads.host == other), None)


def _why_never(hook: Hook) -> str:
    """Why a hook does not work in its own host; empty if it does. Types that only hooktui cannot run count as working."""
    if not hook.enabled:
        return _OFF
    return _OBSTACLES.get(hook.obstacle.skip, "") if hook.obstacle and not hook.obstacle.host_runs else ""
