"""The terms of the query language and the values they name, whatever log is asked."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta
from difflib import get_close_matches
from fnmatch import fnmatchcase
from typing import NamedTuple

from hooktui.config.suggest import closest
from hooktui.core import events, ids, paths
from hooktui.core.model import DECISIONS, EFFECTS
from hooktui.core.report import effect_named
from hooktui.log.read.connection import as_stored, stored_text

STATES = ("ok", "failed", "timeout", "invalid-output", "interrupted", "skipped", "started")
WOULD_MATCH = "match"  # in `would:`, a hook of today would run
WOULD = (*DECISIONS, WOULD_MATCH)
BOOLEANS = ("true", "false")
_RAN = tuple(state for state in STATES if state != "skipped")
_SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86400, "w": 604800}
_WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_LEAST_OF_DAY = 3  # letters
_MILLISECONDS = {"": 1, "ms": 1, "s": 1000, "m": 60_000}
_LAST_ID = (1 << 63) - 1
_TYPO_SIMILARITY = 0.85  # from here on, an unknown event is a typo of a known one, not an event of a host's own
_SPELLINGS = sorted({*events.CANONICAL, *events.SPELLINGS})


NOT_OF_A_FLEET = "would: asks today's hooks about the log of this machine: leave it out for a fleet"


class QueryError(ValueError):
    """An invalid term; the message is one line that names it and the valid ones."""


class Term(NamedTuple):
    """One term of a query; without a field it is text to search for."""

    source: str
    value: str
    field: str = ""
    negated: bool = False
    quoted: bool = False

    @property
    def wild(self) -> bool:
        return "*" in self.value and not self.quoted


class WouldTerm(NamedTuple):
    """A term `would:`: the decisions that today's hooks would make, or that one of them matches. It is not asked of the log."""

    names: tuple[str, ...]
    negated: bool

    @property
    def needs_runs(self) -> bool:
        """Whether the matchers alone cannot answer it."""
        return self.names != (WOULD_MATCH,)


def would_terms(terms: Iterable[Term]) -> tuple[WouldTerm, ...]:
    """The terms about what today's hooks would decide. Raises QueryError."""
    return tuple(WouldTerm(tuple(members(term, WOULD)), term.negated) for term in terms if term.field == "would")


def members(term: Term, known: tuple[str, ...]) -> list[str]:
    """The members of a closed set that a term matches. Raises QueryError."""
    lower = term.value.lower()
    names = [name for name in known if (fnmatchcase(name, lower) if term.wild else name == lower)]
    if names:
        return names
    raise QueryError(f"{term.source}: unknown {term.field}: {_hint(closest(lower, known))}valid: {', '.join(known)}")


def is_true(term: Term) -> bool:
    """Whether a term asks for what is so. Raises QueryError."""
    return members(term, BOOLEANS)[0] == BOOLEANS[0]


def _hint(near: str | None) -> str:
    return f"did you mean {near}? " if near else ""


def effects(term: Term) -> list[str]:
    """The effects that a term `effect:` matches. Raises QueryError."""
    return members(term._replace(value=effect_named(term.value.lower())), EFFECTS)


def is_rewrite(term: Term) -> bool:
    """Whether a term `decision:` names what the screens call a decision: an event that was rewritten."""
    return effect_named(term.value.lower()) == "rewrite"


def states(term: Term | None) -> Sequence[str]:
    """The states of runs that a term `state:` matches; without a term, those of hooks that ran. Raises QueryError."""
    return members(term, STATES) if term else _RAN


def known_events(term: Term) -> list[str]:
    """The canonical names of the events that a term with a wildcard matches in any spelling."""
    return sorted({events.canonical(name) or name for name in _SPELLINGS if fnmatchcase(name, term.value)})


def event_name(term: Term) -> str:
    """The event that a term without a wildcard names, as stored. Raises QueryError for a likely typo."""
    return events.canonical(term.value) or stored_text(_own_event(term))


