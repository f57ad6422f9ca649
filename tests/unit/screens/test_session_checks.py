"""Which sessions of a list have been verified, and which one is next."""

from __future__ import annotations

from hooktui.log.read.sessions import SessionRow
from hooktui.log.read.verify import ChainFault, Verification
from hooktui.screens.sessions.session_list import SessionChecks

WHOLE = Verification(10, 0, ())
EDITED = Verification(10, 0, (ChainFault("edited", 1, 0, "this event"),))
NOWHERE = slice(0, 0)


def session(number: int, events: int = 10) -> SessionRow:
    return SessionRow(number, f"s{number}", "claude", "/p", 0, 0, events, 0, 0, 0.0)


def test_those_in_view_come_first_and_then_all_the_others() -> None:
    checks, sessions = SessionChecks(), [session(number) for number in range(6)]
    order = []
    while one := checks.next(sessions, slice(3, 5)):
        order.append(one.id)
        checks.take(one, WHOLE)
    assert order == [3, 4, 0, 1, 2, 5]


def test_altered_sessions_are_counted_among_those_that_are_shown() -> None:
    checks = SessionChecks()
    checks.take(session(1), WHOLE)
    checks.take(session(2), EDITED)
    checks.take(session(9), EDITED)
    assert checks.summary([session(1), session(2), session(3)]) == "✕ 1 altered"
    assert checks.summary([session(1)]) == ""
    assert checks.of(session(3)) is None


def test_a_session_is_looked_at_again_when_it_has_grown_by_half() -> None:
    checks = SessionChecks()
    checks.take(session(1, events=10), WHOLE)
    assert checks.next([session(1, events=14)], NOWHERE) is None
    assert checks.next([session(1, events=15)], NOWHERE) == session(1, events=15)
