"""The rules, and what they look at. To add one: write a function here or in a module beside, and name it in RULES."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

from hooktui.diagnostics.between_hosts import between_hosts
from hooktui.diagnostics.place import at_event, at_field
from hooktui.diagnostics.prose import contradicts
from hooktui.diagnostics.scripts import scripts
from hooktui.diagnostics.slow_regex import slow_regex
from hooktui.paths import short

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from hooktui.diagnostics.snapshot import Snapshot
    from hooktui.model import Diagnostic, Hook

AGENTHOOKS = "agenthooks"


def untrusted(catalog: Snapshot) -> Iterator[Diagnostic]:
    """Project code that nobody approved, or that changed since."""
    for hook in catalog.hooks:
        if not hook.enabled:
            continue
        state = catalog.trust.get(hook.id, "untrusted")
        if state == "untrusted":
            message = f"{hook.name} is not approved: it does not run"
            yield at_event(hook, "warning", "untrusted", message, "read it, then `hooktui trust`")
        elif state == "changed":
            message = f"{hook.name} has changed since it was approved: it does not run"
            yield at_event(hook, "warning", "changed-since-trusted", message, "read what changed, then `hooktui trust`")


def overrides(catalog: Snapshot) -> Iterator[Diagnostic]:
    """A project's hook that takes the place of the user's own of the same name."""
    by_id = {hook.id: hook for hook in catalog.hooks}
    for own in catalog.hooks:
        for rival in (by_id[key] for key in own.rivals if key in by_id):
            done = "replaces" if catalog.trust.get(rival.id) == "trusted" else "would, once it is trusted, replace"
            message = f"{rival.name} {done} the user's hook of the same name ({short(own.file)})"
            yield at_field(rival, "name", "warning", "overrides-user-hook", message, "give it another name to run both")


def duplicates(catalog: Snapshot) -> Iterator[Diagnostic]:
    """Two hooks of one name in one scope: both run, and neither a log nor an override can tell them apart."""
    mine = sorted((hook for hook in catalog.hooks if hook.format == AGENTHOOKS), key=_name_in_scope)
    for _, group in groupby(mine, key=_name_in_scope):
        first, *others = sorted(group, key=lambda hook: hook.file)
        for other in others:
            message = f"{other.name} is also the name of {short(first.file)}: both run"
            yield at_field(other, "name", "warning", "duplicate-hook", message, "give one of them another name")


def _name_in_scope(hook: Hook) -> tuple[str, str]:
    return hook.scope, hook.name


RULES: tuple[Callable[[Snapshot], Iterator[Diagnostic]], ...] = (
    untrusted,
    overrides,
    duplicates,
    slow_regex,
    contradicts,
    scripts,
    between_hosts,
)
