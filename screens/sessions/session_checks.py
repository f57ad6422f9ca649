"""Which sessions have been verified, and which one to verify next."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hooktui.log.read.sessions import SessionRow
    from hooktui.log.read.verify import Verification

_GROWN = 1.5  # growth that makes a session due again; a growing one costs three times as much in all


class Checked(NamedTuple):
    """A session's verdict, and how many events it had then."""

    verdict: Verification
    events: int


class SessionChecks:
    """The verdicts on sessions, by their numbers in the log."""

    def __init__(self) -> None:
        self._known: dict[int, Checked] = {}

    def take(self, session: SessionRow, verdict: Verification) -> None:
        """Store a session's verdict."""
        self._known[session.id] = Checked(verdict, session.events)

    def of(self, session: SessionRow) -> Verification | None:
        """A session's verdict; None if it is not known."""
        checked = self._known.get(session.id)
        return checked.verdict if checked else None

    def told(self, sessions: Sequence[SessionRow]) -> tuple[str, str]:
        """Two texts: how many sessions were altered ("" if none), and how many are verified."""
        known = [verdict for verdict in map(self.of, sessions) if verdict]
        altered = sum(not verdict.intact for verdict in known)
        count = "all" if len(known) == len(sessions) else f"{len(known):,}"
        return f"✕ {altered:,} altered" if altered else "", f"{count} verified"

    def next(self, sessions: Sequence[SessionRow], seen: slice) -> SessionRow | None:
        """The session to verify next, visible (`seen`) ones first; None if none is due."""
        return next((one for some in (sessions[seen], sessions) for one in some if self._is_due(one)), None)

    def _is_due(self, session: SessionRow) -> bool:
        checked = self._known.get(session.id)
        return checked is None or session.events >= _GROWN * checked.events
