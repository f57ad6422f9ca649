"""What was made of files, kept for as long as none of them changes: to read 1,000 hooks again costs no more than their stamps.

Whatever is kept says itself which paths it came from. Formats keep what they read of a file, rules what they found in a hook.
"""

from __future__ import annotations

import os
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from hooktui.core.file_stamps import may_change, stamp
from hooktui.formats import files

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Mapping

    from hooktui.formats.files import Contents


class Sourced(Protocol):
    """Something that was made of files."""

    @property
    def watched(self) -> Iterable[str]:
        """Every path whose change would change it, also those that do not exist yet."""


Made = TypeVar("Made", bound=Sourced)
_UNSURE = "unsure"  # in place of the stamp of a file that may change and keep its stamp
_RENAMED_IN = "renamed in"  # in place of the stamp of a directory in which a file would come or go


@dataclass(frozen=True, slots=True)
class _Kept:
    made: Any
    given: object
    stamps: Mapping[str, object]


class Sources:
    """The files of one load. The next one takes from it what was made of files that are still the same.

    Nothing is kept of a file that changed while it was read, or so shortly before that it may change again without a trace.
    `begun_ns`: when the reading began, in nanoseconds since 1970.
    """

    def __init__(self, last: Sources | None = None, contents: Contents | None = None) -> None:
        """Look at all files again; or, with `contents` in place of some of them by path, take the others to be as they were."""
        self._contents = contents or {}
        self.begun_ns = time.time_ns()
        self._last: Mapping[Hashable, _Kept] = last._kept if last else {}
        self._kept: dict[Hashable, _Kept] = {}
        known = last._stamps if last and contents is not None else {}
        listed = {os.path.dirname(path): _RENAMED_IN for path, held in self._contents.items() if held is None}
        self._stamps: dict[str, object] = {**known, **self._contents, **listed}
        self._changed = None if contents is None else self._contents.keys() | listed.keys()  # None: any path may have

    def keep(self, key: Hashable, make: Callable[[], Made], given: object = None) -> Made:
        """What `make` gives, or gave when it was last called for this key: with the same files, and the same `given`."""
        kept = self._kept.get(key) or self._last.get(key)
        if kept is None or not self._holds(kept, given):
            with files.in_place(self._contents):
                made = make()
            watched = tuple(made.watched)
            self._look_at(watched)
            kept = _Kept(made, given, {path: self._sure_stamp(path) for path in watched})
        self._kept[key] = kept
        found: Made = kept.made
        return found

    def _holds(self, kept: _Kept, given: object) -> bool:
        if self._changed is not None:
            return self._changed.isdisjoint(kept.stamps) and kept.given == given
        if not kept.stamps.keys() <= self._stamps.keys():
            self._look_at(kept.stamps)
        return kept.stamps.items() <= self._stamps.items() and kept.given == given

    def _look_at(self, paths: Iterable[str]) -> None:
        for path in paths:
            if path not in self._stamps:
                self._stamps[path] = stamp(path)

    def _sure_stamp(self, path: str) -> object:
        """What stands for a file that was looked at: its stamp, or the content in place of it."""
        known = self._stamps[path]
        return _UNSURE if isinstance(known, tuple) and may_change(known, self.begun_ns) else known
