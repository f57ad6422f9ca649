"""Forks of an agent's process: locks must not be caught while held, and what SQLite has open must not be inherited."""

from __future__ import annotations

import os
import threading
from typing import TYPE_CHECKING, Protocol
from weakref import WeakSet

if TYPE_CHECKING:
    from collections.abc import Callable


class Forked(Protocol):
    """What has a thread or a connection."""

    def hold(self) -> None:
        """Before a fork: let nothing be under way."""

    def go_on(self) -> None:
        """After it, in the process that was there."""

    def begin_anew(self) -> None:
        """After it, in the new process."""


_watched: WeakSet[Forked] = WeakSet()
_held: list[Forked] = []
_forking = threading.RLock()


def watch(one: Forked) -> None:
    """Tell something of every fork from now on."""
    _watched.add(one)


def _hold() -> None:
    _forking.acquire()
    _held.extend(_watched)
    for one in _held:
        one.hold()


def _release(tell: Callable[[Forked], None]) -> None:
    while _held:
        tell(_held.pop())
    _forking.release()


os.register_at_fork(
    before=_hold,
    after_in_parent=lambda: _release(lambda one: one.go_on()),
    after_in_child=lambda: _release(lambda one: one.begin_anew()),
)
