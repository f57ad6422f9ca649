"""Limit how often something is shown while it changes all the time."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from textual.message_pump import MessagePump
    from textual.timer import Timer


class Throttle:
    """Runs an action at once, then at most once in `interval_s`, and once more after the last request."""

    def __init__(self, owner: MessagePump, action: Callable[[], object], interval_s: float) -> None:
        self._owner = owner
        self._action = action
        self._interval_s = interval_s
        self._ran_at = 0.0
        self._waiting: Timer | None = None

    def run(self) -> None:
        if self._waiting is not None:
            self._waiting.stop()
            self._waiting = None
        self._ran_at = time.monotonic()
        self._action()

    def request(self) -> None:
        rest_s = self._ran_at + self._interval_s - time.monotonic()
        if rest_s <= 0:
            self.run()
        elif self._waiting is None:
            self._waiting = self._owner.set_timer(rest_s, self.run)
