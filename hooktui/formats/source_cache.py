"""Cache results made from files until one of the files changes. A reload of 1,000 hooks only stats their files.

Each result names the paths it came from. Formats cache the hooks of a file, rules the diagnostics of a hook.
"""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeVar

from hooktui.core.paths import may_change, stamp
from hooktui.formats import files
from hooktui.scripts import analysis_budget

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Mapping

    from hooktui.formats.files import Contents


class Sourced(Protocol):
    """A result made from files."""

    @property
    def watched(self) -> Iterable[str]:
        """Every path whose change would change the result, including missing ones."""


Made = TypeVar("Made", bound=Sourced)
_UNSURE = "unsure"  # the stamp of a file that may change without changing its stamp
_RENAMED_IN = "renamed in"  # the stamp of a directory that gains or loses a file


class _Kept(NamedTuple):
    made: Any
    given: object
    stamps: Mapping[str, object]


class Sources:
    """The cache of one load. The next load reuses the results of unchanged files.

    Files that changed during or shortly before the load are not cached: they may change again within one timestamp.
    `begun_ns`: start of the load, in nanoseconds since 1970.
    """

    def __init__(
        self,
        last: Sources | None = None,
        contents: Contents | None = None,
        tell: Callable[[Hashable], None] = lambda _: None,
    ) -> None:
        """Stat all files again, or, with `contents` of some paths (`files.in_place`), assume that the others are unchanged.

        `tell` is called with the key of each result that is made.
        """
        self._tell = tell
        self._contents = contents or {}
        self.begun_ns = time.time_ns()
        self._last: Mapping[Hashable, _Kept] = last._kept if last else {}
        self._kept: dict[Hashable, _Kept] = {}
        known = last._stamps if last and contents is not None else {}
        listed = {os.path.dirname(path): _RENAMED_IN for path, held in self._contents.items() if held is None}
        self._stamps: dict[str, object] = {**known, **self._contents, **listed}
        self._changed = None if contents is None else self._contents.keys() | listed.keys()  # None: any path may have

    def keep(self, key: Hashable, make: Callable[[], Made], given: object = None) -> Made:
        """The result of `make`, from the cache if its files and `given` are unchanged."""
        kept = self._kept.get(key) or self._last.get(key)
        if kept is None or not self._holds(kept, given):
            made = make()
            self._tell(key)
            if analysis_budget.is_spent():
                return made
            watched = tuple(made.watched)
            self._look_at(watched)
            kept = _Kept(made, given, {path: self._sure_stamp(path) for path in watched})
        self._kept[key] = kept
        result: Made = kept.made
        return result

    def mode(self, path: str) -> int:
        """The mode of a file on disk, 0 if it is missing."""
        if path not in self._stamps:
            self._look_at((path,))
        known = self._stamps[path]
        on_disk = known if isinstance(known, tuple) else stamp(path)
        return on_disk[-1] if on_disk else 0

    def _holds(self, kept: _Kept, given: object) -> bool:
        if self._changed is not None:
            return self._changed.isdisjoint(kept.stamps) and kept.given == given
        if not kept.stamps.keys() <= self._stamps.keys():
            self._look_at(kept.stamps)
        return kept.stamps.items() <= self._stamps.items() and kept.given == given

    def _look_at(self, paths: Iterable[str]) -> None:
        for path in paths:
            if path not in self._stamps:
                self._stamps[path] = stamp(path, files.status)  # as it was before the file was read

    def _sure_stamp(self, path: str) -> object:
        """The stamp of a file, or the content in place of it."""
        known = self._stamps[path]
        return _UNSURE if isinstance(known, tuple) and may_change(known, self.begun_ns) else known
