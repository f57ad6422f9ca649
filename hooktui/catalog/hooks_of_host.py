"""The hooks that an agent program runs: those in its own files, and those of other hosts' files that it reads, too."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from hooktui import hosts

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from hooktui.catalog.catalog import Catalog
    from hooktui.core.model import Hook
    from hooktui.hosts import Host
    from hooktui.hosts.shared.places import Reads


def formats(host: str) -> tuple[str, ...]:
    """The formats of the files that a host reads without a setting, its own first."""
    return (host, *(reads.host for reads in hosts.spec(host).reads if not reads.setting()))


def kept(catalog: Catalog, host: str) -> Catalog:
    """A catalog of these formats with the host's hooks and files only."""
    if len(formats(host)) == 1:
        return catalog
    spec, inside = hosts.spec(host), os.path.join(catalog.project, "")
    hooks = tuple(_switched(_of_host(catalog.hooks, spec), host, catalog.relevant.switched_off.get(host, "")))
    used = {hook.file for hook in hooks}
    files = (
        path
        for path in catalog.files
        if path in used or path.startswith(inside) or any(place.fits(path) for place in spec.files)
    )
    return catalog._replace(hooks=hooks, files=tuple(files))


def _of_host(hooks: Iterable[Hook], spec: Host) -> Iterator[Hook]:
    """Hooks of other hosts' files run only under events that the host spells so."""
    hooks = list(hooks)
    for reads in spec.reads:
        theirs = [hook for hook in hooks if hook.format == reads.host and _is_read(hook, reads, spec)]
        lost = {hook.file for hook in theirs if _loses(hook, reads)}
        hooks = [hook for hook in hooks if hook.format != reads.host or (hook in theirs and hook.file not in lost)]
    yield from hooks


def _switched(hooks: Iterable[Hook], host: str, off: str) -> Iterator[Hook]:
    """The hooks of other hosts' files are off as well, if the host's settings switch off all."""
    yield from (hook.replace(enabled=False, why_disabled=off) if off and hook.format != host else hook for hook in hooks)


def _is_read(hook: Hook, reads: Reads, spec: Host) -> bool:
    is_read = reads.reads_scope(hook.scope) and reads.reads_event(hook.event_as_written) and not hook.owner
    return is_read and hook.type != "mod" and hook.event_as_written in spec.events


def _loses(hook: Hook, reads: Reads) -> bool:
    return reads.loses(hook.event_as_written, hook.tool) or reads.loses_type(hook.type, hook.event)
