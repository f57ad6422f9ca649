"""Full-text search: the bare words and quoted phrases of a query as SQL and as patterns.

Text matches at the beginning of a word, ignoring case. The index (schema-3.sql) only has the words of a dispatch, so anything
but a single plain word is then compared with the stored text.
"""

from __future__ import annotations

import json
import re
import unicodedata
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from hooktui.log.read.conditions import Parameters, Term


@dataclass(frozen=True, slots=True)
class IndexWords:
    """Words and word prefixes that a dispatch must contain."""

    whole: tuple[str, ...] = ()
    prefixes: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.prefixes)

    def match(self, expansions: Mapping[str, Sequence[str]] | None = None) -> str:
        """The FTS5 expression. `expansions` gives the words that begin with a prefix: FTS5 finds those much faster."""
        prefixes = [_any((expansions or {}).get(word, ())) or f"{_quoted(word)}*" for word in self.prefixes]
        return " AND ".join([*map(_quoted, self.whole), *prefixes])


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
    return [_compared(term, params) for term in terms if not _is_one_word(term)]


def absence(term: Term, params: Parameters) -> str:
    """The condition that a dispatch does not contain a text."""
    words = words_of([term])
    indexed = f"id IN (SELECT rowid FROM words WHERE words MATCH {params.bind(words.match())} AND rowid >= :low)"
    conditions = [indexed] * bool(words) + comparisons([term], params)
    return f"NOT ifnull({' AND '.join(conditions)}, 0)"


def pattern(terms: Iterable[Term]) -> re.Pattern[str] | None:
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


def _is_one_word(term: Term) -> bool:
    return _indexed(term) == [term.value.removesuffix("*") if term.wild else term.value]


def _words(text: str) -> list[str]:
    """Split a text as FTS5's unicode61 tokenizer does; doubtful words are left to the comparison."""
    return [word for word in re.split(r"[\x00-/:-@\[-`{-\x7f]+", text) if word and all(map(_is_plain, word))]


def _is_plain(letter: str) -> bool:
    """Whether it is a letter or digit since Unicode 3.2, of a script that separates words."""
    return unicodedata.ucd_3_2_0.category(letter) in ("Lu", "Ll", "Lt", "Nd")
