"""What each term of the query language means in SQL, as a condition on a row of `dispatch` (schema.sql)."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from difflib import get_close_matches
from fnmatch import fnmatchcase
from itertools import product
from typing import TYPE_CHECKING

from hooktui.core import events, ids, paths
from hooktui.core.model import DECISIONS
from hooktui.core.suggest import closest
from hooktui.log.read import stored_names

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

Value = str | int | float

STATES = ("ok", "failed", "timeout", "invalid-output", "interrupted", "skipped", "started")
_RAN = tuple(state for state in STATES if state != "skipped")
_SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86400, "w": 604800}
_MILLISECONDS = {"": 1, "ms": 1, "s": 1000, "m": 60_000}
_LAST_ID = (1 << 63) - 1
_SLIP = 0.85  # how like a known event an unknown one must be to be a slip of the pen and no event of a host's own
_FORMATS = ("claude", "copilot", "azure", "python")
_SPELLINGS = sorted(
    {*events.CANONICAL, *events.TRIGGERS}
    | {name for event, format_name in product(events.CANONICAL, _FORMATS) if (name := events.spelling(event, format_name))}
)


class QueryError(ValueError):
    """A term that means nothing: one line that names it and what would be valid."""


@dataclass(frozen=True, slots=True)
class Term:
    """One term as written; without a field it is text to be searched for."""

    written: str
    value: str
    field: str = ""
    negated: bool = False
    quoted: bool = False

    @property
    def wild(self) -> bool:
        """Whether `*` in it stands for any characters."""
        return "*" in self.value and not self.quoted


class Values:
    """The bound values of one query, by name."""

    def __init__(self) -> None:
        self.params: dict[str, Value] = {"low": 0}

    def bind(self, value: Value) -> str:
        """The placeholder of a value."""
        name = f"p{len(self.params)}"
        self.params[name] = value
        return f":{name}"

    def bind_all(self, values: Iterable[Value]) -> str:
        """Placeholders for an IN list."""
        return ", ".join(self.bind(value) for value in values)


# Columns ----------------------------------------------------------------------------------------------------------------------


def _event(term: Term, values: Values, _now: float) -> str:
    if term.wild:
        known = {events.canonical(name) or name for name in _SPELLINGS if fnmatchcase(name, term.value)}
        return f"(+event IN ({values.bind_all(sorted(known))}) OR {_named('+event', term, values)})"
    return f"event = {values.bind(events.canonical(term.value) or stored_names.text(_own_event(term)))}"


def _own_event(term: Term) -> str:
    """An event without a canonical name: a host's own, unless it looks like a slip of the pen."""
    if not get_close_matches(term.value, _SPELLINGS, n=1, cutoff=_SLIP):
        return term.value
    hint = _hint(closest(term.value, events.CANONICAL) or closest(term.value, _SPELLINGS))
    raise QueryError(f"{term.written}: no such event: {hint}events are {', '.join(events.CANONICAL)}; * is a wildcard")


def _tool(term: Term, values: Values, _now: float) -> str:
    return _named("tool", term, values)


def _decision(term: Term, values: Values, _now: float) -> str:
    names = _one_of(term, DECISIONS)
    sql = f"decision IN ({values.bind_all(names)})"
    return sql if "none" in names else f"decision <> 'none' AND {sql}"  # the first half opens the partial index


def _named(column: str, term: Term, values: Values, stored: Callable[[str], str] = stored_names.text) -> str:
    """The column is the value, as it was `stored`; an unquoted `*` stands for any characters."""
    if not term.wild:
        return f"{column} = {values.bind(stored(term.value))}"
    return f"{column} GLOB {values.bind(_glob(term.value))}"


def _glob(text: str) -> str:
    """A GLOB pattern in which only `*` is special."""
    return re.sub(r"[\[?]", r"[\g<0>]", text)


def _one_of(term: Term, known: tuple[str, ...]) -> list[str]:
    """The members of a closed set that a term names."""
    lower = term.value.lower()
    found = [name for name in known if (fnmatchcase(name, lower) if term.wild else name == lower)]
    if found:
        return found
    raise QueryError(f"{term.written}: no such {term.field}: {_hint(closest(lower, known))}it is one of {', '.join(known)}")


def _hint(near: str | None) -> str:
    return f"did you mean {near}? " if near else ""


# Sessions ---------------------------------------------------------------------------------------------------------------------
# A plus sign keeps SQLite from walking an index that would have to be sorted by id afterwards.


def _session(term: Term, values: Values, _now: float) -> str:
    """The session of that id; when there is none, those whose ids begin so."""
    if term.wild:
        return f"session IN (SELECT id FROM session WHERE {_named('name', term, values)})"
    exact = f"SELECT id FROM session WHERE {_named('name', term, values, stored_names.session)}"
    begin = values.bind(term.value)
    return (
        f"session IN ({exact} UNION ALL SELECT id FROM session"
        f" WHERE substr(name, 1, length({begin})) = {begin} AND NOT EXISTS ({exact}))"
    )


