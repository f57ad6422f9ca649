"""Where each host's connection stands: its file in a scope, and the other files that may hold hooks of the same host."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, get_args

from hooktui import hosts
from hooktui.core import events, own_commands, paths
from hooktui.formats.json_hooks.json_format import json_paths

if TYPE_CHECKING:
    from collections.abc import Mapping

    from hooktui.hosts import HostSpec
    from hooktui.hosts.shared.spec import ConnectSpec

Scope = Literal["project", "user"]
SCOPES: tuple[Scope, ...] = get_args(Scope)


@dataclass(frozen=True, slots=True)
class ConnectionSite:
    """One host that can be connected."""

    spec: HostSpec
    wiring: ConnectSpec

    @property
    def host(self) -> str:
        """The host's name."""
        return self.spec.name

    @property
    def title(self) -> str:
        """What people call the host."""
        return self.spec.title

    def file(self, scope: Scope, project: str) -> str:
        """The absolute path of the file that our entries are written to."""
        if scope == "project":
            return os.path.join(project, self.wiring.project)
        return os.path.join(paths.home(), self.wiring.user)

    def files(self, scope: Scope, project: str) -> tuple[str, ...]:
        """Every file of the scope that may hold hooks of this host, ours first."""
        own = self.file(scope, project)
        directory = os.path.dirname(own)
        if self.wiring.siblings is None:
            others = json_paths(directory)
        else:
            others = [os.path.join(directory, name) for name in self.wiring.siblings if scope == "project"]
        return (own, *(path for path in others if path != own and os.path.lexists(path)))

    def events(self) -> tuple[str, ...]:
        """The events of this host that have a canonical twin, in the host's spelling."""
        spelled = (self.spec.spelling(event) for event in events.CANONICAL)
        return tuple(name for name in spelled if name in self.spec.events)

    def entry(self, event: str) -> dict[str, Any]:
        """Our entry for an event."""
        return self.wiring.entry(own_commands.run(self.host, event if self.wiring.names_event else None))


SITES: Mapping[str, ConnectionSite] = {
    spec.name: ConnectionSite(spec, spec.connect) for spec in hosts.specs() if spec.connect is not None
}
