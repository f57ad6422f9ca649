"""Records: frozen data with named fields."""

from __future__ import annotations

import pytest

from hooktui.core.records import Record
from hooktui.formats import detached_hook


class Point(Record):
    x: int
    y: int = 2


def test_fields_and_defaults() -> None:
    assert Point(x=1).as_dict() == {"x": 1, "y": 2}
    assert Point(x=1, y=5).y == 5


def test_equality_is_by_type_and_value() -> None:
    class Other(Record):
        x: int
        y: int

    assert Point(x=1) == Point(x=1, y=2)
    assert Point(x=1) != Point(x=2)
    assert Point(x=1) != Other(x=1, y=2)


def test_assignment_raises() -> None:
    point = Point(x=1)
    with pytest.raises(AttributeError, match=r"Point\.x is read-only"):
        point.x = 3  # type: ignore[misc]
    assert point.x == 1


def test_a_copy_with_changes_leaves_the_original() -> None:
    point = Point(x=1)
    assert point.replace(y=7) == Point(x=1, y=7)
    assert point == Point(x=1)


def test_a_hook_that_gets_an_id_is_known_by_it() -> None:
    hook = detached_hook("claude", "pre-tool-call", "PreToolUse", name="echo")
    assert hook.replace(id="claude:observed:echo").identity == "claude:observed:echo"


@pytest.mark.parametrize("fields", [{}, {"y": 1}, {"x": 1, "z": 1}, {"x": 1, "y": 1, "z": 1}])
def test_missing_and_unknown_fields_are_refused(fields: dict[str, int]) -> None:
    with pytest.raises(TypeError, match="missing or unknown field"):
        Point(**fields)


def test_repr_reads_like_a_call() -> None:
    assert repr(Point(x=1, y=2)) == "Point(x=1, y=2)"


def test_records_are_not_hashable() -> None:
    with pytest.raises(TypeError):
        hash(Point(x=1))
