"""Dicts and lists that nobody can change: what one hook is shown is what later ones, the action and the log see."""

from __future__ import annotations

from typing import Any, NoReturn

_DEEPEST = 100  # levels; nothing that a tool takes lies deeper


def _refuse(self: object, *_: object, **__: object) -> NoReturn:
    raise TypeError(f"{type(self).__name__} is read-only: hand on a changed copy of it")


_refused: Any = _refuse  # whatever the method's own type


class FrozenDict(dict[str, Any]):
    """A dict to read. Raises TypeError for a change."""

    __slots__ = ()
    __setitem__ = __delitem__ = __ior__ = clear = pop = popitem = setdefault = update = _refused

    def __hash__(self) -> int:  # type: ignore[override]
        return hash(frozenset(self.items()))

    def __reduce__(self) -> tuple[Any, ...]:  # as pickle and copy make one: at once, not item by item
        return FrozenDict, (dict(self),)


class FrozenList(list[Any]):
    """A list to read. Raises TypeError for a change."""

    __slots__ = ()
    __setitem__ = __delitem__ = __iadd__ = __imul__ = _refused
    append = clear = extend = insert = pop = remove = reverse = sort = _refused

    def __hash__(self) -> int:  # type: ignore[override]
        return hash(tuple(self))

    def __reduce__(self) -> tuple[Any, ...]:
        return FrozenList, (list(self),)


def frozen(value: Any, above: tuple[int, ...] = ()) -> Any:
    """A copy of a value in which no dict and no list can be changed; objects of other kinds are shared.

    `above` are the ids of what it lies in: what contains itself, or lies deeper than a hundred levels, is left as it is.
    """
    kind = type(value)
    if kind not in (dict, list) or id(value) in above or len(above) == _DEEPEST:
        return value
    above = (*above, id(value))
    if kind is dict:
        return FrozenDict({key: frozen(one, above) for key, one in value.items()})
    return FrozenList([frozen(one, above) for one in value])
