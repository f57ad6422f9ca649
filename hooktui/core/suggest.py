"""Did you mean …?"""

from __future__ import annotations

import re
from difflib import SequenceMatcher, get_close_matches
from typing import TYPE_CHECKING

from hooktui.core import events

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

_SEVERAL = re.compile(r"[,;|/&]|\s(?:and|or)\s")  # between the names of more events than one
_LIKENESS = 0.6
_EVENT_LIKENESS = 0.8  # events' names, and the words in them, have much in common
_LONGEST = 100  # characters looked at

# What the names of other programs' events are made of: a subject, the first that a name speaks of, and a moment.
_SUBJECTS: Mapping[str, tuple[str, str]] = {
    "idle": (events.GATE, events.GATE),
    "session": ("pre-session", "post-session"),
    "subagent": ("pre-subagent", "post-subagent"),
    **dict.fromkeys(("compact", "compaction", "compress", "compression"), ("pre-context-compact", "post-context-compact")),
    **dict.fromkeys(
        ("tool", "shell", "command", "bash", "mcp", "file", "edit", "read", "write"), ("pre-tool-call", "post-tool-call")
    ),
    **dict.fromkeys(("prompt", "turn", "input", "response", "agent"), ("pre-agent-turn", "post-agent-turn")),
    "stop": (events.GATE, "post-agent-turn-stop"),
}
_FAILURE = {"error", "failure", "failed", "fail"}
_BEFORE = {"pre", "before", "start", "started", "begin", "open", "created"}
_AFTER = {"post", "after", "end", "ended", "stop", "stopped", "finish", "finished", "complete", "completed", "done", *_FAILURE}
_VOCABULARY = {*_SUBJECTS, *_BEFORE, *_AFTER, "call", "context", "on", "submit", "use", "user"}


def closest(word: str, known: Iterable[str], likeness: float = _LIKENESS) -> str | None:
    """The known word that a mistyped one most likely stands for; None when nothing is near."""
    by_fold = {_fold(candidate): candidate for candidate in known}
    near = get_close_matches(_fold(word[:_LONGEST]), by_fold, n=1, cutoff=likeness)
    return by_fold[near[0]] if near else None


def event(written: str, known: Collection[str]) -> str | None:
    """The known event that a wrong one stands for: another program's name for it, or a slip; never one of another moment."""
    word = written.strip()[:_LONGEST]
    if _SEVERAL.search(word):
        return None
    twin = events.canonical(word) or _by_letters(word)
    if twin is None:
        words = _words(word)
        if not words <= _VOCABULARY:
            slip = closest(word, (name for name in known if not _opposite(words, name)), _EVENT_LIKENESS)
            if slip:
                return slip
        twin = _by_words(words)
    spellings = [name for name in known if events.canonical(name) == twin] if twin else []
    return max(spellings, key=lambda name: _alikeness(name, word), default=None)


def _alikeness(name: str, word: str) -> tuple[bool, bool, float]:
    return _letters(name) == _letters(word), ("_" in name) == ("_" in word), SequenceMatcher(None, name, word).ratio()


def _by_letters(word: str) -> str | None:
    """The event that some program spells with these letters, whatever their case and what stands between them."""
    letters = _letters(word)
    return next((events.canonical(name) for name in events.SPELLINGS if _letters(name) == letters), None)


def _by_words(words: set[str]) -> str | None:
    """The event that speaks of the same subject and moment; a subject alone stands for what comes before."""
    subject = next((name for name in _SUBJECTS if name in words), None)
    moment = _moment(words - {subject})
    if subject is None or (moment is None and not words <= _VOCABULARY):
        return None
    before, after = _SUBJECTS[subject]
    if after == "post-tool-call" and words & _FAILURE:
        return "post-tool-call-failure"
    return after if moment == "after" else before


def _opposite(words: set[str], name: str) -> bool:
    """Whether words speak of one moment and an event's name of the other."""
    told, meant = _moment(words), _moment(_words(events.canonical(name) or name))
    return told is not None and meant is not None and told != meant


def _moment(words: set[str]) -> str | None:
    """`pre`, `post` and the like at any place go before what only may tell the moment: the stop in `pre-stop`."""
    for before, after in (({"pre", "before"}, {"post", "after"}), (_BEFORE, _AFTER)):
        if words & before:
            return "before"
        if words & after:
            return "after"
    return None


def _words(name: str) -> set[str]:
    """The words of a name; those that are nearly ones that events speak of are taken for them."""
    told = (word.lower() for word in re.findall(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])", name))
    return {next(iter(get_close_matches(word, _VOCABULARY, 1, _EVENT_LIKENESS)), word) for word in told}


def _letters(name: str) -> str:
    return "".join(filter(str.isalnum, name)).lower()


def _fold(word: str) -> str:
    return word.strip().lower().replace("_", "-").replace(" ", "-")
