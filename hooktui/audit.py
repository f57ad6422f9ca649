"""A catalog beside its log: what hooks did and printed becomes part of what is wrong with them (contract.md, `check`)."""

from __future__ import annotations

import os
from operator import attrgetter
from typing import TYPE_CHECKING

from hooktui import calls, observing
from hooktui.diagnostics import seen
from hooktui.log import history, writer
from hooktui.log.opening import LogError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from hooktui.catalog import Catalog
    from hooktui.model import Diagnostic, Hook


async def audited(catalog: Catalog, db: str | None = None) -> tuple[Catalog, str]:
    """The catalog with what its hooks' runs show, and why the log could not be read ("" when it could, or there is none).

    `db` is another log than the usual one. Only runs of what a hook is now count. Never raises for what a log holds.
    """
    versions = {hook.id: _version(hook) for hook in catalog.hooks}
    since = {versions[hook.id]: _changed_at(hook) for hook in catalog.hooks}
    try:
        known = await history.read(db or writer.db_path(catalog.settings), since)
    except LogError as error:
        return catalog, str(error)
    histories = {hook: known[version] for hook, version in versions.items() if version in known}
    sightings = list(seen.sightings(catalog.hooks, histories))
    if not sightings:
        return catalog, ""
    found = sorted(seen.merged(catalog.diagnostics, sightings), key=attrgetter("file", "line", "column", "code"))
    noted = {one.diagnostic.hook for one in sightings}
    hooks = tuple(_with_problems(hook, found) if hook.id in noted else hook for hook in catalog.hooks)
    return catalog.replace(diagnostics=tuple(found), hooks=hooks), ""


def _version(hook: Hook) -> str:
    """What the log calls this version of a hook; one that `connect --observe` has wrapped is known there by its own command."""
    wrapped = calls.observed(hook.argv, hook.format) or calls.observed_command(hook.command, hook.format)
    if wrapped is None:
        return hook.version
    told, argv = wrapped
    return observing.version(told.file, told.name, hook.event, argv)


def _changed_at(hook: Hook) -> float:
    """When a script changed last that the hook only names, in seconds since 1970: its version does not tell."""
    return max((_modified(os.path.join(hook.root, name)) for name in hook.covers), default=0.0)


def _modified(path: str) -> float:
    try:
        return os.stat(path).st_mtime
    except OSError:
        return 0.0


def _with_problems(hook: Hook, found: Iterable[Diagnostic]) -> Hook:
    codes = (one.code for one in found if one.hook == hook.id)
    return hook.replace(problems=tuple(dict.fromkeys((*hook.problems, *codes))))