def _host(term: Term, values: Values, _now: float) -> str:
    return f"+session IN (SELECT id FROM session WHERE {_named('host', term, values)})"


def _project(term: Term, values: Values, _now: float) -> str:
    """A path (`~`, `.` and links resolved), or a directory's bare name."""
    if "/" not in term.value and term.value[0] not in "~.":
        name = term.value if term.wild else stored_names.as_stored(term.value)
        return f"+session IN (SELECT id FROM session WHERE project GLOB {values.bind('*/' + _glob(name))})"
    path = replace(term, value=paths.canonical(term.value))
    return f"+session IN (SELECT id FROM session WHERE {_named('project', path, values, stored_names.as_stored)})"


# Time -------------------------------------------------------------------------------------------------------------------------


def _since(term: Term, values: Values, now: float) -> str:
    return f"id >= {values.bind(_moment(term, now))}"


def _until(term: Term, values: Values, now: float) -> str:
    return f"id < {values.bind(_moment(term, now, whole_day=True))}"


def _moment(term: Term, now: float, *, whole_day: bool = False) -> int:
    """The smallest id of a moment. A date without a time is its first instant, with `whole_day` that of the next day."""
    ago = re.fullmatch(r"(\d{1,9}(?:\.\d{1,3})?)([smhdw])", term.value, re.ASCII)
    if ago:
        return ids.at_time(now - float(ago[1]) * _SECONDS[ago[2]])
    try:
        moment = datetime.fromisoformat(term.value)
        if whole_day and re.fullmatch(r"[\dW-]+", term.value):
            moment += timedelta(days=1)
        return min(ids.at_time(moment.timestamp()), _LAST_ID)
    except (ValueError, OverflowError, OSError):
        raise QueryError(
            f"{term.written}: no such time: write 30s, 45m, 2h, 3d, 1w (ago) or 2026-02-01 or 2026-02-01T14:30"
        ) from None


def _slower(term: Term, values: Values, _now: float) -> str:
    found = re.fullmatch(r"(\d{1,12}(?:\.\d{1,6})?)(ms|s|m|)", term.value, re.ASCII)
    if not found:
        raise QueryError(f"{term.written}: no such duration: write 200ms, 1.5s or 2m")
    return f"duration_ms > {values.bind(float(found[1]) * _MILLISECONDS[found[2]])}"


# Runs -------------------------------------------------------------------------------------------------------------------------


def run_conditions(terms: Sequence[Term], values: Values) -> list[str]:
    """What `hook:` and `state:` ask for. Together they speak of one run: this hook ended so. `hook:` alone: it ran."""
    hooks: Sequence[Term | None] = [term for term in terms if term.field == "hook" and not term.negated] or [None]
    states: Sequence[Term | None] = [term for term in terms if term.field == "state" and not term.negated] or [None]
    wanted = [_run(hook, state, values) for hook, state in product(hooks, states) if hook or state]
    unwanted = [
        _run(term, None, values) if term.field == "hook" else _run(None, term, values) for term in terms if term.negated
    ]
    return wanted + [f"NOT {sql}" for sql in unwanted]


def _run(hook: Term | None, state: Term | None, values: Values) -> str:
    names = _named("name", hook, values, stored_names.as_stored) if hook else "1"
    states = _one_of(state, STATES) if state else _RAN
    return (
        f"(id IN (SELECT dispatch FROM run WHERE hook IN (SELECT id FROM hook WHERE {names})"
        f" AND state IN ({values.bind_all(states)}) AND dispatch >= :low))"
    )


# The fields -------------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class QueryField:
    """One field of the language, as help and completion show it; `values` only for a closed set.

    `to_sql` is None for `hook` and `state`, which are read together (`run_conditions`).
    """

    meaning: str
    example: str
    values: tuple[str, ...] = ()
    to_sql: Callable[[Term, Values, float], str] | None = None


FIELDS: Mapping[str, QueryField] = {
    "event": QueryField("an event, in any format's spelling", "pre-tool-call", events.CANONICAL, _event),
    "tool": QueryField("a tool's name", "Shell", (), _tool),
    "decision": QueryField("what was decided", "deny", DECISIONS, _decision),
    "state": QueryField("how a hook's run ended", "timeout", STATES),
    "hook": QueryField("a hook that ran", "block-*"),
    "session": QueryField("a session's id, or how it begins", "s1", (), _session),
    "host": QueryField("the agent program", "claude", (), _host),
    "project": QueryField("a project's path or name", "~/src/x", (), _project),
    "since": QueryField("not before", "2h", (), _since),
    "until": QueryField("not after", "2026-02-01", (), _until),
    "slower": QueryField("took longer than", "200ms", (), _slower),
}
