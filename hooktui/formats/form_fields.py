"""The form of a hook: its fields, the position of each value in the file, and the defaults."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple

from hooktui.formats.node import find
from hooktui.scripts import hooktui_commands

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from hooktui.core.model import EntryPath
    from hooktui.formats.node import Node, Span

    Kind = Literal["text", "regex", "number", "flag", "choice", "json"]

UNITS: Final[Mapping[str, str]] = {"s": "seconds", "ms": "milliseconds"}
MOVES = "when the hook runs; changing the event moves the entry immediately; {take-back} undo"


class FormField(NamedTuple):
    """One line of a form.

    `path` leads to the value from the root of the text; () is the event list of an entry. `value` is the written value,
    None if there is none; `default` describes what applies then. `span` is its position in the text, in characters. A `json`
    value is a list or a mapping, a `whole` number has no fraction.
    `locked` says why the field cannot be edited in the form, "" if it can. `observed` is the command in the file if `value`
    is the one that it observes. `rare`: few hooks have it; it is shown once it has a value, or when it is asked for.
    """

    label: str
    path: EntryPath
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
    observed: str = ""
    rare: bool = False

    @property
    def moves(self) -> bool:
        """Whether a new value moves the entry (hooktui.edit.switch)."""
        return not self.path and not self.locked

    @property
    def shown(self) -> str:
        if self.value is None:
            return ""
        return self.value if isinstance(self.value, str) else json.dumps(self.value, ensure_ascii=False)

    def as_written(self, value: Any) -> Any:
        """A value as the file holds it: inside the observing command, if there is one."""
        return hooktui_commands.with_command(self.observed, value) if self.observed and isinstance(value, str) else value

    def read(self, typed: str) -> Any:
        """Parse input as a value to set; None deletes the field. Raises ValueError with a message for the user."""
        if not typed and not self.required:
            return None
        value = _READ[self.kind](typed)
        if self.whole and type(value) is not int:
            raise ValueError(f"{typed} is not a whole number of {self.unit}" if self.unit else f"{typed} is not a whole number")
        return value


def filled(fields: Iterable[FormField], root: Node) -> Iterator[FormField]:
    """Fill fields with the values below `root`."""
    for field in fields:
        node = find(root, field.path) if field.path else None
        if node is None:
            yield field
        else:
            span = node.span if node.end > node.start else None
            yield field._replace(value=node.value, span=span, locked=field.locked or _why_locked(node.value))


def _why_locked(value: Any) -> str:
    if not isinstance(value, str) or value.isprintable():
        return ""
    return "several lines: edit the source" if "\n" in value else "contains invisible characters: edit the source"


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
