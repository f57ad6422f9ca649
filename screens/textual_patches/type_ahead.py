"""Hold each key until the effects of the one before it have arrived.

Textual (seen in 8.0) forwards a key to whatever has the focus at that moment. A person who types faster than the app opens a
dialog or moves the focus would hit the wrong widget.
"""

from __future__ import annotations

import time
from collections import deque
from typing import TYPE_CHECKING, Any, NamedTuple

from textual.events import Key
from textual.message import Message

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from textual.app import App
    from textual.dom import DOMNode
    from textual.events import Event
    from textual.timer import Timer

_DIALOG_GROUPS = ("dialog", "leave")  # groups of workers that change something or open a dialog
_ROUNDS = 2  # trips from the focused widget up to the app: one for the key, one for the messages it caused
_POLL_S = 0.02
_PATIENCE_S = 5.0  # after which keys go on, whatever they wait for


class _Hold(NamedTuple):
    """A reason to hold keys: whether it still applies, and which keys it lets through."""

    pending: Callable[[], bool]
    passes: Callable[[str], bool]


class KeyHandled(Message):
    """Follows a key through the same queues: when the app receives it, the key has been handled."""

    def __init__(self, rounds: int) -> None:
        super().__init__()
        self.rounds = rounds


class TypeAhead:
    """A queue between the terminal and an app. The app hands it every event, and each `KeyHandled` it receives."""

    def __init__(self, app: App[Any], forward: Callable[[Event], Awaitable[None]]) -> None:
        """`forward` handles an event as Textual does."""
        self._app = app
        self._forward = forward
        self._keys: deque[Key] = deque()
        self._target: DOMNode | None = None  # where the last key went, until it is known to be handled
        self._holds: list[_Hold] = []
        self._deadline = 0.0
        self._poll: Timer | None = None

    @property
    def is_idle(self) -> bool:
        """Whether every key has been handled."""
        return not self._keys and self._target is None

    def hold(self, pending: Callable[[], bool], passes: Callable[[str], bool] = lambda _key: False) -> None:
        """Hold keys while something is `pending`, for a few seconds at most; keys that it `passes` go on."""
        self._holds.append(_Hold(pending, passes))
        self._deadline = time.monotonic() + _PATIENCE_S

    async def take(self, event: Event) -> None:
        """Forward an event, or queue it if it is a key that must wait."""
        if not isinstance(event, Key) or event.is_forwarded:
            await self._forward(event)
        elif self._keys or self._must_wait(event):
            self._keys.append(event)
            self._poll = self._poll or self._app.set_interval(_POLL_S, self._resume)
        else:
            await self._send(event)

    async def handled(self, message: KeyHandled) -> None:
        """Send the next key once the last one has made its rounds."""
        self._follow(message.rounds - 1)
        if self._keys:
            await self._resume()

    def _must_wait(self, key: Key) -> bool:
        self._holds = [hold for hold in self._holds if hold.pending()]
        if self._target is not None and not self._target.is_running:
            self._target = None  # it was closed along with its dialog
        if time.monotonic() > self._deadline:
            self._target = None
            self._holds.clear()
            return False
        return self._target is not None or self._dialog_opens() or not all(hold.passes(key.key) for hold in self._holds)

    def _dialog_opens(self) -> bool:
        """Whether the screen is about to open a dialog, or one has just opened and has no focus yet."""
        screen = self._app.screen
        if screen.is_modal and screen.focused is None:
            return not screen.is_mounted or (screen.AUTO_FOCUS != "" and bool(screen.focus_chain))
        workers = (worker for worker in self._app.workers if worker.node is screen and worker.group in _DIALOG_GROUPS)
        return any(not worker.is_finished for worker in workers)

    async def _send(self, key: Key) -> None:
        self._target = self._app.focused or self._app.screen
        self._deadline = time.monotonic() + _PATIENCE_S
        await self._forward(key)
        self._follow(_ROUNDS)

    def _follow(self, rounds: int) -> None:
        if self._target is None or not rounds or not self._target.post_message(KeyHandled(rounds)):
            self._target = None

    async def _resume(self) -> None:
        if self._keys and not self._must_wait(self._keys[0]):
            await self._send(self._keys.popleft())
        if not self._keys and self._poll is not None:
            self._poll.stop()
            self._poll = None
