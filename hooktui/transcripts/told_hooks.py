"""The hooks that transcripts tell of by event and command: those of the project's hook files, as `list` shows them."""

from __future__ import annotations

import json
import os
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from hooktui import hosts
from hooktui.catalog import catalog, matching
from hooktui.core.events import canonical
from hooktui.log.write import entry
from hooktui.log.write.merge_sources import OWN_KEY

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hooktui.catalog.catalog import Catalog
    from hooktui.core.model import Hook
    from hooktui.log.write.entry import HookEntry
    from hooktui.transcripts.past_rows import EventRows

    Commands = dict[tuple[str, str], list[Hook]]  # hooks by event and command

_FRESH_S = 2.0  # until the files of a project are looked at again


@dataclass(slots=True)
class _Project:
    """The hooks of an agent in a project, and when their files were looked at."""

    catalog: Catalog | None = None
    looked_at: float = 0.0
    commands: Commands = field(default_factory=dict)


class ToldHooks:
    """Finds the catalog's hooks for those that transcripts name; keeps the catalogs of projects for the next look."""

    def __init__(self, secrets: Sequence[str]) -> None:
        self._secrets = secrets
        self._projects: dict[tuple[str, str], _Project] = {}

    def known(self, host: str, project: str, told: HookEntry, event: EventRows) -> HookEntry:
        """The hook of a project's files that a transcript names; `told` itself if no file has it.

        A hook whose files were changed after the event is the same hook in a version that nobody knows.
        """
        if not told.text or told.key.endswith(OWN_KEY):
            return told
        hooks = self._commands(host, project).get((canonical(told.event) or told.event, told.text), ())
        hook = _fitting(hooks, host, told.event, event.payload) if len(hooks) > 1 else next(iter(hooks), None)
        if hook is None:
            return told
        stored = entry.of_hook(hook, self._secrets)
        if _is_unchanged(hook, event.at):
            return stored
        version = f"{told.version}:{entry.key_of([stored.key]) & (1 << 64) - 1:016x}"
        return stored.replace(version=version, text=told.text, line=0)

    def _commands(self, host: str, directory: str) -> Commands:
        project = self._projects.setdefault((host, directory), _Project())
        now = time.monotonic()
        if project.catalog is None or now - project.looked_at > _FRESH_S:
            last = project.catalog
            project.catalog, project.looked_at = catalog.load(directory, (host,), last), now
            if last is None or last.hooks != project.catalog.hooks:
                project.commands = self._by_command(project.catalog.hooks)
        return project.commands

    def _by_command(self, hooks: Sequence[Hook]) -> Commands:
        commands: Commands = {}
        for hook in hooks:
            written = {hook.command, hook.url} if not hook.calls_hooktui else ()
            for text in filter(None, written):
                commands.setdefault((hook.event, entry.stored_name(text, self._secrets)), []).append(hook)
        return commands


def _fitting(hooks: Sequence[Hook], host: str, event: str, payload: str) -> Hook:
    """The first of several equal commands whose matcher matches; of none that does, the first."""
    try:
        about = hosts.read(host, json.loads(payload), event, "")
    except (hosts.UnreadableEvent, ValueError, TypeError, AttributeError):
        return hooks[0]
    return next((hook for hook in hooks if hook.enabled and not matching.match(hook, about).skip), hooks[0])


def _is_unchanged(hook: Hook, at: float) -> bool:
    """Whether the file of a hook, and the scripts it starts, are as they were then."""
    files = (hook.file, *(os.path.join(hook.root, name) for name in hook.covers))
    try:
        return all(os.stat(file).st_mtime < at for file in files)
    except OSError:
        return False
