"""Which hosts are connected as things stand in their files, and what a person should know about it."""

from __future__ import annotations

import os
import shlex
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hooktui import formats, hosts
from hooktui.connect import connection_places, json_text
from hooktui.connect.connection_places import SCOPES, SITES
from hooktui.core import own_commands, paths
from hooktui.formats.files import Unreadable

if TYPE_CHECKING:
    from collections.abc import Iterator

    from hooktui.connect.connection_places import ConnectionSite, Scope
    from hooktui.core.model import Hook


@dataclass(frozen=True, slots=True)
class Connection:
    """A host that calls hooktui: from which file, for how many events, with which interpreter."""

    place: ConnectionSite
    scope: Scope
    file: str
    events: int
    interpreter: str

    @property
    def problem(self) -> str:
        """Why the host's calls do not reach hooktui, in words; empty when they do."""
        gone = not os.access(self.interpreter, os.X_OK)
        return f"{paths.short(self.interpreter)} cannot be run" if gone else ""


def connections(project: str) -> list[Connection]:
    """The hosts that are connected for a project, by its own files or the user's. A file that cannot be read connects none."""
    return [one for place in SITES.values() for scope in SCOPES for one in _connection(place, scope, project)]


def notes(place: ConnectionSite, scope: Scope, project: str) -> Iterator[str]:
    """What a person should know about a host that is connected now."""
    own = place.file(scope, project)
    hooks = formats.load(place.host).discover(project).hooks
    ours = next((hook for hook in hooks if hook.file == own and own_commands.runs(hook.command, place.host)), None)
    if ours:
        yield from _obstacles(ours, place)
    if scope == "project":
        yield f"the file names this machine's Python: keep {paths.short(own)} out of version control, or use --scope user"
    for other in connections(project):
        if other.file != own:
            readers = _both(place.host, other.place.host)
            if readers:
                yield f"{paths.short(other.file)} is connected too: {readers} read both files and run each hook twice"


def _both(host: str, other: str) -> str:
    """The hosts that read the files of both, as a list in words; empty when none does."""
    titles = [spec.title for spec in hosts.readers(host) if spec in hosts.readers(other)]
    return " and ".join(titles)


def _obstacles(hook: Hook, place: ConnectionSite) -> Iterator[str]:
    if hook.obstacle:
        yield f"{place.title} will not call it: {hook.obstacle.why}"
    elif not hook.enabled:
        yield f"{place.title} will not call it while disableAllHooks is set"


def _connection(place: ConnectionSite, scope: Scope, project: str) -> Iterator[Connection]:
    file = place.file(scope, project)
    try:
        text = json_text.read(file)
        found = connection_places.found(text, place.host) if text is not None else []
    except (Unreadable, ValueError):
        return
    if found:
        command = connection_places.commands(found[0][1], place.host)[0]
        yield Connection(place, scope, file, len({event for event, _ in found}), shlex.split(command)[0])
