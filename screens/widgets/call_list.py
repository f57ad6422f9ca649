"""A list with one row for each tool call, whose events a key unfolds."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from typing import TypeVar

from textual.binding import Binding

from hooktui.catalog.known_hooks import KnownHooks
from hooktui.log.read.connection import default_path
from hooktui.log.read.rows import DispatchRow
from hooktui.log.read.search import SearchResults
from hooktui.screens.services.app_context import app_context
from hooktui.screens.widgets.paged_list import PagedList

T = TypeVar("T")


class CallList(PagedList[T]):
    """A subclass says which call a row shows. Events of unfolded calls are rows of their own, in the order of their times."""

    BINDINGS = [
        Binding(
            "plus,equals_sign",
            "unfold",
            "Events",
            key_display="+",
            tooltip="Show or hide a call's events",
            show=False,
            id="more",
        )
    ]

    def __init__(self, *, id: str) -> None:  # noqa: A002  # Textual's name
        super().__init__(id=id)
        self._following: dict[int, tuple[int, ...]] = {}  # the later events of unfolded calls, by the first
        self._known_hooks: KnownHooks | None = None

    def on_mount(self) -> None:
        self.watch(self.app, "catalog", self._take_catalog, init=False)

    def _take_catalog(self) -> None:
        self._known_hooks = None
        self.refetch()

    async def completed(self, calls: Sequence[DispatchRow]) -> Sequence[DispatchRow]:
        """Calls that say whether all hooks are known. Reading the hook files of their agents takes milliseconds."""
        context = app_context(self)
        if context.fleet or not context.catalog:
            return calls
        if self._known_hooks is None:
            self._known_hooks = KnownHooks(context.db or default_path())
        return await asyncio.to_thread(self._known_hooks.quieted, calls, context.catalog.project)

    def call_of(self, row: T) -> DispatchRow:
        """The call that a row shows, or the event that belongs to none."""
        raise NotImplementedError

    @property
    def count(self) -> int:
        return len(self.results) - sum(map(len, self._following.values()))

    @property
    def shows_whole_call(self) -> bool:
        """Whether the row under the cursor stands for all events of its call."""
        return self.current is not None and self._unfolded(self.current) is None

    def shown(self, call: DispatchRow) -> DispatchRow:
        """What the row of a call shows: the whole call, or its first event while it is unfolded."""
        is_unfolded = call.events and call.id in self._following
        return call.events[0]._replace(tool_ms=call.tool_ms) if is_unfolded else call

    def show(self, results: SearchResults) -> None:
        """Show rows; calls that are still among them stay unfolded."""
        self._following = {head: following for head, following in self._following.items() if head in results}
        for following in self._following.values():
            results.add(following)
        super().show(results)

    def take_calls(self, rows: Iterable[T]) -> None:
        for call in map(self.call_of, rows):
            if call.id in self._following:
                self._following[call.id] = tuple(event.id for event in call.events[1:])
                self.results.add(self._following[call.id])

    def action_unfold(self) -> None:
        row = self.row(self.current) if self.current is not None else None
        if self.current is None or row is None:
            return
        head = self._unfolded(self.current)
        if head is not None:
            self.go_to(self.results.row_of(head))
            self.results.remove(self._following.pop(head))
        elif len(events := self.call_of(row).events) > 1:
            self.go_to(self.results.row_of(self.current))
            self._following[self.current] = tuple(event.id for event in events[1:])
            self.results.add(self._following[self.current])
        else:
            self.notify("This row is one event.")
            return
        self.update_rows()
        self.repaint()
        self.post_message(self.Moved(self.current))

    def _unfolded(self, number: int) -> int | None:
        """The first event of the unfolded call that an event belongs to; None if there is none."""
        return next((head for head, following in self._following.items() if number in (head, *following)), None)
