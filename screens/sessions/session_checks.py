"""Which sessions of a list are what was recorded, as far as that is known, and which one to look at next."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hooktui.log.read.sessions import SessionRow
    from hooktui.log.read.verify import Verification

_GROWN = 1.5  # times the events that it had: worth another look, so that one that goes on costs in all three times as much


class Checked(NamedTuple):
    """What came of a look at a session, and how many events it had then."""

    verdict: Verification
    events: int


class SessionChecks:
    """The verdicts on sessions, by their numbers in the log."""

    def __init__(self) -> None:
        self._known: dict[int, Checked] = {}

    def take(self, session: SessionRow, verdict: Verification) -> None:
        """Note what came of looking at a session."""
        self._known[session.id] = Checked(verdict, session.events)

    def of(self, session: SessionRow) -> Verification | None:
        """What is known of a session."""
        checked = self._known.get(session.id)
        return checked.verdict if checked else None

    def told(self, sessions: Sequence[SessionRow]) -> tuple[str, str]:
        """What is wrong with some sessions ("" for nothing known), and how many of them have been looked at."""
        known = [verdict for verdict in map(self.of, sessions) if verdict]
        altered = sum(not verdict.intact for verdict in known)
        count = "all" if len(known) == len(sessions) else f"{len(known):,}"
        return f"✕ {altered:,} not whole" if altered else "", f"{count} verified"

    def next(self, sessions: Sequence[SessionRow], seen: slice) -> SessionRow | None:
        """The one to look at now: of those that are `seen` first, then of all; None when nothing is left to be done."""
        return next((one for some in (sessions[seen], sessions) for one in some if self._is_due(one)), None)

    def _is_due(self, session: SessionRow) -> bool:
        checked = self._known.get(session.id)
        return checked is None or session.events >= _GROWN * checked.events
