"""A limit for reading scripts and shell commands: a clone may hold more of them than an event, or a person, can wait for."""

from __future__ import annotations

from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, TypeVar, cast

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterator

    from hooktui.core.model import Hook

Made = TypeVar("Made")


class Limit:
    """Characters that may still be read. `unread` are the IDs of the hooks of which some were not."""

    def __init__(self, characters: int, is_exempt: Callable[[Hook], bool], earlier: Limit | None) -> None:
        self.left = characters
        self.is_exempt = is_exempt
        self.unread: dict[str, None] = {}
        self.hook = ""
        self.made: dict[Hashable, object] = {**earlier.made} if earlier and earlier.left >= 0 else {}


_limit: ContextVar[Limit | None] = ContextVar("limit", default=None)


@contextmanager
def limited(
    characters: int, is_exempt: Callable[[Hook], bool] = lambda _hook: False, earlier: Limit | None = None
) -> Iterator[Limit]:
    """Let `spend` allow so many characters in all, and any number for the hooks that `is_exempt`.

    What was made `once` under an `earlier` limit that was not exceeded is not made again.
    """
    limit = Limit(characters, is_exempt, earlier)
    token = _limit.set(limit)
    try:
        yield limit
    finally:
        _limit.reset(token)


@contextmanager
def for_hook(hook: Hook) -> Iterator[None]:
    """Read on behalf of a hook. Lift the limit if the hook is exempt from it."""
    limit = _limit.get()
    if limit is None:
        yield
        return
    token = _limit.set(None if limit.is_exempt(hook) else limit)
    before, limit.hook = limit.hook, hook.id
    try:
        yield
    finally:
        limit.hook = before
        _limit.reset(token)


def current() -> object:
    """The present limit, None for none: results that were cut by one must not be used under another."""
    return _limit.get()


def is_spent() -> bool:
    """Whether the limit is exceeded, so that what is read now may be cut."""
    limit = _limit.get()
    return limit is not None and limit.left < 0


def is_unread(hook: Hook) -> bool:
    """Whether some of a hook's scripts and commands were not read."""
    limit = _limit.get()
    return limit is not None and hook.id in limit.unread


def allows(characters: int) -> bool:
    """Whether a text of this length could still be read."""
    limit = _limit.get()
    return limit is None or limit.left >= characters


def spend(characters: int) -> bool:
    """Whether a text of this length may still be read."""
    limit = _limit.get()
    if limit is None:
        return True
    limit.left -= characters
    if limit.left < 0 and limit.hook:
        limit.unread[limit.hook] = None
    return limit.left >= 0


def once(key: Hashable, make: Callable[[], Made]) -> Made:
    """The result of `make`, for several hooks under one limit; made again once the limit is exceeded."""
    limit = _limit.get()
    if limit is None:
        return make()
    if limit.left < 0 or key not in limit.made:
        limit.made[key] = make()
    return cast("Made", limit.made[key])
