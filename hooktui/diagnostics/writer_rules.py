"""The rule about hook files that others than their owner can write."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hooktui.core.model import Fix, HookDirectory
from hooktui.core.paths import near
from hooktui.diagnostics.rule_context import at_field
from hooktui.formats import exposed_files

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from hooktui.core.model import Diagnostic, Hook
    from hooktui.diagnostics.rule_context import Snapshot
    from hooktui.security.permissions import Exposure

CODE = "insecure-permissions"


def insecure_permissions(catalog: Snapshot) -> Iterator[Diagnostic]:
    """Others can write a hook's files. A file of several hooks is reported once."""
    reported: set[str] = set()
    for hook in catalog.hooks:
        exposures = [] if hook.read_only else exposed_files.exposures(hook, catalog.sources)
        exposures = [exposure for exposure in exposures if exposure.path not in reported]
        if exposures:
            reported |= {exposure.path for exposure in exposures}
            yield _diagnostic(hook, exposures)


def _diagnostic(hook: Hook, exposures: Sequence[Exposure]) -> Diagnostic:
    first, *others = exposures
    root = hook.root if isinstance(hook.source, HookDirectory) else ""
    more = f" (and {len(others)} more)" if others else ""
    message = f"{near(first.path, root)}{more} is writable by {first.writers}"
    message += ": hooktui does not run the hook" if first.is_refused else ", which could change the hook"
    fix = Fix(label="let only the owner write", kind="protect", path=first.path)
    hint = f"chmod go-w {near(first.path, '')}"
    diagnostic = at_field(hook, "trigger", "error" if first.is_refused else "warning", CODE, message, hint)
    return diagnostic.replace(fix=fix)
