"""The terms of the query language as SQL conditions on a row of `dispatch` (schema.sql)."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from difflib import get_close_matches
from fnmatch import fnmatchcase
from functools import partial
from itertools import product
from typing import TYPE_CHECKING

from hooktui import hosts
from hooktui.core import events, ids, paths
from hooktui.core.model import DECISIONS, EFFECTS, ORIGINS, effect_named, effect_word
from hooktui.core.suggest import closest
from hooktui.log.read.connection import as_stored, stored_session, stored_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

Value = str | int | float

STATES = ("ok", "failed", "timeout", "invalid-output", "interrupted", "skipped", "started")
WOULD_MATCH = "match"  # in `would:`, a hook of today would run
_RAN = tuple(state for state in STATES if state != "skipped")
_SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86400, "w": 604800}
_MILLISECONDS = {"": 1, "ms": 1, "s": 1000, "m": 60_000}
_LAST_ID = (1 << 63) - 1
_TYPO_SIMILARITY = 0.85  # from here on, an unknown event is a typo of a known one, not an event of a host's own
_SPELLINGS = sorted({*events.CANONICAL, *events.SPELLINGS})


class QueryError(ValueError):
    """An invalid term; the message is one line that names it and the valid ones."""


@dataclass(frozen=True, slots=True)
class Term:
    """One term of a query; without a field it is text to search for."""

    source: str
    value: str
    field: str = ""
    negated: bool = False
    quoted: bool = False

    @property
    def wild(self) -> bool:
        return "*" in self.value and not self.quoted


@dataclass(frozen=True, slots=True)
class WouldTerm:
    """A term `would:`: the decisions that today's hooks would make, or that one of them matches. It is not asked of the log."""

    names: tuple[str, ...]
    negated: bool

    @property
    def needs_runs(self) -> bool:
        """Whether the matchers alone cannot answer it."""
        return self.names != (WOULD_MATCH,)


class Parameters:
    """The bound values of one query, by name; `now` (seconds since 1970) is the time that `since:2h` counts from."""

    def __init__(self, now: float) -> None:
        self.now = now
        self.values: dict[str, Value] = {"low": 0}

    def bind(self, value: Value) -> str:
        """Bind a value and return its placeholder."""
        name = f"p{len(self.values)}"
        self.values[name] = value
        return f":{name}"

    def bind_all(self, values: Iterable[Value]) -> str:
        """Bind values and return the placeholders of an IN list."""
        return ", ".join(self.bind(value) for value in values)


# Columns ----------------------------------------------------------------------------------------------------------------------


def _event(term: Term, params: Parameters) -> str:
    if term.wild:
        known = {events.canonical(name) or name for name in _SPELLINGS if fnmatchcase(name, term.value)}
        return f"(+event IN ({params.bind_all(sorted(known))}) OR {_named('+event', term, params)})"
    return f"event = {params.bind(events.canonical(term.value) or stored_text(_own_event(term)))}"


def _own_event(term: Term) -> str:
    """An event without a canonical name: a host's own. Raises QueryError for a likely typo."""
    if not get_close_matches(term.value, _SPELLINGS, n=1, cutoff=_TYPO_SIMILARITY):
        return term.value
    hint = _hint(closest(term.value, events.CANONICAL) or closest(term.value, _SPELLINGS))
    raise QueryError(f"{term.source}: unknown event: {hint}valid events: {', '.join(events.CANONICAL)}; * is a wildcard")


def _decision(term: Term, params: Parameters) -> str:
    """The decision, or what the screens call one: an event that was rewritten."""
    if effect_named(term.value.lower()) == "rewrite":
        return _effect(replace(term, value="rewrite"), params)
    names = _members(term, DECISIONS)
    sql = f"decision IN ({params.bind_all(names)})"
    return sql if "none" in names else f"decision <> 'none' AND {sql}"  # the first condition enables the partial index


def _effect(term: Term, params: Parameters) -> str:
    names = _members(replace(term, value=effect_named(term.value.lower())), EFFECTS)
    sql = f"effect IN ({params.bind_all(names)})"
    return sql if "none" in names else f"effect <> 'none' AND {sql}"  # enables the partial index, as above


