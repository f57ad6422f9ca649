"""Searching with patterns that come from strangers: they mean what Python's `re` says, and none may take longer than allowed.

Plain text needs no engine. What cannot run away is searched here. What could is searched in a forked child, which the system
ends when its time is up: no other engine reads every pattern as `re` does, and a fork costs less than importing one.
"""

from __future__ import annotations

import _signal as signal
import os

from hooktui.core import fast_json

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from typing import Any, NoReturn

    # Which text, and where in it.
    Place = tuple[int, int, int]

_SPECIAL = frozenset(".^$*+?{}[]()\\")
_REPEATS = "*+{"
_MANY, _FAR_TOO_MANY = 20, 40
_SAFE_STEPS = 2_000_000  # `re` takes some 10 ms for so many, far below what anybody allows
_alone = False  # whether this process is one that the system ends in time


class TooSlow(Exception):
    """A pattern used up its time on these texts."""


class BadPattern(Exception):
    """A pattern that is no regex."""


def search(pattern: str, texts: Sequence[str], seconds: float) -> Place | None:
    """Where `pattern` (Python syntax) finds something first: the text's number, start and end. Plain text is free.

    `seconds` of CPU time are allowed for all texts together; compiling does not count. Raises TooSlow and BadPattern.
    """
    if not _SPECIAL.intersection(pattern):
        return _find_literal(pattern.split("|"), texts)
    ready = compiled(pattern)
    if _alone or _cannot_explode(pattern, texts):
        return _find(ready, texts)
    place: Place | None = next(apart(lambda: [_find(ready, texts)], seconds))
    return place


def apart(work: Callable[[], Iterable[Any]], seconds: float) -> Iterator[Any]:
    """The JSON values that `work` gives, each as it comes, from a forked child where searching needs no other guard.

    The system ends it, whatever it is doing, when one value takes more than `seconds` of CPU time: TooSlow.
    """
    ours, theirs = os.pipe()
    child = os.fork()
    if child == 0:
        _work_alone(work, seconds, theirs)
    os.close(theirs)
    try:
        with open(ours, "rb") as answers:
            yield from map(fast_json.loads, answers)
    except GeneratorExit:  # nobody wants to know any more
        os.kill(child, signal.SIGKILL)
        raise
    finally:
        status = os.waitpid(child, 0)[1]
    if status:
        raise TooSlow


def _work_alone(work: Callable[[], Iterable[Any]], seconds: float, answers: int) -> NoReturn:
    global _alone
    _alone = True
    try:
        signal.setitimer(signal.ITIMER_PROF, seconds)  # nobody handles its signal, so it kills
        for value in work():
            os.write(answers, fast_json.dumps(value).encode() + b"\n")
            signal.setitimer(signal.ITIMER_PROF, seconds)
        os._exit(0)
    finally:
        os._exit(1)


def compiled(pattern: str) -> re.Pattern[str]:
    """A pattern ready for use. Raises BadPattern."""
    import re
    import warnings

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # `[[` may change its meaning one day: no concern of an agent's
            return re.compile(pattern)
    except (re.error, OverflowError, RecursionError) as error:
        raise BadPattern(str(error)) from error


def _find_literal(alternatives: list[str], texts: Sequence[str]) -> Place | None:
    for number, text in enumerate(texts):
        found = [(start, start + len(part)) for part in alternatives if (start := text.find(part)) >= 0]
        if found:
            return (number, *min(found, key=lambda span: span[0]))
    return None


def _find(pattern: re.Pattern[str], texts: Sequence[str]) -> Place | None:
    for number, text in enumerate(texts):
        if found := pattern.search(text):
            return (number, *found.span())
    return None


def _cannot_explode(pattern: str, texts: Sequence[str]) -> bool:
    """True when no group is repeated and every way through the pattern is tried in few steps: a bound, not an estimate."""
    from math import comb

    if any(")" + sign in pattern for sign in _REPEATS):
        return False
    repeats = sum(map(pattern.count, _REPEATS))
    # Each | and each ? may double the ways, wherever it stands.
    choices = 1 << min(pattern.count("|") + pattern.count("?"), _FAR_TOO_MANY)
    # Where to start and where each repeat ends: so many places out of a text's length.
    return repeats < _MANY and sum(comb(len(text) + 1 + repeats, repeats + 1) for text in texts) * choices <= _SAFE_STEPS
