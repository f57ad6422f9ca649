"""A catalog beside its log: what hooks did and printed becomes part of what is wrong with them (contract.md, `check`)."""

from __future__ import annotations

import os
from operator import attrgetter
from typing import TYPE_CHECKING

from hooktui import observing
from hooktui.diagnostics import seen
from hooktui.log import callbacks, history, writer
from hooktui.log.opening import LogError
from hooktui.runner.launch import arguments

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from hooktui.catalog import Catalog
    from hooktui.log.history import History
    from hooktui.model import Diagnostic, Hook


async def audited(catalog: Catalog, db: str | None = None) -> tuple[Catalog, str]:
    """The catalog with what its hooks' runs show, and why the log could not be read ("" when it could, or there is none).

    `db` is another log than the usual one. Only runs of what a hook is now count. Never raises for what a log holds.
    """
    try:
        histories = await _histories(catalog.hooks, db or writer.db_path(catalog.settings))
    except LogError as error:
        return catalog, str(error)
    sightings = list(seen.sightings(catalog.hooks, histories))
    if not sightings:
        return catalog, ""
    found = sorted(seen.merged(catalog.diagnostics, sightings), key=attrgetter("file", "line", "column", "code"))
    noted = {one.diagnostic.hook for one in sightings}
    hooks = tuple(_with_problems(hook, found) if hook.id in noted else hook for hook in catalog.hooks)
    return catalog.replace(diagnostics=tuple(found), hooks=hooks), ""


async def with_callbacks(catalog: Catalog, db: str | None = None) -> Catalog:
    """The catalog and, behind the hooks of its files, those that Python agents of the project have registered.

    They are the agent's own and need no approval; only the agent can run them. A log that cannot be read knows none.
    """
    try:
        known = await callbacks.read(db or writer.db_path(catalog.settings), catalog.project)
    except LogError:
        return catalog
    return catalog.replace(hooks=(*catalog.hooks, *known), trust={**catalog.trust, **{hook.id: "user" for hook in known}})


async def _histories(hooks: Sequence[Hook], db: str) -> dict[str, History]:
    """By hook id: the one that goes on longer where a hook has two."""
    versions = {hook.id: (hook.version, observed_version(hook)) for hook in hooks}
    since = {observed_version(hook): _changed_at(hook) for hook in hooks}
    known = await history.read(db, {version: since.get(version, 0.0) for both in versions.values() for version in both})
    found = {hook_id: [known[version] for version in both if version in known] for hook_id, both in versions.items()}
    return {hook_id: max(some, key=attrgetter("last_at")) for hook_id, some in found.items() if some}


def observed_version(hook: Hook) -> str:
    """What the log calls a hook as it is now when its host runs it and `exec` records it."""
    return observing.version(hook.file, hook.name, hook.event, arguments(hook, hook.root))


def _changed_at(hook: Hook) -> float:
    """When a script of the hook changed last, in seconds since 1970: its observed version does not tell."""
    return max((_modified(os.path.join(hook.root, name)) for name in hook.covers), default=0.0)


def _modified(path: str) -> float:
    try:
        return os.stat(path).st_mtime
    except OSError:
        return 0.0


def _with_problems(hook: Hook, found: Iterable[Diagnostic]) -> Hook:
    codes = (one.code for one in found if one.hook == hook.id)
    return hook.replace(problems=tuple(dict.fromkeys((*hook.problems, *codes))))
