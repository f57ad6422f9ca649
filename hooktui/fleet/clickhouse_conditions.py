"""The query language in ClickHouse's SQL, with the meaning that it has in SQLite (log/read/conditions.py)."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence

from hooktui.core import ids
from hooktui.core.model import DECISIONS, FAILURES, ORIGINS
from hooktui.fleet import clickhouse_table
from hooktui.fleet.clickhouse_table import LogTable
from hooktui.log.read import terms as meanings
from hooktui.log.read.connection import as_stored, stored_session, stored_text
from hooktui.log.read.query import OF_RUNS, Query, is_one_word, words_of
from hooktui.log.read.terms import Term, is_true, members, runs_asked

Value = str | float | list[str]

# Fields that are compared with an attribute as it is.
ATTRIBUTES = {
    "tool": "gen_ai.tool.name",
    "host": "gen_ai.agent.name",
    "team": clickhouse_table.TEAM,
    "user": clickhouse_table.USER,
}
_SEPARATOR = r"[^\pL\pN\p{Co}]"  # between words, as SQLite's tokenizer splits them
_ASCII_WORD = re.compile(r"[A-Za-z0-9]+")
_FAILED = (*FAILURES, "interrupted")
_HOOKS = "JSONExtractArrayRaw(Body, 'hooks')"
_OF_RUN = [f"JSONExtractString(h, '{name}')" for name in ("stdout", "stderr", "reason")]
_OUTPUTS = ", '\\n', ".join(_OF_RUN)
_TEXTS = f"arrayStringConcat(arrayMap(h -> concat('\\n', {_OUTPUTS}), {_HOOKS}))"
_PAYLOAD = "JSONExtractRaw(Body, 'payload')"
_REASON = "JSONExtractString(Body, 'reason')"


class BoundValues:
    """The bound values of one statement."""

    def __init__(self) -> None:
        self.values: dict[str, Value] = {}

    def bind(self, value: Value) -> str:
        name = f"p{len(self.values)}"
        self.values[name] = value
        kind = "Array(String)" if isinstance(value, list) else "Float64" if isinstance(value, float) else "String"
        return f"{{{name}:{kind}}}"


class Conditions:
    """Renders queries for one table."""

    def __init__(self, table: LogTable, params: BoundValues) -> None:
        self._table = table
        self._params = params
        self._aliases: set[str] = set()

    def of(self, query: Query) -> str:
        """The condition for a query's terms on a record of a dispatch. Raises QueryError."""
        parts = [self._column(term, query.now) for term in query.terms if term.field not in ("", *OF_RUNS, "would")]
        parts += [self._runs(*asked) for asked in runs_asked([term for term in query.terms if term.field in OF_RUNS])]
        parts += [self._text(term) for term in query.terms if not term.field]
        if query.only_trouble:
            parts.append(self._trouble)
        return " AND ".join(parts) or "1"

    def of_dispatches(self, query: Query) -> str:
        """The condition for the dispatches that a query lists. Raises QueryError.

        Those of a machine whose clock is ahead would stay at the end of the list for as long: they are listed where the query
        names machines or an end.
        """
        names_them = any(term.field in ("machine", "until") and not term.negated for term in query.terms)
        past = [] if names_them or query.session is not None else [self._table.past]
        return " AND ".join([*past, self.of(query), self._table.dispatches])

    @property
    def _trouble(self) -> str:
        decision, state = self._table.attribute("hooktui.decision"), self._table.attribute("hooktui.state")
        failed = ", ".join(f"'{name}'" for name in _FAILED)
        origin = self._table.attribute("hooktui.origin")
        return f"({decision} IN ('deny', 'stop') OR {state} IN ({failed})) AND {origin} <> 'try'"

    # Attributes

    def _column(self, term: Term, now: float) -> str:
        if term.field in ATTRIBUTES:
            sql = self._named(self._table.attribute(ATTRIBUTES[term.field]), term)
        else:
            sql = _FIELDS[term.field](self, term, now)
        return f"NOT ({sql})" if term.negated else f"({sql})"

    def _named(self, column: str, term: Term, stored: Callable[[str], str] = stored_text) -> str:
        """Compare an attribute with a value as `stored`; an unquoted `*` is a wildcard."""
        if not term.wild:
            return f"{column} = {self._params.bind(stored(term.value))}"
        return f"({column} <> '' AND {column} LIKE {self._params.bind(_like(term.value))})"

    def _among(self, attribute: str, names: Sequence[str]) -> str:
        return f"has({self._params.bind(list(names))}, {self._table.attribute(attribute)})"

    def _event(self, term: Term, _now: float) -> str:
        column = "hooktui.event"
        if term.wild:
            named = self._named(self._table.attribute(column), term)
            return f"{self._among(column, meanings.known_events(term))} OR {named}"
        return f"{self._table.attribute(column)} = {self._params.bind(meanings.event_name(term))}"

    def _decision(self, term: Term, now: float) -> str:
        if meanings.is_rewrite(term):
            return self._effect(term._replace(value="rewrite"), now)
        return self._among("hooktui.decision", members(term, DECISIONS))

    def _effect(self, term: Term, _now: float) -> str:
        return self._among("hooktui.effect", meanings.effects(term))

    def _overruled(self, term: Term, _now: float) -> str:
        return f"JSONExtractBool(Body, 'overruled') = {int(is_true(term))}"

    def _machine(self, term: Term, _now: float) -> str:
        """The machine's name or its own id."""
        names = (self._table.attribute(name) for name in ("host.name", "service.instance.id"))
        return " OR ".join(self._named(name, term) for name in names)

    def _project(self, term: Term, _now: float) -> str:
        column = self._table.attribute("hooktui.project")
        if name := meanings.project_name(term):
            return f"{column} LIKE {self._params.bind(_like('*/' + name))}"
        return self._named(column, meanings.project_path(term), as_stored)

    def _session(self, term: Term, _now: float) -> str:
        """The session with that id; without one, sessions whose ids begin with it."""
        column = self._table.attribute("session.id")
        if term.wild:
            return self._named(column, term)
        exact = self._named(column, term, stored_session)
        exists = f"SELECT count() FROM {self._table.name} WHERE {exact} AND {self._table.dispatches}"
        return f"{exact} OR startsWith({column}, {self._params.bind(term.value)}) AND ({exists}) = 0"

    def _since(self, term: Term, now: float) -> str:
        return self._from(meanings.id_at(term, now), term)

    def _from(self, number: int, term: Term) -> str:
        bound = f"{self._table.id} >= '{ids.text(number)}'"
        return bound if term.negated else f"{self._table.since(number)} AND {bound}"

    def _until(self, term: Term, now: float) -> str:
        number = meanings.id_at(term, now, whole_day=True)
        bound = f"{self._table.id} < '{ids.text(number)}'"
        return bound if term.negated else f"{self._table.until(number)} AND {bound}"

    def _slower(self, term: Term, _now: float) -> str:
        return f"{self._table.duration_ms} > {self._params.bind(meanings.milliseconds(term))}"

    # Runs

    def _runs(self, hook: Term | None, state: Term | None, absent: bool) -> str:
        """A run of a hook in a state. Only the report has skipped hooks, and other names of a hook than its label."""
        names = meanings.states(state)
        states = self._params.bind(list(names))
        sql = self._labelled(hook, states)
        if (state and "skipped" in names) or (hook and (hook.wild or ":" in hook.value)):
            only_skipped = list(names) == ["skipped"]
            reported = self._reported(hook, states)
            words = self.has_words(f"{hook.value if hook else ''} {'skipped' * only_skipped}")
            sql = f"({' AND '.join([*words, reported if only_skipped else f'({sql} OR {reported})'])})"
        return f"NOT {sql}" if absent else sql

    def _labelled(self, hook: Term | None, states: str) -> str:
        runs = self._table.attribute("hooktui.runs")
        named = self._named("splitByChar('\\t', r)[1]", hook, _one_line) if hook else "1"
        sql = f"arrayExists(r -> {named} AND has({states}, splitByChar('\\t', r)[2]), splitByChar('\\n', {runs}))"
        if hook and not hook.wild:  # the text as a whole rules out most
            sql = f"({runs} LIKE {self._params.bind(f'%{_literal(_one_line(hook.value))}%')} AND {sql})"
        return sql

    def _reported(self, hook: Term | None, states: str) -> str:
        names = [f"JSONExtractString(h, '{name}')" for name in ("label", "name", "id")] if hook else []
        named = " OR ".join(self._named(name, hook, as_stored) for name in names if hook) or "1"
        return f"arrayExists(h -> ({named}) AND has({states}, JSONExtractString(h, 'state')), {_HOOKS})"

    # Text

    def _text(self, term: Term) -> str:
        """Words anywhere in payload, outputs and reasons; what is more than a word is compared with each of them.

        The first conditions only narrow the rows down, by the index of the DBA's accelerators if it is there.
        """
        term = term._replace(value=stored_text(term.value))
        words = words_of([term])
        plain = [word.translate(clickhouse_table.PLAIN).lower() for word in (*words.whole, *words.prefixes)]
        parts = [self._has_word(word) for word in plain if word.isascii()]
        ends = [f"({_SEPARATOR}|$)"] * len(words.whole) + [""] * len(words.prefixes)
        document = clickhouse_table.searchable(
            f"concat({clickhouse_table.without_escapes(_PAYLOAD)}, '\\n', {_REASON}, {_TEXTS})"
        )
        for word, end in zip(plain, ends, strict=True):
            pattern = self._params.bind(f"(?i)(^|{_SEPARATOR}){word}{end}")
            parts.append(f"match({self._once('searched_text', document)}, {pattern})")
        if not is_one_word(term):
            parts.append(self._compared(term))
        sql = f"({' AND '.join(parts)})"
        return f"NOT {sql}" if term.negated else sql

    def has_words(self, text: str) -> list[str]:
        """The conditions that a record has a text's ASCII words, to rule out most others before it is taken apart."""
        return [self._has_word(word) for word in _ASCII_WORD.findall(text)]

    def _has_word(self, word: str) -> str:
        """The condition that a record has an ASCII word, or one that contains it: the index of words answers it."""
        return f"{self._once('indexed_text', clickhouse_table.WORDS)} LIKE {self._params.bind(f'%{word.lower()}%')}"

    def _once(self, alias: str, expression: str) -> str:
        """An expression under an alias, and from then on the alias: a statement has 256 KiB at most."""
        if alias in self._aliases:
            return alias
        self._aliases.add(alias)
        return f"({expression} AS {alias})"

    def _compared(self, term: Term) -> str:
        plain = self._params.bind(_contains(term, term.value))
        escaped = self._params.bind(_contains(term, json.dumps(term.value, ensure_ascii=False)[1:-1]))
        in_run = " OR ".join(f"lower({text}) LIKE {plain}" for text in _OF_RUN)
        return f"(lower({_REASON}) LIKE {plain} OR lower({_PAYLOAD}) LIKE {escaped} OR arrayExists(h -> {in_run}, {_HOOKS}))"