def _origin(term: Term, params: Parameters) -> str:
    names = _members(term, ORIGINS)
    sql = f"origin IN ({params.bind_all(names)})"
    return sql if "run" in names else f"origin <> 'run' AND {sql}"


def _named(column: str, term: Term, params: Parameters, stored: Callable[[str], str] = stored_text) -> str:
    """Compare a column with a value as `stored`; an unquoted `*` is a wildcard."""
    if not term.wild:
        return f"{column} = {params.bind(stored(term.value))}"
    return f"{column} GLOB {params.bind(_glob(term.value))}"


def _glob(text: str) -> str:
    """Escape a GLOB pattern, except `*`."""
    return re.sub(r"[\[?]", r"[\g<0>]", text)


def _members(term: Term, known: tuple[str, ...]) -> list[str]:
    """The members of a closed set that a term matches."""
    lower = term.value.lower()
    names = [name for name in known if (fnmatchcase(name, lower) if term.wild else name == lower)]
    if names:
        return names
    raise QueryError(f"{term.source}: unknown {term.field}: {_hint(closest(lower, known))}valid: {', '.join(known)}")


def _hint(near: str | None) -> str:
    return f"did you mean {near}? " if near else ""


# Sessions ---------------------------------------------------------------------------------------------------------------------
# A plus sign keeps SQLite from using an index whose rows it would have to sort by id.


def _session(term: Term, params: Parameters) -> str:
    """The session with that id; without one, sessions whose ids begin with it."""
    if term.wild:
        return f"session IN (SELECT id FROM session WHERE {_named('name', term, params)})"
    exact = f"SELECT id FROM session WHERE {_named('name', term, params, stored_session)}"
    prefix = params.bind(term.value)
    return (
        f"session IN ({exact} UNION ALL SELECT id FROM session"
        f" WHERE substr(name, 1, length({prefix})) = {prefix} AND NOT EXISTS ({exact}))"
    )


def _host(term: Term, params: Parameters) -> str:
    return f"+session IN (SELECT id FROM session WHERE {_named('host', term, params)})"


def _project(term: Term, params: Parameters) -> str:
    """A path (`~`, `.` and links resolved), or a directory's name."""
    if "/" not in term.value and term.value[0] not in "~.":
        name = term.value if term.wild else as_stored(term.value)
        return f"+session IN (SELECT id FROM session WHERE project GLOB {params.bind('*/' + _glob(name))})"
    path = replace(term, value=paths.canonical(term.value))
    return f"+session IN (SELECT id FROM session WHERE {_named('project', path, params, as_stored)})"


# Time -------------------------------------------------------------------------------------------------------------------------


def _since(term: Term, params: Parameters) -> str:
    return f"id >= {params.bind(_id_at(term, params.now))}"


def _until(term: Term, params: Parameters) -> str:
    return f"id < {params.bind(_id_at(term, params.now, whole_day=True))}"


def _id_at(term: Term, now: float, *, whole_day: bool = False) -> int:
    """The smallest id at a time."""
    try:
        return min(ids.at_time(time_of(term.value, now, whole_day=whole_day)), _LAST_ID)
    except ValueError as error:
        raise QueryError(f"{term.source}: {error}") from None


def time_of(text: str, now: float, *, whole_day: bool = False) -> float:
    """A time in seconds since 1970. A date without a time is its midnight, or the next one with `whole_day`.

    Raises ValueError with a message for people.
    """
    ago = re.fullmatch(r"(\d{1,9}(?:\.\d{1,3})?)([smhdw])", text, re.ASCII)
    if ago:
        return now - float(ago[1]) * _SECONDS[ago[2]]
    try:
        time = datetime.fromisoformat(text)
        if whole_day and re.fullmatch(r"[\dW-]+", text):
            time += timedelta(days=1)
        return time.timestamp()
    except (ValueError, OverflowError, OSError):
        raise ValueError("invalid time: use 30s, 45m, 2h, 3d or 1w (ago), 2026-02-01 or 2026-02-01T14:30") from None


