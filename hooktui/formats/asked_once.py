"""Ask the disk each question once while hooks are loaded: all answers are of one moment, and 1,000 hooks ask much alike."""

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
    """Keep the answers of `ask` until the end of the block."""
    before = _answers.set({})
    try:
        yield
    finally:
        _answers.reset(before)


def ask(question: Callable[[*About], Answer], *about: *About) -> Answer:
    """The result of a function that reads the disk; inside `asked_once`, what it was at first. Errors are not kept."""
    answers = _answers.get()
    if answers is None:
        return question(*about)
    key = (question, *about)
    if key not in answers:
        answers[key] = question(*about)
    answer: Answer = answers[key]
    return answer
