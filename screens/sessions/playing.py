"""Play a session back: move the timeline's cursor as time went by."""

from __future__ import annotations

import time
from bisect import bisect_right
from typing import TYPE_CHECKING

from textual.content import Content

from hooktui.core import ids
from hooktui.screens.sessions.session_list import length

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from textual.timer import Timer

    from hooktui.screens.sessions.timeline import Timeline

SPEEDS = (0.5, 1.0, 2.0, 5.0, 10.0, 30.0, 60.0, 300.0)
USUAL = SPEEDS.index(10.0)
LONGEST_WAIT_S = 1.5  # on the wall, for the next event
_FRAME_S = 0.04
_SHORTENED_S = 1.0  # a shortened gap worth mentioning


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


class Player:
    """Plays one timeline; `tell` is called whenever `state` may have changed."""

    def __init__(self, timeline: Timeline, tell: Callable[[], None]) -> None:
        self._timeline = timeline
        self._tell = tell
        self._speed = USUAL
        self._playback: Playback | None = None
        self._timer: Timer | None = None
        self._at = 0.0

    @property
    def playing(self) -> bool:
        """Whether the playback is running."""
        return self._timer is not None

    @property
    def state(self) -> Content:
        """The playback's state for a title; empty if there is none."""
        playback = self._playback
        if playback is None:
            return Content("")
        sign, colour = ("▶", "$success") if self.playing else ("‖", "$warning")
        shortened = playback.shortened_s if self.playing else 0.0
        gap = f" · skipped {length(shortened)}" if shortened >= _SHORTENED_S else ""
        return Content.assemble((f" {sign} {playback.speed:g}×", colour), (gap, "$secondary"))

    def toggle(self) -> None:
        """Play or pause; at the end, start again."""
        if self.playing:
            self.pause()
            return
        found = self._timeline.found
        self._playback = Playback([ids.seconds(number) for number in found.ids], self._timeline.cursor_row, self._speed)
        if self._playback.ended:
            self._timeline.go_to(0)
            self._playback.go_to(0)
        self._at = time.monotonic()
        self._timer = self._timeline.set_interval(_FRAME_S, self._play)
        self._tell()

    def faster(self, steps: int) -> None:
        """Change the speed by some steps."""
        if self._playback is not None:
            self._playback.faster(steps)
            self._speed = self._playback.step
            self._tell()

    def pause(self) -> None:
        """Pause."""
        if self._timer is not None:
            self._timer.stop()
            self._timer = None
            self._tell()

    def stop(self) -> None:
        """End the playback."""
        self.pause()
        self._playback = None
        self._tell()

    def _play(self) -> None:
        playback = self._playback
        if playback is None:
            return
        before, now = self._at, time.monotonic()
        self._at = now
        if self._timeline.cursor_row != playback.place:  # the user moved the cursor
            playback.go_to(self._timeline.cursor_row)
        place, gap = playback.place, playback.shortened_s
        playback.advance(now - before)
        if playback.place != place:
            self._timeline.go_to(playback.place)
        if playback.ended:
            self.pause()
        elif gap != playback.shortened_s:
            self._tell()
