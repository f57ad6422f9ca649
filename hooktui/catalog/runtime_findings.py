"""A catalog beside its log: what hooks did and printed becomes part of what is wrong with them (contract.md, `check`)."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING

from hooktui.catalog.catalog import with_sightings
from hooktui.catalog.observed_hook import as_observed
from hooktui.diagnostics import runtime_rules
from hooktui.log.read import hook_history, recorded_callbacks
from hooktui.log.read.connection import LogError
from hooktui.log.write import writer

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hooktui.catalog.catalog import Catalog
    from hooktui.core.model import Hook
    from hooktui.log.read.hook_history import RunHistory


async def audited(catalog: Catalog, db: str | None = None) -> tuple[Catalog, str]:
    """The catalog with what its hooks' runs show, and why the log could not be read ("" when it could, or there is none).

    `db` is another log than the usual one. Only runs of what a hook is now count. Never raises for what a log holds.
    """
    try:
        histories = await _histories(catalog.hooks, db or writer.db_path(catalog.settings))
    except LogError as error:
        return catalog, str(error)
    sightings = tuple(runtime_rules.sightings(catalog.hooks, histories))
    return (with_sightings(catalog, sightings) if sightings else catalog), ""


async def with_callbacks(catalog: Catalog, db: str | None = None) -> Catalog:
    """The catalog and, behind the hooks of its files, those that Python agents of the project have registered.

    They are the agent's own and need no approval; only the agent can run them. A log that cannot be read knows none.
    """
    try:
        known = await recorded_callbacks.read(db or writer.db_path(catalog.settings), catalog.project)
    except LogError:
        return catalog
    return catalog.replace(hooks=(*catalog.hooks, *known), trust={**catalog.trust, **{hook.id: "user" for hook in known}})


async def _histories(hooks: Sequence[Hook], db: str) -> dict[str, RunHistory]:
    """By hook id: the one that goes on longer where a hook has two."""
    versions = {hook.id: (hook.version, as_observed(hook).version) for hook in hooks}
    known = await hook_history.read(db, list(chain.from_iterable(versions.values())))
    found = {hook_id: [known[version] for version in both if version in known] for hook_id, both in versions.items()}
    return {hook_id: max(some, key=lambda one: one.last_at) for hook_id, some in found.items() if some}
