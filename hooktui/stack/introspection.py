"""Inspect functions: their location and signature."""

from __future__ import annotations

import functools
import inspect
from dataclasses import dataclass
from typing import Any

_CALLED_METHODS = ("handle", "__call__", "matches")  # through which an object that is not a function is called
_GENERATORS = (inspect.isgeneratorfunction, inspect.isasyncgenfunction)
# Location ---------------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class SourceLocation:
    """Module, qualified name, file and 1-based line of a definition; file "" without source."""

    module: str
    name: str
    file: str
    line: int

    def __str__(self) -> str:
        return f"{self.name} ({self.file}:{self.line})" if self.file else self.name


def location_of(target: object) -> SourceLocation:
    """Locate a function, or the class of an object at the method through which it is called."""
    definition = _definition(target)
    code = _code(definition)
    return SourceLocation(
        module=getattr(definition, "__module__", None) or "",
        name=getattr(definition, "__qualname__", type(definition).__qualname__),
        file=code.co_filename if code else "",
        line=code.co_firstlineno if code else 1,
    )


def _definition(target: Any) -> Any:
    """The function or class behind partials, decorators and our adapters (`__wrapped__`)."""
    target = inspect.unwrap(target)
    while isinstance(target, functools.partial):
        target = inspect.unwrap(target.func)
    return target if inspect.isroutine(target) or inspect.isclass(target) else type(target)


def _code(definition: Any) -> Any:
    if inspect.isclass(definition):
        attributes = ((name, vars(kind)) for name in _CALLED_METHODS for kind in definition.__mro__)
        definition = next((namespace[name] for name, namespace in attributes if name in namespace), None)
    return getattr(inspect.unwrap(definition) if definition else None, "__code__", None)


# Signature -------------------------------------------------------------------------------------------------------------------


def is_async(target: Any) -> bool:
    """Whether calling it returns a coroutine."""
    return inspect.iscoroutinefunction(target) or inspect.iscoroutinefunction(type(target).__call__)


def check_signature(function: Any, *shapes: str) -> inspect.Signature | None:
    """Check that a function accepts one of the parameter lists, such as "context, call_next", and return its signature.

    None for C functions without a signature. Raises TypeError with a message that names the function.
    """
    expected = " or ".join(f"({shape})" for shape in shapes)
    if inspect.iscoroutine(function):
        function.close()
        name = function.__qualname__
        raise TypeError(f"{name}(…) is a coroutine, which is never awaited: register the function {name}")
    if not callable(function):
        raise TypeError(f"{function!r} is not a function that takes {expected}")
    if any(is_generator(called) for is_generator in _GENERATORS for called in (function, type(function).__call__)):
        raise TypeError(f"{location_of(function)} is a generator, which never runs: return a value, do not yield")
    signature = _signature(function)
    if signature and not any(accepts(signature, shape.count(",") + 1) for shape in shapes):
        raise TypeError(f"{location_of(function)} must take {expected}, not {signature}")
    return signature


def accepts(signature: inspect.Signature, count: int) -> bool:
    """Whether a function can be called with `count` positional arguments."""
    try:
        signature.bind(*[None] * count)
    except TypeError:
        return False
    return True


def _signature(function: Any) -> inspect.Signature | None:
    """The effective signature: a decorator's own, unless it forwards any arguments."""
    own = _inspected(function, follow_wrapped=False)
    if own and not any(parameter.kind is parameter.VAR_POSITIONAL for parameter in own.parameters.values()):
        return own
    return _inspected(function, follow_wrapped=True)


def _inspected(function: Any, *, follow_wrapped: bool) -> inspect.Signature | None:
    try:
        return inspect.signature(function, follow_wrapped=follow_wrapped)
    except ValueError:
        return None
