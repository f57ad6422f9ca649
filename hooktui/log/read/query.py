"""The query language of the log (contract.md, "The query language"): a text becomes one SQL condition with bound values.

A pure function of its text and the present moment. What a person types is always bound, so that nothing can break the SQL.
"""

from __future__ import annotations

import re
import time
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from hooktui.core import paths
from hooktui.core.suggest import closest
from hooktui.log.read import stored_names, text_search
from hooktui.log.read.conditions import FIELDS, QueryError, Term, Values, run_conditions
from hooktui.log.read.text_search import Words

if TYPE_CHECKING:
    from collections.abc import Mapping

    from hooktui.log.read.conditions import Value

__all__ = ["FIELDS", "Query", "QueryError", "of_session", "parse"]

_OF_RUNS = ("hook", "state")
_LONGEST = 2000  # characters; SQLite's LIKE takes 50,000 bytes
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")  # nobody types them, and an error is one line
_TERM = re.compile(r'(?P<minus>-(?!-))?(?:(?P<field>[A-Za-z_]+):)?(?:"(?P<quoted>[^"]*)"?|(?P<plain>\S*))')


@dataclass(frozen=True, slots=True)
class Query:
    """A condition on dispatches, as SQL with named parameters: words that the index has, and more about the row.

    `low` among the parameters is an id below which nothing needs to be found, 0 for the whole log: raising it makes
    subqueries cheaper. The condition itself does not say that `key >= :low`. `shown` is where in a text it was found.
    """

    text: str = ""
    row: str = "1"
    params: Mapping[str, Value] = field(default_factory=lambda: {"low": 0})
    words: Words = field(default_factory=Words)
    shown: re.Pattern[str] | None = None

    @property
    def key(self) -> str:
        """The expression for the id of a dispatch."""
        return "words.rowid" if self.words else "dispatch.id"

    @property
    def found(self) -> str:
        """`FROM … WHERE …`. Words drive the search where there are some, and need no row when nothing else is asked."""
        if not self.words:
            return f"FROM dispatch WHERE {self.row}"
        row = "" if self.row == "1" else "CROSS JOIN dispatch ON dispatch.id = words.rowid"
        return f"FROM words {row} WHERE words MATCH :match AND {self.row}"


def of_session(number: int) -> Query:
    """Every dispatch of one session, given its number in the log."""
    return Query(row="session = :session", params={"low": 0, "session": number})


def quoted(path: str) -> str:
    """A path as a value in a query, the home directory as `~`."""
    short = paths.short(path)
    return f'"{short}"' if " " in short else short


def joined(*parts: str) -> str:
    """Queries of which all must hold, as one text; an open quotation is closed."""
    return " ".join(f'{part}"' if part.count('"') % 2 else part for part in parts if part.strip())


def parse(text: str, now: float | None = None) -> Query:
    """The condition that a query stands for; an empty one stands for everything.

    `now` is in seconds since 1970, for `since:2h`. Raises QueryError.
    """
    text = _CONTROL.sub(" ", text.encode(errors="replace").decode())
    if len(text) > _LONGEST:
        raise QueryError(f"the query is longer than {_LONGEST} characters")
    terms = [_term(found) for found in _TERM.finditer(text) if found.group()]
    values = Values()
    moment = time.time() if now is None else now
    wanted = [_stored(term) for term in terms if not term.field and not term.negated]
    words = text_search.words_of(wanted)
    others = [term for term in terms if term.field or term.negated]
    conditions = [_condition(term, values, moment) for term in others if term.field not in _OF_RUNS]
    conditions += run_conditions([term for term in others if term.field in _OF_RUNS], values)
    conditions += text_search.comparisons(wanted, values)
    params = {**values.params, "match": words.match()} if words else values.params
    return Query(text, " AND ".join(conditions) or "1", params, words, text_search.pattern(wanted))


def _term(found: re.Match[str]) -> Term:
    quoted = found["quoted"] is not None
    name, value = (found["field"] or "").lower(), found["quoted"] if quoted else found["plain"]
    written = found.group()
    if not name and not value:
        return Term(written, value=written, quoted=True)  # a lone minus or an empty pair of quotes
    if name and name not in FIELDS:
        near = closest(name, FIELDS)
        hint = f"did you mean {near}:{value}? " if near else ""
        raise QueryError(f'{written}: no field {name}: {hint}fields are {", ".join(FIELDS)}; text goes in "quotes"')
    if name and not value:
        raise QueryError(f"{written} needs a value, like {name}:{FIELDS[name].example}")
    return Term(written, value, name, negated=bool(found["minus"]), quoted=quoted)


def _stored(term: Term) -> Term:
    """A text as the log has it."""
    return replace(term, value=stored_names.text(term.value))


def _condition(term: Term, values: Values, now: float) -> str:
    to_sql = FIELDS[term.field].to_sql if term.field else None
    if to_sql is None:
        return text_search.absence(_stored(term), values)
    sql = to_sql(term, values, now)
    # NULL (no tool, say) is no match, and so a match for the negated term.
    return f"NOT ifnull({sql}, 0)" if term.negated else f"({sql})"
