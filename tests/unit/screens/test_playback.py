"""A session played back."""

from __future__ import annotations

import pytest

from hooktui.screens.sessions.session_view import LONGEST_WAIT_S, SPEEDS, Playback

ONE = SPEEDS.index(1.0)


def test_events_come_after_the_time_that_had_gone_by_between_them() -> None:
    played = Playback([0.0, 1.0, 1.2, 2.0], step=ONE)
    assert [played.advance(seconds) for seconds in (0.9, 0.2, 0.2, 0.6, 0.2)] == [0, 1, 2, 2, 3]
    assert played.ended


def test_a_speed_goes_through_more_of_the_session_in_the_same_time() -> None:
    played = Playback([0.0, 10.0, 11.0], step=SPEEDS.index(10.0))
    assert (played.advance(1.05), played.advance(0.1)) == (1, 2)


def test_a_long_gap_is_shortened_and_says_by_how_much() -> None:
    played = Playback([0.0, 3600.0, 3600.5], step=ONE)
    assert played.shortened_s == pytest.approx(3600 - LONGEST_WAIT_S)
    assert played.advance(LONGEST_WAIT_S / 2) == 0
    assert played.shortened_s > 0
    assert played.advance(1.0) == 1
    assert played.shortened_s == 0


def test_it_continues_from_any_place_and_stops_at_the_end() -> None:
    played = Playback([0.0, 1.0, 2.0], step=ONE)
    played.go_to(2)
    assert played.ended
    assert played.advance(5.0) == 2
    played.go_to(0)
    assert played.advance(1.01) == 1


def test_speeds_have_a_least_and_a_most() -> None:
    played = Playback([0.0])
    played.faster(99)
    assert played.speed == max(SPEEDS)
    played.faster(-99)
    assert played.speed == min(SPEEDS)
    assert Playback([]).ended
