"""Suggestions for mistyped words: "did you mean …?"."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from difflib import SequenceMatcher, get_close_matches

from hooktui.core import events

_SEVERAL = re.compile(r"[,;|/&]|\s(?:and|or)\s")  # separates the names of several events
_LIKENESS = 0.6
_EVENT_LIKENESS = 0.8  # events have similar names
_SYNTAX = re.compile(r"[:.]")  # in names of no host's events
_SLIPS = 2  # letters in an event's name
_MAX_LENGTH = 100  # compared characters

# Names of other programs' events have a subject and a moment. The first subject in a name counts.
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
_AROUND = {"", "s", "d", "ed", "ted", "on", "hook", "hooks", "event"}  # written around an event's name by mistake
_PARKED = {"off", "old", "no", "not", "disable", "disabled", "unused", "backup", "bak", "skip", "todo", "x"}
_VOCABULARY = {*_SUBJECTS, *_BEFORE, *_AFTER, "call", "context", "on", "submit", "use", "user"}


def closest(word: str, known: Iterable[str], likeness: float = _LIKENESS) -> str | None:
    """The known word that is most similar to a mistyped one, None if none is similar."""
    by_fold = {_fold(candidate): candidate for candidate in known}
    near = get_close_matches(_fold(word[:_MAX_LENGTH]), by_fold, n=1, cutoff=likeness)
    return by_fold[near[0]] if near else None


def distance(word: str, other: str) -> int:
    """The number of letters to insert, delete, replace or swap with their neighbours that turn one word into another."""
    above: list[int] = []
    row = list(range(len(other) + 1))
    for y, letter in enumerate(word, 1):
        above, last = row, above
        row = [y]
        for x, wanted in enumerate(other, 1):
            row.append(min(above[x] + 1, row[x - 1] + 1, above[x - 1] + (letter != wanted)))
            if y > 1 and x > 1 and (letter, word[y - 2]) == (other[x - 2], wanted):
                row[x] = min(row[x], last[x - 2] + 1)
    return row[-1]


def is_guess(written: str, meant: str) -> bool:
    """Whether an event may not be meant: the name could be that of another event of the host, or it was switched off.

    Another spelling of the event, a slip, and a name in another syntax (`copilot:tool.pre`) are no other event's.
    """
    name, twin = written.strip()[:_MAX_LENGTH], events.canonical(meant)
    known_as = next((spelling for spelling in events.SPELLINGS if _letters(spelling) == _letters(name)), name)
    is_same = twin is not None and events.canonical(known_as) == twin
    is_near = is_same or distance(_letters(name), _letters(meant)) <= _SLIPS
    return _is_parked(written, meant) or not (is_near or _SYNTAX.search(name))


def _is_parked(written: str, meant: str) -> bool:
    """Whether a name is an event that somebody switched off, such as `PreToolUseOff` or `-Stop`, and not a typo."""
    name, letters = written.strip(), _letters(meant)
    before, _, after = _letters(name).partition(letters)
    around = {before, after} - _AROUND if letters in _letters(name) else set()
    return not (name[:1] + name[-1:]).isalnum() or bool(around) or not _PARKED.isdisjoint(_words(name))


def event(written: str, known: Collection[str]) -> str | None:
    """The known event for an unknown name: another program's name or a typo, but never an event at another moment."""
    word = written.strip()[:_MAX_LENGTH]
    if _SEVERAL.search(word):
        return None
    letters = _letters(word)
    known_as = next((name for name in events.SPELLINGS if _letters(name) == letters), word)  # in any case, with any separator
    twin = events.canonical(word) or events.canonical(known_as)
    if twin is None:
        words = _words(word)
        if not words <= _VOCABULARY:
            typo = closest(word, (name for name in known if not _is_opposite(words, name)), _EVENT_LIKENESS)
            if typo:
                return typo
        twin = _by_words(words)
    spellings = [name for name in known if events.canonical(name) == twin] if twin else []

    def similarity(name: str) -> tuple[bool, bool, float]:
        return _letters(name) == letters, ("_" in name) == ("_" in word), SequenceMatcher(None, name, word).ratio()

    return max(spellings, key=similarity, default=None)


def _by_words(words: set[str]) -> str | None:
    """The event with the same subject and moment; without a moment, the one before."""
    subject = next((name for name in _SUBJECTS if name in words), None)
    moment = _moment(words - {subject})
    if subject is None or (moment is None and not words <= _VOCABULARY):
        return None
    before, after = _SUBJECTS[subject]
    if after == "post-tool-call" and words & _FAILURE:
        return "post-tool-call-failure"
    return after if moment == "after" else before


def _is_opposite(words: set[str], name: str) -> bool:
    moments = {_moment(words), _moment(_words(events.canonical(name) or name))} - {None}
    return len(moments) > 1


def _moment(words: set[str]) -> str | None:
    """The moment, `before` or `after`: `pre` and `post` count first, so that `pre-stop` is before."""
    for before, after in (({"pre", "before"}, {"post", "after"}), (_BEFORE, _AFTER)):
        if words & before:
            return "before"
        if words & after:
            return "after"
    return None


def _words(name: str) -> set[str]:
    """The words of a name, with typos in known words corrected."""
    words = (word.lower() for word in re.findall(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])", name))
    return {next(iter(get_close_matches(word, _VOCABULARY, 1, _EVENT_LIKENESS)), word) for word in words}


def _letters(name: str) -> str:
    return "".join(filter(str.isalnum, name)).lower()


def _fold(word: str) -> str:
    return word.strip().lower().replace("_", "-").replace(" ", "-")
