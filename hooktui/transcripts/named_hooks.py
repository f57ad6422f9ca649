"""The hooks that transcripts tell of by event and name: those of the project's hook files, as `list` shows them.

Some agents tell what their hooks decided without saying which did. It is a hook of the files if no other can have run.
"""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING

from hooktui import hosts
from hooktui.catalog.listings import Listings
from hooktui.core.events import canonical
from hooktui.core.hook_sources import MOD_FORMAT
from hooktui.runner import matching
from hooktui.runner.journal import entry
from hooktui.transcripts.agents import BY_NAME

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hooktui.core.model import Event, Hook
    from hooktui.runner.journal.entry import HookEntry
    from hooktui.transcripts.import_rows import EventRows

    Names = dict[tuple[str, str], list[Hook]]  # hooks by event and what transcripts call them


class NamedHooks:
    """Finds the catalog's hooks for those that transcripts name; keeps the catalogs of projects for the next look."""

    def __init__(self, secrets: Sequence[str]) -> None:
        self._secrets = secrets
        self.listings = Listings()
        self._names_of: dict[tuple[str, str], tuple[tuple[Hook, ...], Names]] = {}

    def known(self, host: str, project: str, told: HookEntry, event: EventRows) -> HookEntry:
        """The hook of a project's files that a transcript names; `told` itself if no file has it.

        A hook whose files were changed after the event is the same hook in an unknown version.
        """
        if told.format == MOD_FORMAT:
            return self._mod(host, project, told, event.at)
        hooks = self._names(host, project).get((canonical(told.event) or told.event, told.text), ())
        hook = _fitting(hooks, host, told.event, event.payload) if len(hooks) > 1 else next(iter(hooks), None)
        return self._then(hook, told, event.at) if hook else told

    def _then(self, hook: Hook, told: HookEntry, at: float) -> HookEntry:
        """A hook of the files as it was at a time."""
        stored = entry.of_hook(hook, self._secrets)
        if _is_unchanged(hook, at):
            return stored
        return stored.replace(version=_version(told, stored.key), text=told.text, line=0)

    def _mod(self, host: str, project: str, told: HookEntry, at: float) -> HookEntry:
        """The mod of that name, as far as it is clear which of those that are loaded."""
        heard = _answering(self.listings.now(host, project).catalog.hooks, told.event)
        named = [hook for hook in heard if entry.stored_name(hook.label, self._secrets) == told.label]
        names = {entry.stored_name(hook.name, self._secrets) for hook in named}
        if len(named) == 1:
            return self._then(named[0], told, at)
        return told.replace(name=(name := names.pop()), version=_version(told, name)) if len(names) == 1 else told

    def only(self, host: str, project: str, told: HookEntry, event: EventRows) -> HookEntry | None:
        """The one hook of a project's files that can have run at an event; None if there are more, or it was changed since."""
        known, name = self.listings.now(host, project).catalog, canonical(told.event) or told.event
        about = _payload(host, told.event, event.payload)
        if about is None or hosts.spec(host).runs_unlisted_hooks():
            return None
        listening = (hook for hook in known.own_hooks if hook.event == name and hook.enabled and hook.type != "mod")
        spec = hosts.spec(host)
        hooks = [hook for hook in listening if not hook.obstacle and not matching.match(hook, about, spec).skip]
        is_known = len(hooks) == 1 and _is_unchanged(hooks[0], event.at)
        return entry.of_hook(hooks[0], self._secrets) if is_known else None

    def _names(self, host: str, directory: str) -> Names:
        hooks = self.listings.now(host, directory).catalog.hooks
        known = self._names_of.get((host, directory))
        if known is None or known[0] != hooks:
            known = self._names_of[host, directory] = hooks, self._by_name(hooks, host)
        return known[1]

    def _by_name(self, hooks: Sequence[Hook], host: str) -> Names:
        names: Names = {}
        for hook in hooks:
            written = set(BY_NAME[host].hook_names(hook)) if not hook.calls_hooktui else ()
            for text in filter(None, written):
                names.setdefault((hook.event, entry.stored_name(text, self._secrets)), []).append(hook)
        return names


def _version(told: HookEntry, key: str) -> str:
    return f"{told.version}:{entry.key_of([key]) & (1 << 64) - 1:016x}"


def _fitting(hooks: Sequence[Hook], host: str, event: str, payload: str) -> Hook | None:
    """The first hook of a name whose matcher matches, or of all if none does; None if they run different things."""
    about = _payload(host, event, payload)
    matching_ones = [hook for hook in hooks if about and hook.enabled and not matching.match(hook, about).skip]
    candidates = matching_ones or hooks
    return candidates[0] if len({(hook.command, hook.url, hook.prompt) for hook in candidates}) == 1 else None


def _payload(host: str, event: str, payload: str) -> Event | None:
    """A stored payload as matchers see it; None if it cannot be read."""
    try:
        return hosts.read(host, json.loads(payload), event, "")
    except (hosts.UnreadableEventError, ValueError, TypeError, AttributeError):
        return None


def _is_unchanged(hook: Hook, at: float) -> bool:
    """Whether the file of a hook, and the scripts it starts, are as they were then."""
    files = (hook.file, *(os.path.join(hook.root, name) for name in hook.covers))
    try:
        return all(os.stat(file).st_mtime < at for file in files)
    except OSError:
        return False


def _answering(hooks: Sequence[Hook], *events: str) -> list[Hook]:
    """The mods among hooks that can answer one of these events."""
    from hooktui.catalog import listed_mods  # most imports find nothing new, and need no mods

    return listed_mods.answering(hooks, *events)
