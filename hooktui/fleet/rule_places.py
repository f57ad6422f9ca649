"""Where a rule is configured on a fleet's machines: events, agents, formats, scopes and files."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from hooktui.core import paths
from hooktui.log.read import rows

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    Place = tuple[str, str, str]  # agent, event, and project or ""

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


def of(hooks: Iterable[ListedHook]) -> RulePlaces:
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
