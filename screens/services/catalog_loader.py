"""Load a project's catalog, complete with what the log and the key bindings add to it."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from hooktui.catalog.catalog import Catalog


class CatalogLoader:
    """Reads hooks from disk, runtime diagnostics and Python callbacks from the log, key faults from the configuration."""

    def __init__(self, project: str, db: str | None) -> None:
        self._project = project
        self._db = db

    def load(self, last: Catalog | None) -> Catalog:
        """Load all hooks; `last` is the catalog to take unchanged files from. Blocks: call it in a thread."""
        from hooktui.catalog import catalog

        return self._complete(catalog.load(self._project, last=last))

    async def watch(self, first: Catalog) -> AsyncIterator[Catalog]:
        """Yield a fresh catalog each time a hook file changes."""
        from hooktui.catalog import catalog

        async for fresh in catalog.watch(first):
            yield await asyncio.to_thread(self._complete, fresh)

    def _complete(self, catalog: Catalog) -> Catalog:
        if catalog.settings.keys:
            from hooktui.screens.keys import keymap

            catalog = keymap.checked(catalog)
        return asyncio.run(self._with_log(catalog))

    async def _with_log(self, catalog: Catalog) -> Catalog:
        from hooktui.catalog import log_links

        audited, _ = await log_links.audited(catalog, self._db)
        return await log_links.with_callbacks(audited, self._db)