_FIELDS: Mapping[str, Callable[[Conditions, Term, float], str]] = {
    "event": Conditions._event,
    "decision": Conditions._decision,
    "effect": Conditions._effect,
    "origin": lambda self, term, _: self._among("hooktui.origin", members(term, ORIGINS)),
    "overruled": Conditions._overruled,
    "session": Conditions._session,
    "machine": Conditions._machine,
    "project": Conditions._project,
    "since": Conditions._since,
    "until": Conditions._until,
    "slower": Conditions._slower,
}


def _like(pattern: str) -> str:
    """A pattern of the query language, in which only `*` is special, for LIKE."""
    return _literal(pattern).replace("*", "%")


def _contains(term: Term, text: str) -> str:
    return f"%{_like(_lower(text))}%" if term.wild else contained(text)


def contained(text: str) -> str:
    """The LIKE pattern for a value in lower case that contains a text."""
    return f"%{_literal(_lower(text))}%"


def _lower(text: str) -> str:
    """A text with its ASCII letters in lower case, as LIKE of SQLite and `lower` of ClickHouse compare."""
    return "".join(letter.lower() if letter.isascii() else letter for letter in text)


def _literal(text: str) -> str:
    return re.sub(r"[\\%_]", r"\\\g<0>", text)


def _one_line(name: str) -> str:
    return " ".join(as_stored(name).split())
