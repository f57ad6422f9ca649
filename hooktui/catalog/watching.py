"""Load the catalog again each time one of its files changes."""

from __future__ import annotations

import asyncio
import os
import stat
from collections.abc import AsyncGenerator, AsyncIterator, Collection, Iterable
from contextlib import aclosing
from importlib import import_module
from typing import NamedTuple

from hooktui.catalog import catalog as catalogs
from hooktui.catalog.catalog import Catalog
from hooktui.core import paths

_STEP_MS, _LONGEST_MS = 100, 200  # without another change before a file counts as written, and how long to wait for that
_REST_S = 0.3  # after changes of other files: the log is written beside the approvals
_RETRY_S = 1.0  # until the next attempt to watch
_DRAFTS = ("~", ".swp", ".swx", ".pyc")  # what editors and Python write beside a file
# A package manager changes these; a watch of them would be woken by each start of a program, as it opens files there.
_SYSTEM = ("/bin/", "/sbin/", "/lib/", "/lib64/", "/usr/", "/nix/", "/opt/homebrew/", "/System/", "/snap/")
_LOCAL = "/usr/local/"
_OPENED = "/etc"  # as each program opens files there, too; the directories below it are watched


async def watch(catalog: Catalog, more: Collection[str] = ()) -> AsyncIterator[Catalog]:
    """Yield a new catalog each time a source of the last one changes, or one of `more` paths.

    Also finds what has changed before the first call.
    """
    await asyncio.to_thread(import_module, "hooktui.formats.directory_watch")
    while True:
        sources, has_looked = await asyncio.to_thread(_sources, (*catalog.watched, *more)), False
        async with aclosing(_changes(sources.directories)) as changes:
            async for changed in changes:
                is_stale = any(path in sources.files or os.path.dirname(path) in sources.files for path in changed)
                if not has_looked:  # for changes before the watch began
                    is_stale |= await asyncio.to_thread(paths.changed_since, catalog.watched, catalog.begun_ns)
                    has_looked = True
                is_moved = sources.have_moved(changed)
                if is_stale:
                    before, catalog = catalog, await asyncio.to_thread(catalogs.load, catalog.directory, last=catalog)
                    yield catalog
                    is_moved = is_moved or catalog.watched != before.watched
                elif changed:
                    await asyncio.sleep(_REST_S)
                if is_moved:
                    break


async def _changes(directories: Iterable[str]) -> AsyncGenerator[Collection[str], None]:
    """Yield the paths that change; none once they are watched, and where the system watches no more."""
    from hooktui.formats.directory_watch import DirectoryWatch

    try:
        begun = asyncio.to_thread(DirectoryWatch, directories, step_ms=_STEP_MS, longest_ms=_LONGEST_MS)
        with await begun as watch:  # 1,000 hooks take 40 ms
            yield ()
            while True:
                yield [path for path in await watch.changed() if not path.endswith(_DRAFTS)]
    except (OSError, RuntimeError):  # a directory is gone, or a name in it is not UTF-8
        await asyncio.sleep(_RETRY_S)
        yield ()


class _Sources(NamedTuple):
    """Real paths: `files` and directories whose changes matter, the `directories` to watch, and `missing` ones above files."""

    files: frozenset[str]
    directories: frozenset[str]
    missing: frozenset[str]

    def have_moved(self, changed: Iterable[str]) -> bool:
        """Whether a directory may have been created or deleted, so that the watch must be renewed."""
        return any(path in self.directories or path in self.missing or os.path.isdir(path) for path in changed)


def _sources(watched: Iterable[str]) -> _Sources:
    """What to watch for some paths: each itself and what it links to, in its own directory or the nearest one above it.

    Not directories that each program uses: changes there are found when something else changes.
    """
    tree = _Tree()
    files = {path for name in watched for path in tree.real_paths(name) if _is_ours(path)}
    nearest = {path: tree.nearest_directory(path) for path in files}
    missing = {above for path, directory in nearest.items() if path != directory for above in _between(path, directory)}
    return _Sources(frozenset(files), frozenset(filter(_is_ours, {*nearest.values()} - {_OPENED})), frozenset(missing))


class _Tree:
    """Reads the status of each path only once: many paths share their parent directories."""

    def __init__(self) -> None:
        self._modes: dict[str, int] = {}
        self._real: dict[str, str] = {}

    def real_paths(self, path: str) -> tuple[str, ...]:
        """A path without links in its directory, and what it links to."""
        above = os.path.dirname(path)
        real = self._resolved(above)
        own = path if real == above else os.path.join(real, os.path.basename(path))
        return (own, os.path.realpath(own)) if stat.S_ISLNK(self._mode(own)) else (own,)

    def nearest_directory(self, path: str) -> str:
        """A directory itself, else the nearest one above a path. A link is in the directory that holds it."""
        while not stat.S_ISDIR(self._mode(path)):
            path = os.path.dirname(path)
        return path

    def _resolved(self, directory: str) -> str:
        if directory not in self._real:
            above, name = os.path.split(directory)
            is_plain = bool(name) and not stat.S_ISLNK(self._mode(directory))
            self._real[directory] = os.path.join(self._resolved(above), name) if is_plain else os.path.realpath(directory)
        return self._real[directory]

    def _mode(self, path: str) -> int:
        if path not in self._modes:
            try:
                self._modes[path] = os.lstat(path).st_mode
            except (OSError, ValueError):
                self._modes[path] = 0
        return self._modes[path]


def _between(path: str, directory: str) -> Iterable[str]:
    """The paths from one up to a directory above it, without that."""
    while path != directory:
        yield path
        path = os.path.dirname(path)


def _is_ours(path: str) -> bool:
    return f"{path}/".startswith(_LOCAL) or not f"{path}/".startswith(_SYSTEM)
