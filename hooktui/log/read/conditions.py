"""The terms of the query language as SQL conditions on a row of `dispatch` (schema.sql)."""

from __future__ import annotations

import re
import socket
from collections.abc import Callable, Iterable, Mapping, Sequence
from fnmatch import fnmatchcase
from functools import partial
from typing import NamedTuple

from hooktui import config, hosts
from hooktui.core import events
from hooktui.core.model import DECISIONS, EFFECTS, ORIGINS
from hooktui.core.report import effect_word
from hooktui.log.read import terms as meanings
from hooktui.log.read.connection import as_stored, stored_session, stored_text
from hooktui.log.read.terms import STATES, WOULD, Term, members, runs_asked

Value = str | int | float


class Parameters:
    """The bound values of one query, by name; `now` (seconds since 1970) is the time that `since:2h` counts from."""

    def __init__(self, now: float) -> None:
        self.now = now
        self.values: dict[str, Value] = {"low": 0}

    def bind(self, value: Value) -> str:
        name = f"p{len(self.values)}"
        self.values[name] = value
        return f":{name}"

    def bind_all(self, values: Iterable[Value]) -> str:
        """Bind values and return the placeholders of an IN list."""
        return ", ".join(self.bind(value) for value in values)


# Columns ----------------------------------------------------------------------------------------------------------------------


def _event(term: Term, params: Parameters) -> str:
    if term.wild:
        return f"(+event IN ({params.bind_all(meanings.known_events(term))}) OR {_named('+event', term, params)})"
    return f"event = {params.bind(meanings.event_name(term))}"


def _decision(term: Term, params: Parameters) -> str:
    """The decision, or what the screens call one: an event that was rewritten."""
    if meanings.is_rewrite(term):
        return _effect(term._replace(value="rewrite"), params)
    names = members(term, DECISIONS)
    sql = f"decision IN ({params.bind_all(names)})"
    return sql if "none" in names else f"decision <> 'none' AND {sql}"  # the first condition enables the partial index


def _effect(term: Term, params: Parameters) -> str:
    names = meanings.effects(term)
    sql = f"effect IN ({params.bind_all(names)})"
    return sql if "none" in names else f"effect <> 'none' AND {sql}"  # enables the partial index, as above


def _origin(term: Term, params: Parameters) -> str:
    names = members(term, ORIGINS)
    sql = f"origin IN ({params.bind_all(names)})"
    return sql if "run" in names else f"origin <> 'run' AND {sql}"


def _overruled(term: Term, _params: Parameters) -> str:
    return "overruled" if meanings.is_true(term) else "NOT overruled"


def _named(column: str, term: Term, params: Parameters, stored: Callable[[str], str] = stored_text) -> str:
    """Compare a column with a value as `stored`; an unquoted `*` is a wildcard."""
    if not term.wild:
        return f"{column} = {params.bind(stored(term.value))}"
    return f"{column} GLOB {params.bind(_glob(term.value))}"


def _glob(text: str) -> str:
    return re.sub(r"[\[?]", r"[\g<0>]", text)


def _machine(term: Term, _params: Parameters) -> str:
    """All that is in this log happened on this machine."""
    return _is_own(socket.gethostname(), term)


def _attribute(name: str, term: Term, _params: Parameters) -> str:
    """An attribute of this machine, as the company names it."""
    return _is_own(config.fleet_values().values.get("attributes", {}).get(name, ""), term)


def _is_own(name: str, term: Term) -> str:
    return "1" if (fnmatchcase(name, _glob(term.value)) if term.wild else name == term.value) else "0"


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
    if name := meanings.project_name(term):
        return f"+session IN (SELECT id FROM session WHERE project GLOB {params.bind('*/' + _glob(name))})"
    path = _named("project", meanings.project_path(term), params, as_stored)
    return f"+session IN (SELECT id FROM session WHERE {path})"


# Time -------------------------------------------------------------------------------------------------------------------------


def _since(term: Term, params: Parameters) -> str:
    return f"id >= {params.bind(meanings.id_at(term, params.now))}"


def _until(term: Term, params: Parameters) -> str:
    return f"id < {params.bind(meanings.id_at(term, params.now, whole_day=True))}"


def _slower(term: Term, params: Parameters) -> str:
    return f"duration_ms > {params.bind(meanings.milliseconds(term))}"


# Runs -------------------------------------------------------------------------------------------------------------------------


def run_conditions(terms: Sequence[Term], params: Parameters) -> list[str]:
    """Conditions of `hook:` and `state:`. Together they apply to the same run; `hook:` alone means that the hook ran."""
    return [f"{'NOT ' if absent else ''}{_run(hook, state, params)}" for hook, state, absent in runs_asked(terms)]


def _run(hook: Term | None, state: Term | None, params: Parameters) -> str:
    names = " OR ".join(_named(column, hook, params, as_stored) for column in ("name", "label", "key")) if hook else "1"
    states = meanings.states(state)
    of_hook = f"hook IN (SELECT id FROM hook WHERE {names})"
    runs = f"SELECT dispatch FROM run WHERE {of_hook} AND state IN ({params.bind_all(states)}) AND dispatch >= :low"
    if "skipped" in states:
        lists = f"SELECT list FROM skip WHERE {of_hook}" if hook else "SELECT id FROM skip_list"
        runs += f" UNION ALL SELECT of.id FROM dispatch AS of WHERE of.skips IN ({lists}) AND of.id >= :low"
    return f"(id IN ({runs}))"


# The fields -------------------------------------------------------------------------------------------------------------------


class QueryField(NamedTuple):
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
    "overruled": QueryField("a denied call that ran all the same", "true", meanings.BOOLEANS, _overruled),
    "state": QueryField("the state of a hook's run", "timeout", STATES),
    "hook": QueryField("a hook that ran", "block-*"),
    "session": QueryField("a session's id or its beginning", "s1", (), _session),
    "host": QueryField("the agent program", hosts.DEFAULT, (), _host),
    "machine": QueryField("the machine's name", "build-7", (), _machine),
    "team": QueryField("the machine's team", "payments", (), partial(_attribute, "team")),
    "user": QueryField("the machine's user", "anna", (), partial(_attribute, "user.name")),
    "project": QueryField("the project's path or name", "~/src/x", (), _project),
    "since": QueryField("from this time on", "2h", (), _since),
    "until": QueryField("before this time", "2026-02-01", (), _until),
    "would": QueryField("what today's hooks would decide", "deny", WOULD),
    "slower": QueryField("hooks took longer than", "200ms", (), _slower),
}
