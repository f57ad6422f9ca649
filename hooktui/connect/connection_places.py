"""Where each host keeps its hooks, and what an entry looks like there (formats.md §3)."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, get_args

from hooktui.core import events, own_commands, paths
from hooktui.formats.json_hooks import dialects

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

Scope = Literal["project", "user"]
SCOPES: tuple[Scope, ...] = get_args(Scope)
# Seconds. hooktui holds each hook to its own limit; the host must only not give up before. From 1000 it would look like
# milliseconds (unit-suspect).
_TIMEOUT_S = 900


@dataclass(frozen=True, slots=True)
class Place:
    """How one host is connected. `project` and `user` are its file below the project and the home.

    `blank` is a file without hooks; `named` tells that the file is called after us; `siblings` are the other files of the
    directory that may hold hooks of this host, None for every JSON file. `entry` makes the entry for an event.
    """

    host: str
    title: str
    project: str
    user: str
    blank: str
    entry: Callable[[str], dict[str, Any]]
    named: bool = True
    siblings: tuple[str, ...] | None = None

    def file(self, scope: Scope, project: str) -> str:
        """The absolute path of the file that our entries are written to."""
        return os.path.join(project, self.project) if scope == "project" else os.path.join(paths.home(), self.user)

    def files(self, scope: Scope, project: str) -> tuple[str, ...]:
        """Every file of the scope that may hold hooks of this host, ours first."""
        own = self.file(scope, project)
        directory = os.path.dirname(own)
        names = _json_names(directory) if self.siblings is None else self.siblings if scope == "project" else ()
        others = (os.path.join(directory, name) for name in names)
        return (own, *(path for path in others if path != own and os.path.lexists(path)))

    def events(self) -> tuple[str, ...]:
        """The events of this host that have a canonical twin, in the host's spelling."""
        known = dialects.DIALECTS[self.host].events
        spelled = (events.spelling(event, self.host) for event in events.CANONICAL)
        return tuple(name for name in spelled if name in known)


def _claude(_event: str) -> dict[str, Any]:
    command = {"type": "command", "command": own_commands.run("claude"), "timeout": _TIMEOUT_S}
    return {"matcher": "", "hooks": [command]}


def _vscode(_event: str) -> dict[str, Any]:
    return {"type": "command", "command": own_commands.run("vscode"), "timeout": _TIMEOUT_S}


def _copilot(event: str) -> dict[str, Any]:
    """Copilot's camelCase payloads do not name their event."""
    return {"type": "command", "bash": own_commands.run("copilot", event), "timeoutSec": _TIMEOUT_S}


def _json_names(directory: str) -> list[str]:
    try:
        return sorted(name for name in os.listdir(directory) if name.endswith(".json") and not name.startswith("."))
    except OSError:
        return []


_CLAUDE_FILE = os.path.join(".claude", "settings.json")
PLACES: Mapping[str, Place] = {
    place.host: place
    for place in (
        Place(
            host="claude",
            title="Claude Code",
            project=_CLAUDE_FILE,
            user=_CLAUDE_FILE,
            blank="{}\n",
            entry=_claude,
            named=False,
            siblings=("settings.json", "settings.local.json"),
        ),
        Place(
            host="vscode",
            title="VS Code",
            project=os.path.join(".github", "hooks", "hooktui.json"),
            user=os.path.join(".copilot", "hooks", "hooktui.json"),
            blank="{}\n",
            entry=_vscode,
        ),
        Place(
            host="copilot",
            title="Copilot CLI",
            project=os.path.join(".github", "hooks", "hooktui-copilot.json"),
            user=os.path.join(".copilot", "hooks", "hooktui-copilot.json"),
            blank='{\n  "version": 1\n}\n',
            entry=_copilot,
        ),
    )
}
