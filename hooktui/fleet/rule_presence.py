"""Where hooks are configured on a fleet's machines, and which machine lacks one that it should have, or has another text of it.

Judged by the hooks that dispatches list. What a machine should have is declared: `[[required]]` of the managed file. Of any
other rule it is what most machines have.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import NamedTuple

from hooktui.core import paths
from hooktui.core.events import TOOL_EVENTS
from hooktui.log.read import rows

Place = tuple[str, str, str]  # agent, event, and project or ""
# Skips by which a hook never runs, whatever the call, in words for a list.
KEPT = {
    "untrusted": "not approved",
    "invalid": "invalid",
    "bad-matcher": "bad matcher",
    "host-skips-file": "file ignored",
    "disabled": "off",
    "unsupported-type": "unsupported",
}
CHOSEN = ("off", "unsupported")  # of these, no fault even where no machine runs a hook
_MISSING = "missing"
_NOTHING: Mapping[str, frozenset[str]] = {}
_SEVERAL = 2  # machines that run a rule, from which on it is the fleet's
_OF_PROJECTS = ("project", "local")  # scopes
_ANYWHERE = ("agent", "plugin")  # scopes of hooks that a project or the user has
_HOME = re.compile(r"(?:/(?:home|Users)/[^/]+|/root|[A-Za-z]:[\\/]Users[\\/][^\\/]+)(?=[\\/])")
_spelled = cache(rows.spelled)


class ListedHook(NamedTuple):
    """A hook in the list of a dispatch; `rule`, its label, is "" for a dispatch without hooks. `why` says why it never runs.

    `version` is the hash of its content, "" if it is not known.
    """

    instance: str
    host: str
    event: str
    project: str
    rule: str
    scope: str
    skip: str
    format: str = ""
    file: str = ""
    why: str = ""
    version: str = ""
    name: str = ""

    @property
    def is_connection(self) -> bool:
        """Whether `hooktui connect` wrote it."""
        return (self.rule, self.skip) == ("hooktui", "duplicate")

    @property
    def place(self) -> Place:
        """Where machines are alike for this hook: a hook of a project is expected in that project only, by its name."""
        return self.host, self.event, paths.name(self.project) if self.is_of_project else ""

    @property
    def is_of_project(self) -> bool:
        return self.scope in _OF_PROJECTS or (self.scope in _ANYWHERE and self.path_in_project != "")

    @property
    def path_in_project(self) -> str:
        """The file's path within the project; "" if it is elsewhere."""
        inside = self.file.removeprefix(self.project) if self.project else self.file
        return inside[1:] if inside != self.file and inside[:1] in ("/", "\\") else ""


@dataclass(frozen=True, slots=True)
class RulePlaces:
    """The places of a rule, the usual ones first. `files` are counted by machines, homes as `~`, projects left out.

    `events` are canonical names, each with the spellings of the formats that the rule is written in.
    """

    events: Mapping[str, Sequence[str]] = field(default_factory=dict)
    agents: Sequence[str] = ()
    formats: Sequence[str] = ()
    scopes: Sequence[str] = ()
    files: Sequence[tuple[str, int]] = ()


@dataclass(frozen=True, slots=True)
class Presence:
    """A rule on the fleet's machines, by instance: where it runs, and why it does not where it should.

    `kept` are the machines that have it and never run it, with a word and, if it is known, a sentence that say why. `versions`
    are the hashes of its text, where they are known; `expected` those that it should have, none if it may have any.
    """

    running: frozenset[str] = frozenset()
    absent: Mapping[str, str] = field(default_factory=dict)
    kept: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    versions: Mapping[str, str] = field(default_factory=dict)
    expected: frozenset[str] = frozenset()
    is_required: bool = False
    places: RulePlaces = field(default_factory=RulePlaces)

    @property
    def differing(self) -> list[str]:
        """The machines with another text than expected."""
        return [instance for instance, version in self.versions.items() if self.expected and version not in self.expected]


def presences(listed: Iterable[ListedHook], required: Mapping[str, frozenset[str]] = _NOTHING) -> dict[str, Presence]:
    """Each rule's presence, of hooks in the order of their dispatches; `required` has the versions of each name, none for any.

    A rule that is not required, and that fewer than half of the machines run, is a choice of these.
    """
    machines: defaultdict[Place, set[str]] = defaultdict(set)
    hooks: defaultdict[str, list[ListedHook]] = defaultdict(list, {name: [] for name in required})
    for hook in listed:
        machines[hook.host, hook.event, ""].add(hook.instance)
        machines[hook.host, hook.event, paths.name(hook.project)].add(hook.instance)
        if hook.rule and not hook.is_connection:
            hooks[hook.name if hook.name in required else hook.rule].append(hook)
    return {rule: _presence(of_rule, machines, required.get(rule)) for rule, of_rule in hooks.items()}


def _presence(hooks: list[ListedHook], machines: Mapping[Place, set[str]], required: frozenset[str] | None) -> Presence:
    running = frozenset(hook.instance for hook in hooks if hook.skip not in KEPT)
    places = {hook.place for hook in hooks} or set(machines)
    if required is not None:  # a machine whose agent asks nobody before a tool tells of the tool afterwards
        before, *after = TOOL_EVENTS
        places |= {(host, later, project) for host, event, project in places if event == before for later in after}
    able = set[str]().union(*(machines.get(place, ()) for place in places))
    kept = {hook.instance: (KEPT[hook.skip], hook.why) for hook in hooks if hook.skip in KEPT and hook.instance not in running}
    is_expected = required is not None or (len(running) >= _SEVERAL and 2 * len(running) > len(able))
    absent = {instance: kept.get(instance, (_MISSING,))[0] for instance in able - running} if is_expected else {}
    versions = {hook.instance: hook.version for hook in hooks if hook.version}
    if required is None and not any(hook.is_of_project for hook in hooks):  # each project has a text of its own
        expected = frozenset(version for version, _ in Counter(versions.values()).most_common(1))
    else:
        expected = required or frozenset()
    return Presence(running, absent, kept, versions, expected, required is not None, places_of(hooks))


def places_of(hooks: Iterable[ListedHook]) -> RulePlaces:
    """The places of the hooks that have one name."""
    agents, formats, scopes = Counter[str](), Counter[str](), Counter[str]()
    events: defaultdict[str, dict[str, None]] = defaultdict(dict)
    files: defaultdict[str, set[str]] = defaultdict(set)
    for hook in hooks:
        agents[hook.host] += 1
        formats[hook.format] += 1
        scopes[hook.scope] += 1
        events[hook.event][_spelled(hook.event, hook.format)] = None
        files[_near(hook)].add(hook.instance)
    counted = sorted(((file, len(machines)) for file, machines in files.items() if file), key=lambda item: (-item[1], item[0]))
    spellings = {event: tuple(names) for event, names in sorted(events.items())}
    return RulePlaces(spellings, _usual(agents), _usual(formats), _usual(scopes), counted)


def _usual(counts: Counter[str]) -> Sequence[str]:
    """The values from the most frequent on, those that are not known left out."""
    return tuple(value for value, _ in sorted(counts.items(), key=lambda item: (-item[1], item[0])) if value)


def _near(hook: ListedHook) -> str:
    """The file of a hook as it is called on every machine: within its project, or with the home as `~`."""
    if hook.is_of_project and hook.path_in_project:
        return hook.path_in_project
    home = _HOME.match(hook.file)
    return f"~{hook.file[home.end() :]}" if home else hook.file
