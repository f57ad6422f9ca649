"""Parse the query language of the log (contract.md, "The query language") into one SQL condition with bound values.

A pure function of the text and the current time. Typed text is always bound, never part of the SQL.
"""

from __future__ import annotations

import json
import re
import time
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from hooktui.config.suggest import closest
from hooktui.core import paths
from hooktui.core.model import FAILURES
from hooktui.log.read.conditions import FIELDS, Parameters, Value, run_conditions
from hooktui.log.read.connection import stored_text
from hooktui.log.read.terms import QueryError, Term, WouldTerm, would_terms

__all__ = ["FIELDS", "Query", "QueryError", "of_calls", "of_session", "of_trouble", "parse"]

OF_RUNS = ("hook", "state")
_FAILED = ", ".join(f"'{state}'" for state in (*FAILURES, "interrupted"))
_TROUBLE = f"(decision IN ('deny', 'stop') OR state IN ({_FAILED}) OR overruled OR ifnull(outcome, '') = 'denied-by-hook')"
_MAX_LENGTH = 2000  # characters; SQLite's LIKE takes 50,000 bytes
# SQLite merges both in the order of ids and reads no more than it is asked for.
_INDEXED = "SELECT rowid AS number FROM words WHERE words MATCH :match"
_UNINDEXED = "SELECT unindexed.id AS number FROM unindexed CROSS JOIN dispatch ON dispatch.id = unindexed.id WHERE 1"
_HEAD = "ifnull(dispatch.head, dispatch.id)"
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")  # never typed; an error must stay one line
_TERM = re.compile(r'(?P<minus>-(?!-))?(?:(?P<field>[A-Za-z_]+):)?(?:"(?P<quoted>[^"]*)"?|(?P<plain>\S*))')


class IndexWords(NamedTuple):
    """Words and word prefixes that a dispatch must contain."""

    whole: tuple[str, ...] = ()
    prefixes: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.prefixes)

    def match(self, expansions: Mapping[str, Sequence[str]] | None = None) -> str:
        """The FTS5 expression. `expansions` gives the words that begin with a prefix: FTS5 finds those much faster."""
        prefixes = [_any((expansions or {}).get(word, ())) or f"{_quoted(word)}*" for word in self.prefixes]
        return " AND ".join([*map(_quoted, self.whole), *prefixes])


class Query(NamedTuple):
    """A condition on dispatches, as SQL with named parameters: indexed words, and a condition on the row.

    Another kind of log renders `terms` (with `now` in seconds since 1970), `session` and `only_trouble` in its own language.

    The parameter `low` is an id below which no result is needed, 0 for the whole log: a higher one makes subqueries cheaper.
    The condition does not include `key >= :low`. `unindexed` is for the words where they are not indexed yet (index_queue.py).
    `by_call`: a tool call that has a matching event is found once, by the id of its first event. A fleet finds events anyway.
    `highlight` matches the searched text. A query with `would` terms matches nothing until they are answered
    (trials/what_if.py).
    """

    text: str = ""
    row: str = "1"
    params: Mapping[str, Value] = {"low": 0}
    words: IndexWords = IndexWords()
    unindexed: str = "1"
    highlight: re.Pattern[str] | None = None
    would: tuple[WouldTerm, ...] = ()
    terms: tuple[Term, ...] = ()
    now: float = 0.0
    session: int | None = None
    only_trouble: bool = False
    by_call: bool = False

    @property
    def is_everything(self) -> bool:
        return self.row == "1" and not self.words

    @property
    def key(self) -> str:
        return "found.number" if self.words else "dispatch.id"

    @property
    def source(self) -> str:
        """`FROM … WHERE …` of events. Indexed words drive the search; without a condition on the row, no row is read."""
        condition = "0" if self.would else self.row
        if not self.words:
            return f"FROM dispatch WHERE {condition}"
        row = "" if self.row == "1" and not self.by_call else "CROSS JOIN dispatch ON dispatch.id = found.number"
        return f"FROM ({_INDEXED} UNION ALL {_UNINDEXED} AND {self.unindexed}) AS found {row} WHERE {condition}"

    def numbers(self, bounds: str = "1") -> str:
        """SQL for the matching ids, as `number`. `bounds` is a condition on it, with `{0}` for its expression."""
        if not self.by_call:
            return f"SELECT {self.key} AS number {self.source} AND {bounds.format(self.key)}"
        if self.words:
            return f"SELECT DISTINCT {_HEAD} AS number {self.source} AND found.number >= :low AND {bounds.format(_HEAD)}"
        condition = "0" if self.would else self.row
        begins = (
            f"SELECT dispatch.id AS number FROM dispatch WHERE {condition} AND head IS NULL AND {bounds.format('dispatch.id')}"
        )
        if self.is_everything:
            return begins
        follows = f"SELECT head AS number FROM dispatch WHERE {condition} AND head IS NOT NULL AND dispatch.id >= :low"
        return f"{begins} UNION {follows} AND {bounds.format('head')}"  # SQLite merges both in order


