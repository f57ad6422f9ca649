"""Did you mean …?"""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING

from hooktui import events

if TYPE_CHECKING:
    from collections.abc import Iterable

_LIKENESS = 0.6


def closest(word: str, known: Iterable[str]) -> str | None:
    """The known word that a mistyped one most likely stands for; None when nothing is near."""
    by_fold = {_fold(candidate): candidate for candidate in known}
    near = get_close_matches(_fold(word[:100]), by_fold, n=1, cutoff=_LIKENESS)
    return by_fold[near[0]] if near else None


def trigger(written: str) -> str | None:
    """The HOOK.md trigger that a wrong one stands for: another format's spelling of an event, or a slip."""
    twin = events.canonical(written.strip())
    if twin is None:
        return closest(written, events.TRIGGERS)
    return twin if twin in events.TRIGGERS else None


def _fold(word: str) -> str:
    return word.strip().lower().replace("_", "-").replace(" ", "-")
