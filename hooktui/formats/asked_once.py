"""Cache what the file system answers during one load: several rooms need the same stat, listing or script of a hook."""

from __future__ import annotations

from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, TypeVar, TypeVarTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

Answer = TypeVar("Answer")
About = TypeVarTuple("About")
_answers: ContextVar[dict[tuple[object, ...], Any] | None] = ContextVar("answers", default=None)


@contextmanager
def asked_once() -> Iterator[None]:
    """Cache the results of `ask` inside the block."""
    before = _answers.set({})
    try:
        yield
    finally:
        _answers.reset(before)


def ask(question: Callable[[*About], Answer], *about: *About) -> Answer:
    """Call a function that reads the file system, or return its cached result inside `asked_once`. Errors are not cached."""
    answers = _answers.get()
    if answers is None:
        return question(*about)
    key = (question, *about)
    if key not in answers:
        answers[key] = question(*about)
    answer: Answer = answers[key]
    return answer
