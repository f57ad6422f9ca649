"""Immutable records for the fast path.

Importing `dataclasses` takes 8 ms and `typing.NamedTuple` 4 ms, as long as a whole `hooktui run` may take. This class needs
neither and offers keyword-only fields, defaults, equality and read-only attributes.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, ClassVar, Self, dataclass_transform
else:

    def dataclass_transform(**_options):  # noqa: D103
        return lambda cls: cls


@dataclass_transform(frozen_default=True, kw_only_default=True)
class Record:
    """Base class of frozen records: the annotated names of a subclass are its fields, given by keyword.

    Raises TypeError for a missing or unknown field, AttributeError on assignment.
    """

    _fields: ClassVar[tuple[str, ...]] = ()
    _defaults: ClassVar[dict[str, Any]] = {}

    def __init_subclass__(cls) -> None:
        cls._fields = tuple(cls.__annotations__)
        cls._defaults = {name: cls.__dict__[name] for name in cls._fields if name in cls.__dict__}

    def __init__(self, **values: Any) -> None:
        state = self.__dict__
        state.update(self._defaults)
        state.update(values)
        if len(state) != len(self._fields):
            wrong = set(self._fields).symmetric_difference(state)
            raise TypeError(f"{type(self).__name__}: missing or unknown field: {', '.join(sorted(wrong))}")
        self._complete()

    def _complete(self) -> None:
        """Fill in the fields that depend on others, in a new record and in a changed one."""

    def replace(self, **changes: Any) -> Self:
        made = object.__new__(type(self))
        made.__dict__.update(self.__dict__, **changes)
        if len(made.__dict__) != len(self._fields):
            raise TypeError(f"{type(self).__name__}: unknown field: {', '.join(sorted(changes.keys() - self.__dict__.keys()))}")
        made._complete()
        return made

    def as_dict(self) -> dict[str, Any]:
        """The fields by name; nested records stay records."""
        return dict(self.__dict__)

    def __setattr__(self, name: str, _value: Any) -> None:
        raise AttributeError(f"{type(self).__name__}.{name} is read-only")

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and other.__dict__ == self.__dict__

    __hash__ = None  # type: ignore[assignment]  # fields may hold lists and mappings

    def __repr__(self) -> str:
        inside = ", ".join(f"{name}={getattr(self, name)!r}" for name in self._fields)
        return f"{type(self).__name__}({inside})"