def _slower(term: Term, params: Parameters) -> str:
    match = re.fullmatch(r"(\d{1,12}(?:\.\d{1,6})?)(ms|s|m|)", term.value, re.ASCII)
    if not match:
        raise QueryError(f"{term.source}: invalid duration: use 200ms, 1.5s or 2m")
    return f"duration_ms > {params.bind(float(match[1]) * _MILLISECONDS[match[2]])}"


# Runs -------------------------------------------------------------------------------------------------------------------------


def run_conditions(terms: Sequence[Term], params: Parameters) -> list[str]:
    """Conditions of `hook:` and `state:`. Together they apply to the same run; `hook:` alone means that the hook ran."""
    hooks: Sequence[Term | None] = [term for term in terms if term.field == "hook" and not term.negated] or [None]
    states: Sequence[Term | None] = [term for term in terms if term.field == "state" and not term.negated] or [None]
    included = [_run(hook, state, params) for hook, state in product(hooks, states) if hook or state]
    excluded = [
        _run(term, None, params) if term.field == "hook" else _run(None, term, params) for term in terms if term.negated
    ]
    return included + [f"NOT {sql}" for sql in excluded]


def _run(hook: Term | None, state: Term | None, params: Parameters) -> str:
    names = " OR ".join(_named(column, hook, params, as_stored) for column in ("name", "label", "key")) if hook else "1"
    states = _members(state, STATES) if state else _RAN
    of_hook = f"hook IN (SELECT id FROM hook WHERE {names})"
    runs = f"SELECT dispatch FROM run WHERE {of_hook} AND state IN ({params.bind_all(states)}) AND dispatch >= :low"
    if "skipped" in states:
        lists = f"SELECT list FROM skip WHERE {of_hook}" if hook else "SELECT id FROM skip_list"
        runs += f" UNION ALL SELECT of.id FROM dispatch AS of WHERE of.skips IN ({lists}) AND of.id >= :low"
    return f"(id IN ({runs}))"


# Today's hooks --------------------------------------------------------------------------------------------------------------

_WOULD = (*DECISIONS, WOULD_MATCH)


def would_terms(terms: Iterable[Term]) -> tuple[WouldTerm, ...]:
    """The terms about what today's hooks would decide. Raises QueryError."""
    return tuple(WouldTerm(tuple(_members(term, _WOULD)), term.negated) for term in terms if term.field == "would")


# The fields -------------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class QueryField:
    """A field of the query language; `values` only for a closed set.

    `to_sql` is None for `hook` and `state`, which are translated together (`run_conditions`), and for `would`, which the log
    cannot answer.
    """

    meaning: str
    example: str
    values: tuple[str, ...] = ()
    to_sql: Callable[[Term, Parameters], str] | None = None


FIELDS: Mapping[str, QueryField] = {
    "event": QueryField("an event, in any format's spelling", "pre-tool-call", events.CANONICAL, _event),
    "tool": QueryField("the tool's name", "Shell", (), partial(_named, "tool")),
    "decision": QueryField("the decision", "deny", (*DECISIONS, effect_word("rewrite")), _decision),
    "effect": QueryField("what the event did", "rewrite", EFFECTS, _effect),
    "origin": QueryField("who ran the hooks", "observed", ORIGINS, _origin),
    "state": QueryField("the state of a hook's run", "timeout", STATES),
    "hook": QueryField("a hook that ran", "block-*"),
    "session": QueryField("a session's id or its beginning", "s1", (), _session),
    "host": QueryField("the agent program", hosts.DEFAULT, (), _host),
    "project": QueryField("the project's path or name", "~/src/x", (), _project),
    "since": QueryField("from this time on", "2h", (), _since),
    "until": QueryField("before this time", "2026-02-01", (), _until),
    "would": QueryField("what today's hooks would decide", "deny", _WOULD),
    "slower": QueryField("hooks took longer than", "200ms", (), _slower),
}
