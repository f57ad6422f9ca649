"""Build hook: take `screens/` and `styles/` from the top of the tree, with or without symbolic links in the checkout."""

from __future__ import annotations

import os
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

FOLDERS = {"screens": "hooktui/screens", "styles": "hooktui/styles"}


class PackageFolders(BuildHookInterface):  # type: ignore[type-arg]
    """Put the top-level folders below `hooktui/` in a wheel; an editable install follows the links instead."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Raise ValueError for an editable install from a checkout whose links are plain files."""
        if version != "editable":
            build_data["force_include"].update(FOLDERS)
            return
        broken = [link for link in FOLDERS.values() if not os.path.isdir(os.path.join(self.root, link))]
        if broken:
            raise ValueError(
                f"an editable install needs symbolic links, and this checkout has none: {', '.join(broken)}. "
                "Run `make links` first, or install without --editable."
            )
