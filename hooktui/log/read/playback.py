"""A session played back: which event has come when so much time has gone by, long gaps shortened."""

from __future__ import annotations

from bisect import bisect_right
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

SPEEDS = (0.5, 1.0, 2.0, 5.0, 10.0, 30.0, 60.0, 300.0)
USUAL = SPEEDS.index(10.0)
LONGEST_WAIT_S = 1.5  # on the wall, for the next event


class Playback:
    """Goes from moment to moment (seconds, in order) at a speed.

    Where the next one is longer away than LONGEST_WAIT_S of a person's time, the wait is that long: `shortened_s` is how much
    of the gap that one is in was left out, in the session's own seconds, 0 for nothing.
    """

    def __init__(self, moments: Sequence[float], place: int = 0, step: int = USUAL) -> None:
        """`step` is the place of a speed in SPEEDS."""
        self._moments = moments
        self.step = step
        self.shortened_s = 0.0
        self.go_to(place)

    @property
    def speed(self) -> float:
        """Seconds of the session in a second."""
        return SPEEDS[self.step]

    @property
    def ended(self) -> bool:
        """Whether the last moment has come."""
        return self.place >= len(self._moments) - 1

    def go_to(self, place: int) -> None:
        """Go on from another moment."""
        self.place = place
        self._now = self._moments[place] if self._moments else 0.0
        self._shorten()

    def faster(self, steps: int) -> None:
        """Go through SPEEDS."""
        self.step = max(0, min(self.step + steps, len(SPEEDS) - 1))
        self._shorten()

    def advance(self, seconds: float) -> int:
        """Let so many seconds go by; the place of the last moment that has come."""
        self._now += seconds * self.speed
        place = bisect_right(self._moments, self._now) - 1
        if place > self.place:
            self.place = min(place, len(self._moments) - 1)
            self._shorten()
        return self.place

    def _shorten(self) -> None:
        self.shortened_s = 0.0
        if not self.ended:
            soonest = self._moments[self.place + 1] - LONGEST_WAIT_S * self.speed
            self.shortened_s = max(soonest - self._now, 0.0)
            self._now = max(self._now, soonest)