def of_session(number: int) -> Query:
    """The query for a session, by its row in the log."""
    return Query(row="session = :session", params={"low": 0, "session": number}, session=number)


def of_trouble(query: Query) -> Query:
    """What a query finds that was denied or stopped, or where a hook failed; tries do not count."""
    return query._replace(row=f"({query.row}) AND {_TROUBLE} AND NOT synthetic", only_trouble=True)


def of_calls(query: Query) -> Query:
    """What a query finds as rows of a list: a tool call once, whichever of its events match."""
    return query._replace(by_call=True)


def quoted(path: str) -> str:
    """A path as a query value, with `~` for the home directory."""
    short = paths.short(path)
    return f'"{short}"' if " " in short else short


def joined(*parts: str) -> str:
    """Combine queries that must all hold; an open quotation is closed."""
    return " ".join(f'{part}"' if part.count('"') % 2 else part for part in parts if part.strip())


def parse(text: str, now: float | None = None) -> Query:
    """Parse a query; an empty one matches everything.

    `now` is in seconds since 1970, for `since:2h`. Raises QueryError.
    """
    text = _CONTROL.sub(" ", text.encode(errors="replace").decode())
    if len(text) > _MAX_LENGTH:
        raise QueryError(f"query too long: the limit is {_MAX_LENGTH:,} characters")
    terms = [_term(match) for match in _TERM.finditer(text) if match.group()]
    params = Parameters(time.time() if now is None else now)
    texts = [_stored(term) for term in terms if not term.field and not term.negated]
    words = words_of(texts)
    others = [term for term in terms if term.field or term.negated]
    conditions = [_condition(term, params) for term in others if term.field not in (*OF_RUNS, "would")]
    conditions += run_conditions([term for term in others if term.field in OF_RUNS], params)
    conditions += comparisons(texts, params)
    unindexed = " AND ".join(_compared(term, params) for term in texts if is_one_word(term)) or "1"
    values = {**params.values, "match": words.match()} if words else params.values
    row, would = " AND ".join(conditions) or "1", would_terms(others)
    return Query(text, row, values, words, unindexed, word_pattern(texts), would, tuple(terms), params.now)


def _term(match: re.Match[str]) -> Term:
    quoted = match["quoted"] is not None
    name, value = (match["field"] or "").lower(), match["quoted"] if quoted else match["plain"]
    source = match.group()
    if not name and not value:
        return Term(source, value=source, quoted=True)  # a lone minus or an empty pair of quotes
    if name and name not in FIELDS:
        near = closest(name, FIELDS)
        hint = f"did you mean {near}:{value}? " if near else ""
        raise QueryError(f"unknown field {name}: {hint}valid fields: {', '.join(FIELDS)}; quote text to search for it")
    if name and not value:
        raise QueryError(f"{source} needs a value, such as {name}:{FIELDS[name].example}")
    return Term(source, value, name, negated=bool(match["minus"]), quoted=quoted)


def _stored(term: Term) -> Term:
    return term._replace(value=stored_text(term.value))