def _own_event(term: Term) -> str:
    """An event without a canonical name: a host's own."""
    if not get_close_matches(term.value, _SPELLINGS, n=1, cutoff=_TYPO_SIMILARITY):
        return term.value
    hint = _hint(closest(term.value, events.CANONICAL) or closest(term.value, _SPELLINGS))
    raise QueryError(f"{term.source}: unknown event: {hint}valid events: {', '.join(events.CANONICAL)}; * is a wildcard")


def project_name(term: Term) -> str:
    """The directory's name that a term `project:` gives; "" if it gives a path."""
    if "/" in term.value or term.value[0] in "~.":
        return ""
    return term.value if term.wild else as_stored(term.value)


def project_path(term: Term) -> Term:
    """The term with its path resolved: `~`, `.` and links."""
    return term._replace(value=paths.canonical(term.value))


def id_at(term: Term, now: float, *, whole_day: bool = False) -> int:
    """The smallest id at a time. Raises QueryError."""
    try:
        return min(ids.at_time(time_of(term.value, now, whole_day=whole_day)), _LAST_ID)
    except ValueError as error:
        raise QueryError(f"{term.source}: {error}") from None


def time_of(text: str, now: float, *, whole_day: bool = False) -> float:
    """A time in seconds since 1970. A day without a time is its midnight, or the next one with `whole_day`.

    A weekday is the last one of that name, today included. Raises ValueError with a message for people.
    """
    ago = re.fullmatch(r"(\d{1,9}(?:\.\d{1,3})?)([smhdw])", text, re.ASCII)
    if ago:
        return now - float(ago[1]) * _SECONDS[ago[2]]
    if (day := _named_day(text, now)) is not None:
        return (day + timedelta(days=whole_day)).timestamp()
    try:
        time = datetime.fromisoformat(text)
        if whole_day and re.fullmatch(r"[\dW-]+", text):
            time += timedelta(days=1)
        return time.timestamp()
    except (ValueError, OverflowError, OSError):
        raise ValueError("invalid time: use 30s, 45m, 2h, 3d or 1w (ago), today, tue, 2026-02-01 or 2026-02-01T14:30") from None


def _named_day(text: str, now: float) -> datetime | None:
    """The midnight of `today`, `yesterday`, or a weekday that is spelled in at least three letters."""
    here = datetime.fromtimestamp(now, UTC).astimezone()
    today = here.replace(hour=0, minute=0, second=0, microsecond=0, tzinfo=None)
    back = {"today": 0, "yesterday": 1}.get(text.lower())
    if back is None and len(text) >= _LEAST_OF_DAY:
        back = next(((today.weekday() - at) % 7 for at, day in enumerate(_WEEKDAYS) if day.startswith(text.lower())), None)
    return None if back is None else today - timedelta(days=back)


def milliseconds(term: Term) -> float:
    """The duration in a term `slower:`. Raises QueryError."""
    match = re.fullmatch(r"(\d{1,12}(?:\.\d{1,6})?)(ms|s|m|)", term.value, re.ASCII)
    if not match:
        raise QueryError(f"{term.source}: invalid duration: use 200ms, 1.5s or 2m")
    return float(match[1]) * _MILLISECONDS[match[2]]


def runs_asked(terms: Sequence[Term]) -> list[tuple[Term | None, Term | None, bool]]:
    """What terms `hook:` and `state:` ask of runs: a hook and a state of the same run, and whether there must be none such."""
    hooks: Sequence[Term | None] = [term for term in terms if term.field == "hook" and not term.negated] or [None]
    asked: Sequence[Term | None] = [term for term in terms if term.field == "state" and not term.negated] or [None]
    included = [(hook, state, False) for hook in hooks for state in asked if hook or state]
    excluded = [(term, None, True) if term.field == "hook" else (None, term, True) for term in terms if term.negated]
    return included + excluded
