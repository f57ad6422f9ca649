"""Load the catalog again each time one of its files changes."""

from __future__ import annotations

import asyncio
import os
import time
from typing import TYPE_CHECKING, Protocol

from hooktui.catalog import catalog as catalogs
from hooktui.core import paths
from hooktui.core.inotify import Inotify

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Collection, Iterable, Sequence

    from hooktui.catalog.catalog import Catalog
    from hooktui.core.inotify import Change

_LOOK_S = 1.0  # how long a change that the system does not report may go unnoticed
_LOOK_SHARE = 2000  # the time between two looks, in multiples of what a look at many files takes
_QUIET_S, _LONGEST_S = 0.02, 0.1  # without a change before a file counts as written, and how long to wait for that
_REST_S = 0.3  # after changes of other files
_STEP_MS = 100  # between two looks without inotify
_DRAFTS = ("~", ".swp", ".swx", ".pyc")  # what editors and Python write beside a file
# Without inotify, each start of a program would wake us, as it opens files there; file stamps show what changes.
_SYSTEM = ("/bin/", "/sbin/", "/lib/", "/lib64/", "/usr/", "/nix/", "/opt/homebrew/", "/System/", "/snap/")
_BUSY = ("/", "/etc/")  # themselves, not what is below


async def watch(catalog: Catalog) -> AsyncIterator[Catalog]:
    """Yield a new catalog each time a source of the last one changes.

    Changes behind links, or while nothing is watched, are found by file stamps soon after.
    """
    while True:
        roots = await asyncio.to_thread(_existing, catalog.watched)
        notices, next_look, is_moved = await asyncio.to_thread(_notices, roots), 0.0, False
        try:
            while not is_moved:
                changed = await notices.changes(max(next_look - time.monotonic(), 0.0))
                if not changed and time.monotonic() < next_look:
                    continue
                if changed:
                    is_stale = _concerns(catalog, changed)
                else:
                    is_stale, took_s = await asyncio.to_thread(_look, catalog)
                    next_look = time.monotonic() + max(took_s * _LOOK_SHARE, _LOOK_S)
                if is_stale:
                    before, catalog = catalog, await asyncio.to_thread(catalogs.load, catalog.directory, last=catalog)
                    yield catalog
                    is_moved = catalog.watched != before.watched or _may_have_moved(roots, changed)
                elif changed:
                    is_moved = not roots.isdisjoint(changed)
                    await asyncio.sleep(_REST_S)  # the log is written beside the approvals
        finally:
            await notices.close()


def _look(catalog: Catalog) -> tuple[bool, float]:
    """Whether a file stamp has changed, and the processor's seconds that the look took."""
    began = time.thread_time()
    return paths.changed_since(catalog.watched, catalog.begun_ns), time.thread_time() - began


def _concerns(catalog: Catalog, changed: Sequence[str]) -> bool:
    """Whether one of these paths affects the catalog."""
    known = set(catalog.watched)
    return any(path in known or os.path.dirname(path) in known for path in changed)


def _may_have_moved(roots: Collection[str], changed: Sequence[str]) -> bool:
    """Whether a directory may have been created or deleted, so that the watch must be renewed."""
    return not changed or any(path in roots or os.path.isdir(path) for path in changed)


class _Notices(Protocol):
    """What the system reports of some directories."""

    async def changes(self, timeout_s: float) -> Sequence[str]:
        """The paths of changed files; none if the time is up first, or earlier."""

    async def close(self) -> None:
        """Watch no more."""


def _notices(roots: Collection[str]) -> _Notices:
    try:
        return _Immediate(roots)
    except OSError:
        return _Stepwise(roots)


class _Immediate:
    """By inotify, a moment after the last of several writes."""

    def __init__(self, roots: Collection[str]) -> None:
        """Raises OSError without inotify."""
        self._roots = roots
        self._inotify = Inotify(roots, "attributes")

    async def changes(self, timeout_s: float) -> Sequence[str]:
        changes = more = await self._inotify.changes(timeout_s)
        latest = time.monotonic() + _LONGEST_S
        while more and time.monotonic() < latest:
            await asyncio.sleep(_QUIET_S)
            changes += (more := self._inotify.read())
        if any(change.is_lost for change in changes):
            return list(self._roots)
        return [_path(change) for change in changes if not change.name.endswith(_DRAFTS)]

    async def close(self) -> None:
        self._inotify.close()


def _path(change: Change) -> str:
    return os.path.join(change.directory, change.name) if change.name else change.directory


class _Stepwise:
    """By watchfiles, where there is no inotify. It sleeps and looks in a loop."""

    def __init__(self, roots: Collection[str]) -> None:
        import watchfiles

        self._changes = watchfiles.awatch(
            *roots,
            debounce=80,
            step=_STEP_MS,
            rust_timeout=int(_LOOK_S * 1000),
            yield_on_timeout=True,
            recursive=False,
            ignore_permission_denied=True,
        )

    async def changes(self, timeout_s: float) -> Sequence[str]:
        return [path for _, path in await anext(self._changes)] if timeout_s else ()

    async def close(self) -> None:
        await self._changes.aclose()


def _existing(watched: Iterable[str]) -> set[str]:
    """The directories to watch: each path's own or the nearest existing parent, so that its creation is noticed.

    Not those of the system, in which only file stamps are compared.
    """
    roots = {_existing_directory(path) for path in watched}
    real = dict[str, str]()
    return {root for root in roots if _is_quiet(os.path.join(_real(root, real), ""))}


def _existing_directory(path: str) -> str:
    """A directory itself, else the nearest one above a path."""
    while not os.path.isdir(path):
        path = os.path.dirname(path)
    return path


def _real(directory: str, known: dict[str, str]) -> str:
    """A directory with its links resolved; `known` are those that were before, as many share the directories above them."""
    if directory not in known:
        above, name = os.path.split(directory)
        is_plain = bool(name) and not os.path.islink(directory)
        known[directory] = os.path.join(_real(above, known), name) if is_plain else os.path.realpath(directory)
    return known[directory]


def _is_quiet(real: str) -> bool:
    return real not in _BUSY and not real.startswith(_SYSTEM)
