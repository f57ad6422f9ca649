"""What bare words and quoted phrases of a query find: texts in payloads, reasons and outputs, as SQL and as patterns.

A text is found at the beginning of a word; case does not matter. The index (schema-3.sql) knows only which words a dispatch
holds, so anything but one plain word is then compared with what is stored.
"""

from __future__ import annotations

import json
import re
import unicodedata
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from hooktui.log.read.conditions import Term, Values


@dataclass(frozen=True, slots=True)
class Words:
    """Words that a dispatch must hold, and beginnings of words."""

    whole: tuple[str, ...] = ()
    beginnings: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.beginnings)

    def match(self, endings: Mapping[str, Sequence[str]] | None = None) -> str:
        """The FTS5 expression. `endings` gives, for a beginning, all words that begin so: those are found much faster."""
        begun = [_any((endings or {}).get(word, ())) or f"{_quoted(word)}*" for word in self.beginnings]
        return " AND ".join([*map(_quoted, self.whole), *begun])


def _any(words: Sequence[str]) -> str:
    return f"({' OR '.join(map(_quoted, words))})" if words else ""


def _quoted(word: str) -> str:
    return f'"{word}"'


def words_of(terms: Iterable[Term]) -> Words:
    """What the index is asked for these texts."""
    found = [words for term in terms if (words := _indexed(term))]
    return Words(tuple(word for words in found for word in words[:-1]), tuple(words[-1] for words in found))


def comparisons(terms: Iterable[Term], values: Values) -> list[str]:
    """What is left to compare, as conditions on a row of `dispatch`, once the index has been asked."""
    return [_compared(term, values) for term in terms if not _is_one_word(term)]


def absence(term: Term, values: Values) -> str:
    """That a dispatch does not hold a text."""
    words = words_of([term])
    indexed = f"id IN (SELECT rowid FROM words WHERE words MATCH {values.bind(words.match())} AND rowid >= :low)"
    conditions = [indexed] * bool(words) + comparisons([term], values)
    return f"NOT ifnull({' AND '.join(conditions)}, 0)"


def pattern(terms: Iterable[Term]) -> re.Pattern[str] | None:
    """What shows where in a text these were found; None when there is nothing to show."""
    pieces = [_piece(part) for term in terms for part in (term.value.split("*") if term.wild else [term.value]) if part]
    return re.compile("|".join(sorted(pieces, key=len, reverse=True)), re.IGNORECASE) if pieces else None


def _piece(text: str) -> str:
    return ("(?<![^\\W_])" if text[0].isalnum() else "") + re.escape(text)


def _compared(term: Term, values: Values) -> str:
    plain = values.bind(_like(term, term.value))
    escaped = values.bind(_like(term, json.dumps(term.value, ensure_ascii=False)[1:-1]))
    said = " OR ".join(f"{name} LIKE {plain} ESCAPE '\\'" for name in ("stdout", "stderr", "run.reason"))
    return (
        f"(dispatch.reason LIKE {plain} ESCAPE '\\'"
        f" OR (SELECT payload LIKE {escaped} ESCAPE '\\' FROM content WHERE content.id = dispatch.id)"
        f" OR EXISTS (SELECT 1 FROM run WHERE run.dispatch = dispatch.id AND ({said})))"
    )


def _like(term: Term, text: str) -> str:
    pattern = re.sub(r"[\\%_]", r"\\\g<0>", text)
    return f"%{pattern.replace('*', '%') if term.wild else pattern}%"


def _indexed(term: Term) -> list[str]:
    """The words of a term that the index surely has, up to its first `*`."""
    return _words(term.value.partition("*")[0] if term.wild else term.value)


def _is_one_word(term: Term) -> bool:
    return _indexed(term) == [term.value.removesuffix("*") if term.wild else term.value]


def _words(text: str) -> list[str]:
    """The words of a text as FTS5's unicode61 tokenizer surely sees them; doubtful ones are left to the comparison."""
    return [word for word in re.split(r"[\x00-/:-@\[-`{-\x7f]+", text) if word and all(map(_is_plain, word))]


def _is_plain(letter: str) -> bool:
    """A letter or digit since Unicode 3.2, of a script that sets words apart."""
    return unicodedata.ucd_3_2_0.category(letter) in ("Lu", "Ll", "Lt", "Nd")
