"""Keys that are hit faster than the app can follow: each is looked at when what the one before it asked for is there."""

from __future__ import annotations

import time
from collections import deque
from typing import TYPE_CHECKING, NamedTuple

from textual import on
from textual.app import App
from textual.events import Key
from textual.message import Message

if TYPE_CHECKING:
    from collections.abc import Callable

    from textual.dom import DOMNode
    from textual.events import Event
    from textual.timer import Timer

_ASKING = ("dialog", "leave")  # groups of workers that change something or open a dialog
_ROUNDS = 2  # from the focused widget up to the app: one for a key, one for what the widget said because of it
_LOOK_S = 0.02  # between two looks whether it has come
_PATIENCE_S = 5.0  # for what may never come


class _Coming(NamedTuple):
    """Something that was asked for: whether it is still on its way, and which keys are not for it."""

    comes: Callable[[], bool]
    spares: Callable[[str], bool]


class _Passed(Message):
    """Follows a key by the same way through the same queues: where this arrives, the key has been dealt with."""

    def __init__(self, rounds: int) -> None:
        super().__init__()
        self.rounds = rounds


class TypedAhead(App[None]):
    """An app that forwards one key at a time, so that the next one goes where the person who hits it already is."""

    def __init__(self) -> None:
        super().__init__()
        self._keys: deque[Key] = deque()
        self._passing: DOMNode | None = None  # what the last key was for, while it is not known to be dealt with
        self._coming: list[_Coming] = []
        self._deadline = 0.0
        self._looking: Timer | None = None

    def hold_keys(self, comes: Callable[[], bool], spares: Callable[[str], bool] = lambda _key: False) -> None:
        """Keep what is typed, but the keys that it `spares`, for something that `comes`. It has a few seconds."""
        self._coming.append(_Coming(comes, spares))
        self._deadline = time.monotonic() + _PATIENCE_S

    async def on_event(self, event: Event) -> None:
        """Keep a key while the one before it is on its way, or what that one asked for."""
        if not isinstance(event, Key) or event.is_forwarded:
            await super().on_event(event)
        elif self._keys or self._must_wait(event):
            self._keys.append(event)
            self._looking = self._looking or self.set_interval(_LOOK_S, self._go_on)
        else:
            await self._forward(event)

    def _must_wait(self, key: Key) -> bool:
        self._coming = [one for one in self._coming if one.comes()]
        if self._passing is not None and not self._passing.is_running:
            self._passing = None  # it went with its dialog
        if time.monotonic() > self._deadline:
            self._passing = None
            self._coming.clear()
            return False
        return self._passing is not None or self._is_asking() or not all(one.spares(key.key) for one in self._coming)

    def _is_asking(self) -> bool:
        """Whether the screen is about to change something or to open a dialog, or one that is open waits for its focus."""
        screen = self.screen
        if screen.is_modal and screen.focused is None:
            return not screen.is_mounted or (screen.AUTO_FOCUS != "" and bool(screen.focus_chain))
        return any(worker.node is screen and worker.group in _ASKING and not worker.is_finished for worker in self.workers)

    async def _forward(self, key: Key) -> None:
        self._passing = self.focused or self.screen
        self._deadline = time.monotonic() + _PATIENCE_S
        await super().on_event(key)
        self._follow(_ROUNDS)

    def _follow(self, rounds: int) -> None:
        if self._passing is None or not rounds or not self._passing.post_message(_Passed(rounds)):
            self._passing = None

    @on(_Passed)
    async def _take_note(self, message: _Passed) -> None:
        self._follow(message.rounds - 1)
        if self._keys:
            await self._go_on()

    async def _go_on(self) -> None:
        """Look at the next key, if nothing is on its way any more."""
        if self._keys and not self._must_wait(self._keys[0]):
            await self._forward(self._keys.popleft())
        if not self._keys and self._looking is not None:
            self._looking.stop()
            self._looking = None
