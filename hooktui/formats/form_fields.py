"""A hook as a form: what can be filled in, where each value stands in its file, and what counts when nothing is written."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

from hooktui.formats.node import find

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from hooktui.formats.node import Node, Span

    Kind = Literal["text", "regex", "number", "flag", "choice", "json"]
    Path = tuple[str | int, ...]

MOVES = "when the hook runs; changing the event moves the entry immediately; {take-back} undo"


@dataclass(frozen=True, slots=True)
class FormField:
    """One line of a form.

    `address` is what the format's `edit` takes for it, "" for the list that an entry stands in. `value` is what is written,
    None when nothing is; `default` says what counts then. `span` is where the value stands in the text, in characters. A `json`
    value is a list or a mapping, a `whole` number has no fraction.
    `locked` says why it is changed elsewhere, "" when it can be changed here.
    """

    label: str
    address: str
    kind: Kind = "text"
    default: str = ""
    unit: str = ""
    choices: tuple[str, ...] = ()
    help: str = ""
    required: bool = False
    whole: bool = False
    value: Any = None
    span: Span | None = None
    locked: str = ""

    @property
    def moves(self) -> bool:
        """Whether another value moves the whole entry, which changing/listening.py does."""
        return not self.address and not self.locked

    @property
    def shown(self) -> str:
        """The value as a person types it."""
        if self.value is None:
            return ""
        return self.value if isinstance(self.value, str) else json.dumps(self.value, ensure_ascii=False)

    def read(self, typed: str) -> Any:
        """What was typed as a value for `edit`: None takes the field away. Raises ValueError with a sentence."""
        if not typed and not self.required:
            return None
        value = _READ[self.kind](typed)
        if self.whole and type(value) is not int:
            raise ValueError(f"{typed} is not a whole number of {self.unit}" if self.unit else f"{typed} is not a whole number")
        return value


def filled(fields: Iterable[FormField], root: Node) -> Iterator[FormField]:
    """The fields with what a file holds; the address of each is a JSON pointer from `root`, or dotted keys."""
    for field in fields:
        node = find(root, steps(field.address))
        if node is None:
            yield field
        else:
            span = node.span if node.end > node.start else None
            yield replace(field, value=node.value, span=span, locked=field.locked or _why_locked(node.value))


def _why_locked(value: Any) -> str:
    """Why a value is none for one line."""
    if not isinstance(value, str) or value.isprintable():
        return ""
    return "several lines: edit the source" if "\n" in value else "contains invisible characters: edit the source"


def steps(address: str) -> Path:
    """The keys and indexes that an address leads through."""
    if not address.startswith("/"):
        return tuple(address.split("."))
    parts = (step.replace("~1", "/").replace("~0", "~") for step in address[1:].split("/"))
    return tuple(int(step) if step.isdecimal() else step for step in parts)


def pointer(path: Path) -> str:
    """The address of a path, as a JSON pointer (RFC 6901)."""
    return "".join("/" + str(step).replace("~", "~0").replace("/", "~1") for step in path)


def _number(typed: str) -> float:
    try:
        number = float(typed)
    except ValueError:
        raise ValueError(f"{typed!r} is not a number") from None
    if number != number or number in (float("inf"), float("-inf")):
        raise ValueError(f"{typed!r} is not a number")
    return int(number) if number.is_integer() else number


def _flag(typed: str) -> bool:
    if typed not in ("true", "false"):
        raise ValueError("write true or false")
    return typed == "true"


def _json(typed: str) -> Any:
    try:
        value = json.loads(typed)
    except (json.JSONDecodeError, RecursionError) as error:
        raise ValueError(f"not valid JSON: {error}") from None
    if not isinstance(value, (dict, list)):
        raise ValueError('write a JSON list or object, as in ["a"] or {"NAME": "value"}')
    return value


_READ: Mapping[Kind, Callable[[str], Any]] = {
    "text": str,
    "regex": str,
    "choice": str,
    "number": _number,
    "flag": _flag,
    "json": _json,
}
