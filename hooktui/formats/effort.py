"""A limit for reading scripts and shell commands: a clone may hold more of them than an event can wait for."""

from __future__ import annotations

from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from hooktui.core.model import Hook


class _Limit:
    def __init__(self, characters: int, is_exempt: Callable[[Hook], bool]) -> None:
        self.left = characters
        self.is_exempt = is_exempt


_limit: ContextVar[_Limit | None] = ContextVar("limit", default=None)


@contextmanager
def limited(characters: int, is_exempt: Callable[[Hook], bool] = lambda _hook: False) -> Iterator[None]:
    """Let `spend` allow so many characters in all, and any number for the hooks that `is_exempt`."""
    token = _limit.set(_Limit(characters, is_exempt))
    try:
        yield
    finally:
        _limit.reset(token)


@contextmanager
def for_hook(hook: Hook) -> Iterator[None]:
    """Lift the limit if the hook is exempt from it."""
    limit = _limit.get()
    token = _limit.set(limit and (None if limit.is_exempt(hook) else limit))
    try:
        yield
    finally:
        _limit.reset(token)


def current() -> object:
    """The present limit, None for none: results that were cut by one must not be used under another."""
    return _limit.get()


def spend(characters: int) -> bool:
    """Whether a text of this length may still be read."""
    limit = _limit.get()
    if limit is None:
        return True
    limit.left -= characters
    return limit.left >= 0
