"""What a function tells of itself: how it can be called, and what it means to return. Read when it is registered."""

from __future__ import annotations

import ast
import inspect
from typing import TYPE_CHECKING, Any

from hooktui.stack.callback_source import place_of

if TYPE_CHECKING:
    from collections.abc import Iterator

_GENERATORS = (inspect.isgeneratorfunction, inspect.isasyncgenfunction)
# What an annotation may be made of, and which of its parts are then the value.
_PARTS = {
    "Annotated": slice(1),
    "Awaitable": slice(None),
    "Coroutine": slice(2, None),
    "Optional": slice(None),
    "Union": slice(None),
}


def checked(function: Any, *shapes: str) -> inspect.Signature | None:
    """The signature of a function that can be called in one of some shapes, as "context"; None where C code does not tell it.

    Raises TypeError, with a sentence that names it, for anything else.
    """
    wanted = " or ".join(f"({shape})" for shape in shapes)
    if inspect.iscoroutine(function):
        function.close()
        name = function.__qualname__
        raise TypeError(f"{name}(…) is a coroutine that nobody would await: register the function, {name}")
    if not callable(function):
        raise TypeError(f"{function!r} is no function that takes {wanted}")
    if any(is_one(called) for is_one in _GENERATORS for called in (function, type(function).__call__)):
        raise TypeError(f"{place_of(function)} is a generator, which nobody would run: it must return, not yield")
    signature = _signature(function)
    if signature and not any(binds(signature, shape.count(",") + 1) for shape in shapes):
        raise TypeError(f"{place_of(function)} must take {wanted}, not {signature}")
    return signature


def binds(signature: inspect.Signature, count: int) -> bool:
    """Whether a function can be called with so many arguments."""
    try:
        signature.bind(*[None] * count)
    except TypeError:
        return False
    return True


def returned(signature: inspect.Signature) -> set[str]:
    """The names of the types that a function says it returns, alternatives and what is awaited one by one."""
    said = signature.return_annotation
    written = said if isinstance(said, str) else inspect.formatannotation(said)
    try:
        return set(_types(ast.parse(written, mode="eval").body))
    except (SyntaxError, ValueError):
        return set()


def _types(node: ast.expr) -> Iterator[str]:
    match node:
        case ast.BinOp(left=left, right=right):
            yield from _types(left)
            yield from _types(right)
        case ast.Subscript(value=ast.Name(id=name) | ast.Attribute(attr=name), slice=inside) if name in _PARTS:
            parts = inside.elts if isinstance(inside, ast.Tuple) else [inside]
            for part in parts[_PARTS[name]]:
                yield from _types(part)
        case ast.Subscript(value=value):
            yield from _types(value)
        case ast.Name(id=name) | ast.Attribute(attr=name):
            yield name


def _signature(function: Any) -> inspect.Signature | None:
    """How it is really called: a decorator counts as it is written, unless it hands on whatever it is given."""
    own = _told(function, follow_wrapped=False)
    if own and not any(one.kind is one.VAR_POSITIONAL for one in own.parameters.values()):
        return own
    return _told(function, follow_wrapped=True)


def _told(function: Any, *, follow_wrapped: bool) -> inspect.Signature | None:
    try:
        return inspect.signature(function, follow_wrapped=follow_wrapped)
    except ValueError:
        return None
