"""What ran, as the log keeps it, beside what the same hook is today."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from hooktui.catalog.observed_hook import as_observed
from hooktui.log.read import hook_versions
from hooktui.log.write.entry import stored_name
from hooktui.security.redaction import redact

if TYPE_CHECKING:
    from hooktui.catalog.catalog import Catalog
    from hooktui.core.model import Hook
    from hooktui.log.read.rows import StoredHook


@dataclass(frozen=True, slots=True)
class Provenance:
    """`today`: whether the hook is still the same; `gone` also when it is of another project.

    `changed` is a unified diff from what ran to what would run today, "" when no text differs.
    """

    stored: StoredHook
    today: Literal["same", "changed", "gone"]
    changed: str = ""


def beside_today(stored: StoredHook, catalog: Catalog) -> Provenance:
    """What ran beside what the catalog holds of it. Redacted like the log, so that only changes differ."""
    secrets = catalog.settings.redact
    here = (hook for hook in catalog.hooks if stored_name(hook.file, secrets) == stored.file)
    hook = next((hook for hook in here if stored.key in [stored_name(key, secrets) for key in keys(hook)]), None)
    if hook is None:
        return Provenance(stored, "gone")
    observed = as_observed(hook)
    if stored.version in (hook.version, observed.version):
        return Provenance(stored, "same")
    today = hook if stored.key == stored_name(hook.id, secrets) else observed
    return Provenance(stored, "changed", hook_versions.difference(stored.text, redact(today.full_text, secrets)))


def hook_of(catalog: Catalog, key: str) -> Hook | None:
    """The hook of the catalog that a report of the log calls by an id; None when it is not there any more."""
    return next((hook for hook in catalog.hooks if key in (hook.id, stored_name(hook.id, catalog.settings.redact))), None)


def keys(hook: Hook) -> tuple[str, str]:
    """By which ids the log knows a hook: run by hooktui, and run by its host and recorded by `exec`."""
    return hook.id, f"{hook.format}:observed:{hook.name}"
