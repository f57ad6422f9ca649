"""Plays a session back: moves the cursor of its timeline as it happened."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from textual.content import Content

from hooktui.core import ids
from hooktui.log.read.playback import USUAL, Playback
from hooktui.screens.sessions.session_list import length

if TYPE_CHECKING:
    from collections.abc import Callable

    from textual.timer import Timer

    from hooktui.screens.sessions.timeline import Timeline

_FRAME_S = 0.04
_SHORTENED_S = 1.0  # of a gap, to be worth a word


class Player:
    """One timeline's playback; `tell` is called whenever `state` may have changed."""

    def __init__(self, timeline: Timeline, tell: Callable[[], None]) -> None:
        self._timeline = timeline
        self._tell = tell
        self._speed = USUAL
        self._playback: Playback | None = None
        self._timer: Timer | None = None
        self._at = 0.0

    @property
    def playing(self) -> bool:
        """Whether time goes by."""
        return self._timer is not None

    @property
    def state(self) -> Content:
        """What to say of it; empty while nothing is played."""
        playback = self._playback
        if playback is None:
            return Content("")
        sign, colour = ("▶", "$success") if self.playing else ("‖", "$warning")
        shortened = playback.shortened_s if self.playing else 0.0
        gap = f" · gap shortened by {length(shortened)}" if shortened >= _SHORTENED_S else ""
        return Content.assemble((f" {sign} {playback.speed:g}×", colour), (gap, "$secondary"))

    def toggle(self) -> None:
        """Play or pause; at the end, play from the beginning."""
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
        """Another speed."""
        if self._playback is not None:
            self._playback.faster(steps)
            self._speed = self._playback.step
            self._tell()

    def pause(self) -> None:
        """Stay where one is."""
        if self._timer is not None:
            self._timer.stop()
            self._timer = None
            self._tell()

    def stop(self) -> None:
        """Forget what was played."""
        self.pause()
        self._playback = None
        self._tell()

    def _play(self) -> None:
        playback = self._playback
        if playback is None:
            return
        before, now = self._at, time.monotonic()
        self._at = now
        if self._timeline.cursor_row != playback.place:  # a person has moved it
            playback.go_to(self._timeline.cursor_row)
        place, gap = playback.place, playback.shortened_s
        playback.advance(now - before)
        if playback.place != place:
            self._timeline.go_to(playback.place)
        if playback.ended:
            self.pause()
        elif gap != playback.shortened_s:
            self._tell()
