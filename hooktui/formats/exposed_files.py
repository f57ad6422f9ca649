"""The files of hooks that others can write, looked at again only when one of them changes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from hooktui.formats import permissions

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hooktui.core.model import Hook
    from hooktui.formats.permissions import Exposure
    from hooktui.formats.source_cache import Sources


@dataclass(frozen=True, slots=True)
class _Exposures:
    exposures: Sequence[Exposure]
    watched: tuple[str, ...]


def exposures(hook: Hook, sources: Sources) -> Sequence[Exposure]:
    """The files of a hook that others can write, those for which it is refused first."""
    paths = permissions.files(hook)
    return sources.keep(("exposures", paths), lambda: _Exposures(permissions.of_files(paths), paths)).exposures
