"""Compare what ran, from the log, with the hook today."""

from __future__ import annotations

from typing import Literal, NamedTuple

from hooktui import hosts
from hooktui.catalog.catalog import Catalog, with_own_agents, with_sightings
from hooktui.catalog.hook_states import NOT_CONNECTED
from hooktui.core import paths
from hooktui.core.model import Hook
from hooktui.diagnostics import runtime_rules
from hooktui.log.read import hook_history, hook_versions, recorded_callbacks
from hooktui.log.read.connection import LogError
from hooktui.log.read.rows import StoredHook
from hooktui.runner.journal.entry import stored_name
from hooktui.runner.redaction import redact


class Provenance(NamedTuple):
    """`today` is the hook's state; `gone` also if it belongs to another project, `unknown` if only a transcript tells of it.

    `changed` is a unified diff from what ran to the hook today, "" if the text is equal.
    """

    stored: StoredHook
    today: Literal["same", "changed", "gone", "unknown"]
    changed: str = ""


def beside_today(stored: StoredHook, catalog: Catalog) -> Provenance:
    """Compare what ran with the catalog, redacted like the log, so that only changes differ."""
    if stored.version.startswith(hook_versions.TOLD):
        return Provenance(stored, "unknown")
    secrets = catalog.settings.redact
    here = (hook for hook in catalog.hooks if stored_name(hook.file, secrets) == stored.file)
    hook = next((hook for hook in here if stored.key == stored_name(hook.identity, secrets)), None)
    if hook is None:
        return Provenance(stored, "gone")
    if stored.version == hook.version:
        return Provenance(stored, "same")
    return Provenance(stored, "changed", hook_versions.difference(stored.text, redact(hook.full_text, secrets)))


def hook_of(catalog: Catalog, key: str) -> Hook | None:
    """The catalog's hook for an ID of a diagnostic or in the log; None if it no longer exists."""
    secrets = catalog.settings.redact
    return next((hook for hook in catalog.hooks if key in (hook.id, hook.identity, stored_name(hook.identity, secrets))), None)


async def audited(catalog: Catalog, db: str | None = None) -> tuple[Catalog, str]:
    """Add problems that logged runs show. Also return why the log could not be read, "" if it could or there is none.

    `db` is another log. Only runs of a hook's present version count. Log content never raises.
    """
    try:
        catalog = await with_callers(catalog, db)
        known = await hook_history.read(_path(catalog, db), [hook.version for hook in catalog.hooks])
        histories = {hook.id: known[hook.version] for hook in catalog.hooks if hook.version in known}
    except LogError as error:
        return catalog, str(error)
    sightings = tuple(runtime_rules.sightings(catalog.hooks, histories))
    return (with_sightings(catalog, sightings) if sightings else catalog), ""


async def with_callbacks(catalog: Catalog, db: str | None = None) -> Catalog:
    """Add the hooks that the project's Python agents registered, after those of files.

    They belong to the agent, need no approval, and only the agent can run them. An unreadable log has none.
    """
    try:
        known = await recorded_callbacks.read(_path(catalog, db), catalog.project)
    except LogError:
        return catalog
    return catalog._replace(hooks=(*catalog.hooks, *known), trust={**catalog.trust, **{hook.id: "user" for hook in known}})


async def with_callers(catalog: Catalog, db: str | None = None) -> Catalog:
    """Drop "not connected" problems if agents that no connection is for run the project's HOOK.md hooks. Raises LogError."""
    asked_by = (problem for problem in catalog.diagnostics if problem.code in (NOT_CONNECTED, "never-fires"))
    is_asked = catalog.relevant.awaits_connection or any(problem.hook for problem in asked_by)
    others = [spec.name for spec in (*hosts.specs(), hosts.IN_PROCESS) if not spec.connect_scopes]
    if is_asked and await hook_history.has_events(_path(catalog, db), catalog.project, others):
        return with_own_agents(catalog)
    return catalog


def _path(catalog: Catalog, db: str | None) -> str:
    return db or paths.log_path(catalog.settings.log_path)