def _condition(term: Term, params: Parameters) -> str:
    to_sql = FIELDS[term.field].to_sql if term.field else None
    if to_sql is None:
        return absence(_stored(term), params)
    sql = to_sql(term, params)
    # NULL (no tool, for example) does not match, so the negated term does.
    return f"NOT ifnull({sql}, 0)" if term.negated else f"({sql})"


def _any(words: Sequence[str]) -> str:
    return f"({' OR '.join(map(_quoted, words))})" if words else ""


def _quoted(word: str) -> str:
    return f'"{word}"'


def words_of(terms: Iterable[Term]) -> IndexWords:
    """The words to look up in the index."""
    texts = [words for term in terms if (words := _indexed(term))]
    return IndexWords(tuple(word for words in texts for word in words[:-1]), tuple(words[-1] for words in texts))


def comparisons(terms: Iterable[Term], params: Parameters) -> list[str]:
    """The comparisons with stored text that the index cannot answer, as conditions on a row of `dispatch`."""
    return [_compared(term, params) for term in terms if not is_one_word(term)]


def absence(term: Term, params: Parameters) -> str:
    """The condition that a dispatch does not contain a text."""
    words = words_of([term])
    if not words:
        return f"NOT ifnull({_compared(term, params)}, 0)"
    indexed = f"dispatch.id IN (SELECT rowid FROM words WHERE words MATCH {params.bind(words.match())} AND rowid >= :low)"
    conditions = " AND ".join([indexed, *comparisons([term], params)])
    waits = f"dispatch.id IN (SELECT id FROM unindexed WHERE id >= :low) AND {_compared(term, params)}"
    return f"NOT ifnull({conditions}, 0) AND NOT ifnull({waits}, 0)"


def word_pattern(terms: Iterable[Term]) -> re.Pattern[str] | None:
    """The pattern that highlights the matches in a text; None without any."""
    pieces = [_piece(part) for term in terms for part in (term.value.split("*") if term.wild else [term.value]) if part]
    return re.compile("|".join(sorted(pieces, key=len, reverse=True)), re.IGNORECASE) if pieces else None


def _piece(text: str) -> str:
    return ("(?<![^\\W_])" if text[0].isalnum() else "") + re.escape(text)


def _compared(term: Term, params: Parameters) -> str:
    plain = params.bind(_like(term, term.value))
    escaped = params.bind(_like(term, json.dumps(term.value, ensure_ascii=False)[1:-1]))
    in_run = " OR ".join(f"{name} LIKE {plain} ESCAPE '\\'" for name in ("stdout", "stderr", "run.reason"))
    return (
        f"(dispatch.reason LIKE {plain} ESCAPE '\\'"
        f" OR (SELECT payload LIKE {escaped} ESCAPE '\\' FROM content WHERE content.id = dispatch.id)"
        f" OR EXISTS (SELECT 1 FROM run WHERE run.dispatch = dispatch.id AND ({in_run})))"
    )


def _like(term: Term, text: str) -> str:
    pattern = re.sub(r"[\\%_]", r"\\\g<0>", text)
    return f"%{pattern.replace('*', '%') if term.wild else pattern}%"


def _indexed(term: Term) -> list[str]:
    """The words of a term, up to its first `*`, that the index certainly splits like this."""
    return _words(term.value.partition("*")[0] if term.wild else term.value)


def is_one_word(term: Term) -> bool:
    """Whether the index alone answers a text term."""
    return _indexed(term) == [term.value.removesuffix("*") if term.wild else term.value]


def _words(text: str) -> list[str]:
    """Split a text as FTS5's unicode61 tokenizer does; doubtful words are left to the comparison."""
    return [word for word in re.split(r"[\x00-/:-@\[-`{-\x7f]+", text) if word and all(map(_is_plain, word))]


def _is_plain(letter: str) -> bool:
    """Whether it is a letter or digit since Unicode 3.2, of a script that separates words."""
    return unicodedata.ucd_3_2_0.category(letter) in ("Lu", "Ll", "Lt", "Nd")
