"""Where a function or a hook is written, for messages, the log and the screens."""

from __future__ import annotations

import functools
import inspect
from dataclasses import dataclass
from typing import Any

_ENTRIES = ("handle", "__call__", "matches")  # by which an object is called, if it is no function


@dataclass(frozen=True, slots=True)
class Place:
    """Module and qualified name, file and line (1-based) of a definition; file "" where there is no source."""

    module: str
    name: str
    file: str
    line: int

    def __str__(self) -> str:
        return f"{self.name} ({self.file}:{self.line})" if self.file else self.name


def place_of(thing: object) -> Place:
    """The place of a function; of another object that of its class, at the method by which it is called."""
    named = _named(thing)
    code = _code(named)
    return Place(
        module=getattr(named, "__module__", None) or "",
        name=getattr(named, "__qualname__", type(named).__qualname__),
        file=code.co_filename if code else "",
        line=code.co_firstlineno if code else 1,
    )


def source_of(thing: object) -> str:
    """The source text at the place, "" where there is none."""
    try:
        return inspect.getsource(_named(thing))
    except (OSError, TypeError):
        return ""


def is_async(thing: Any) -> bool:
    """Whether calling it gives a coroutine."""
    return inspect.iscoroutinefunction(thing) or inspect.iscoroutinefunction(type(thing).__call__)


def _named(thing: Any) -> Any:
    """The function or class behind partials, decorators and our adapters (`__wrapped__`)."""
    thing = inspect.unwrap(thing)
    while isinstance(thing, functools.partial):
        thing = inspect.unwrap(thing.func)
    return thing if inspect.isroutine(thing) or inspect.isclass(thing) else type(thing)


def _code(named: Any) -> Any:
    if inspect.isclass(named):
        named = next((vars(kind)[entry] for entry in _ENTRIES for kind in named.__mro__ if entry in vars(kind)), None)
    return getattr(inspect.unwrap(named) if named else None, "__code__", None)
