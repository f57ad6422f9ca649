"""Tell texts without secrets by their words, many texts at a time.

Every pattern of a secret needs a sign: a part of a word, or characters between words. Words recur, so each is searched once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from hooktui.security import secret_patterns
from hooktui.security.redaction import HINTS
from hooktui.security.secret_patterns import MIN_LENGTH, PROGRAMS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

_SEPARATED = bytes(number if chr(number).isalnum() or chr(number) in "-_." else 32 for number in range(128)) + b" " * 128
_LOWER_TO_ASCII = ("\u212a", "\u0130")  # other letters than ASCII's whose lower case has one of these
# Parts of words, and words or their ends, which a quote, a space or `=` follows in a pattern; all without `_` and `-`.
_PARTS = (*(name.strip('"') for name in HINTS if name not in ('"pin"', 'auth"')), "eyj", "curl", "slack.com")
_ENDS = (" pin ", " sig ", "auth ", "private ", "bearer ", "basic ", "signature ", "pwd ", "sha256 ", "webhooks ")
_VARIABLES = ("_key ", "_pass ")  # ends of the names of variables
_BOT = b"AA"  # how the secret of a bot begins, behind `:`
_PROGRAMS = frozenset(program.encode() for program in PROGRAMS)
_MOST = 50_000  # words to remember

_clean: set[bytes] = set()
_suspect: set[bytes] = set()


def suspects(texts: Sequence[str]) -> Iterator[int]:
    """The places of JSON texts that may hold secrets; errs on the side of more."""
    joined = "\n".join(texts)
    signs = [word.decode() for word in _suspects_of(set(joined.encode("ascii", "replace").translate(_SEPARATED).split()))]
    is_plain = not _has_sign_between_words(joined)
    if is_plain and not signs:
        return
    for place, text in enumerate(texts):
        if _has_any(text, signs) or (not is_plain and _has_sign_between_words(text)):
            yield place


def _has_any(text: str, words: Sequence[str]) -> bool:
    for word in words:  # noqa: SIM110 - twice as fast as any()
        if word in text:
            return True
    return False


def _has_sign_between_words(text: str) -> bool:
    return (
        ("\\" in text and ("\\u" in text or "\\\\/" in text))
        or ("://" in text and "@" in text)
        or "Q~" in text
        or (not text.isascii() and any(letter in text for letter in _LOWER_TO_ASCII))
    )


def _suspects_of(words: set[bytes]) -> set[bytes]:
    """Those of some words that may belong to a secret."""
    if len(_clean) + len(_suspect) > _MOST:
        _clean.clear()
        _suspect.clear()
    new = words - _clean - _suspect
    signs = {word for word in new if _has_sign([word])} if _has_sign(new) else set()
    _suspect.update(signs)
    _clean.update(new - signs)
    return words & _suspect


def _has_sign(words: Iterable[bytes]) -> bool:
    """Whether one of some words may belong to a secret."""
    words = list(words)
    text = f" {b' '.join(words).decode()} "
    plain = secret_patterns.bare(text)
    return (
        any(part in plain for part in _PARTS)
        or any(end in plain for end in _ENDS)
        or any(end in text.lower() for end in _VARIABLES)
        or not _PROGRAMS.isdisjoint(words)
        or not _PROGRAMS.isdisjoint([word[1:] for word in words])  # behind an escape: `\\ncurl`
        or any(word.startswith(_BOT) for word in words)
        or secret_patterns.may_be_issued([word for word in text.split() if len(word) >= MIN_LENGTH])
    )
