"""Search with untrusted regexes: they mean what Python's `re` says, and none may exceed its time.

Plain text is searched without `re`. A regex that cannot backtrack for long is searched in this process, any other in a forked
child, which the system kills when its time is up: no other engine reads every pattern as `re` does, and a fork costs less than
importing one.
"""

from __future__ import annotations

import _signal as signal
import marshal
import os

from hooktui.core import fast_json

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from typing import Any, NoReturn

    # The index of the text, and the start and end of the match in it.
    PatternMatch = tuple[int, int, int]
    # What `_sre.compile` takes after the pattern: flags, code, groups, names of groups and their reverse.
    RegexCode = tuple[int, list[int], int, dict[str, int], tuple[str | None, ...]]

_SPECIAL = frozenset(".^$*+?{}[]()\\")
_COMMON = frozenset("*+?{}[]()\\")  # whose meaning differs
_REPEATS = "*+{"
_MAX_REPEATS, _MAX_DOUBLINGS = 20, 40
_SAFE_STEPS = 2_000_000  # some 10 ms of `re`, far below every limit
_is_time_limited = False  # whether the system kills this process in time
_BASE_S = 0.05  # what a search may cost beyond the allowance for its texts
_FORK_S = 0.005  # what a child costs that finds its match at once
_left_s = float("inf")  # CPU seconds that further searches in children may use together
_used_s = 0.0  # CPU seconds of the last child
_codes: dict[str, bytes] = {}  # regexes that need no compiling: RegexCode, marshalled


class RegexTimeoutError(Exception):
    """A search exceeded its time."""


class InvalidPatternError(Exception):
    """A pattern is not a valid regex."""


class UnknownMeaningError(InvalidPatternError):
    """A pattern is a valid regex of an agent program that hooktui cannot match as that does."""


def search(pattern: str, texts: Sequence[str], seconds: float) -> PatternMatch | None:
    """The first match of a regex (Python syntax) in several texts.

    `seconds` limits the CPU time for all texts together. Raises RegexTimeoutError and InvalidPatternError.
    """
    if is_plain(pattern):
        return _find_literal(pattern.split("|"), texts)
    ready = compiled(pattern)
    if _is_time_limited or is_quick(pattern, texts):
        return _find(ready, texts)
    return _search_in_child(ready, texts, seconds)


def _search_in_child(pattern: re.Pattern[str], texts: Sequence[str], seconds: float) -> PatternMatch | None:
    """Search in a child, and charge what the search took to the time that all share. Text that is long costs nothing extra."""
    global _left_s
    if _left_s <= 0:
        raise RegexTimeoutError
    for_texts = max(seconds - _BASE_S, 0)
    try:
        match: PatternMatch | None
        (match,) = in_child(lambda: [_find(pattern, texts)], min(seconds, for_texts + _left_s))
    finally:
        _left_s -= max(_used_s - for_texts - _FORK_S, 0)
    return match


def share(seconds: float) -> None:
    """Let all further searches in children use so much CPU time together, long texts and forks not counted.

    Infinity ends the limit.
    """
    global _left_s
    _left_s = seconds


def is_plain(pattern: str) -> bool:
    """Whether a pattern is plain text, or alternatives of it."""
    return not _SPECIAL.intersection(pattern)


def is_common(pattern: str) -> bool:
    """Whether a pattern means the same in the regexes of every host."""
    return _COMMON.isdisjoint(pattern.replace(".*", ""))


def provide(codes: Mapping[str, bytes]) -> None:
    """Provide compiled regexes, by pattern, as marshalled RegexCode from the same version of the regex module."""
    _codes.update(codes)


def in_child(work: Callable[[], Iterable[Any]], seconds: float) -> Iterator[Any]:
    """Yield the JSON values of `work`, which runs in a forked child where `search` needs no other limit.

    The system kills the child when one value takes more than `seconds` of CPU time; then this raises RegexTimeoutError.
    """
    global _used_s
    ours, theirs = os.pipe()
    child = os.fork()
    if child == 0:
        _work_alone(work, seconds, theirs)
    os.close(theirs)
    try:
        with open(ours, "rb") as answers:
            yield from map(fast_json.loads, answers)
    except GeneratorExit:  # the caller has stopped reading
        os.kill(child, signal.SIGKILL)
        raise
    finally:
        _, status, usage = os.wait4(child, 0)
        _used_s = usage.ru_utime + usage.ru_stime
    if status:
        raise RegexTimeoutError


def _work_alone(work: Callable[[], Iterable[Any]], seconds: float, answers: int) -> NoReturn:
    global _is_time_limited
    _is_time_limited = True
    try:
        signal.setitimer(signal.ITIMER_PROF, seconds)  # its signal kills: there is no handler
        for value in work():
            os.write(answers, fast_json.dumps(value).encode() + b"\n")
            signal.setitimer(signal.ITIMER_PROF, seconds)
        os._exit(0)
    finally:
        os._exit(1)


def compiled(pattern: str) -> re.Pattern[str]:
    """Compile a pattern, unless it is provided, and charge it to the time that all share. Raises InvalidPatternError."""
    global _left_s
    if pattern in _codes:
        import _sre

        provided: re.Pattern[str] = _sre.compile(pattern, *marshal.loads(_codes[pattern]))
        return provided
    import re
    import time
    import warnings

    begun = time.thread_time()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about syntax that may change in a later Python
            return re.compile(pattern)
    except (re.error, OverflowError, RecursionError) as error:
        raise InvalidPatternError(str(error)) from error
    finally:
        _left_s -= time.thread_time() - begun


def _find_literal(alternatives: list[str], texts: Sequence[str]) -> PatternMatch | None:
    for number, text in enumerate(texts):
        spans = [(start, start + len(part)) for part in alternatives if (start := text.find(part)) >= 0]
        if spans:
            return (number, *min(spans, key=lambda span: span[0]))
    return None


def _find(pattern: re.Pattern[str], texts: Sequence[str]) -> PatternMatch | None:
    for number, text in enumerate(texts):
        if match := pattern.search(text):
            return (number, *match.span())
    return None


def is_quick(pattern: str, texts: Sequence[str]) -> bool:
    """Whether a search takes few steps for certain: no group is repeated, and an upper bound of the steps is low."""
    if any(")" + sign in pattern for sign in _REPEATS):
        return False
    repeats = sum(map(pattern.count, _REPEATS))
    # Each | and each ? may double the number of paths.
    choices = 1 << min(pattern.count("|") + pattern.count("?"), _MAX_DOUBLINGS)
    # A path chooses its start and the end of each repeat among the positions in a text.
    paths = sum(_choose(len(text) + 1 + repeats, repeats + 1) for text in texts) if repeats < _MAX_REPEATS else _SAFE_STEPS + 1
    return paths * choices <= _SAFE_STEPS


def _choose(count: int, size: int) -> int:
    """The number of subsets of a size; `math.comb` would cost an import."""
    subsets = 1
    for number in range(size):
        subsets = subsets * (count - number) // (number + 1)
    return subsets
