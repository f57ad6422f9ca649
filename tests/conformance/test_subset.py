"""The player of cases detects differences: otherwise passing cases would prove nothing."""

from __future__ import annotations

from typing import Any

import pytest

from tests.conformance.subset import holds


@pytest.mark.parametrize(
    ("wanted", "came"),
    [
        ({"a": 1}, {"a": 1, "b": 2}),
        ([{"a": 1}, 3], [0, {"a": 1, "b": 2}, 3]),
        ({"a": None}, {"a": None}),
        ({"a": {"$absent": True}}, {}),
        ({"$len": 2}, "ab"),
        ({"$has": "NO"}, ["nothing"]),
        ({"$re": "^a.c$"}, "abc"),
        ({"$le": 2, "$ge": 2}, 2),
        ({"$not": {"a": 1}}, {"a": 2}),
        ({"$set": [1, 2]}, [2, 1]),
        ({"$set_of": [{"a": 1}]}, [{"b": 1}, {"a": 1}]),
    ],
)
def test_holds(wanted: Any, came: Any) -> None:
    assert holds(wanted, came)


@pytest.mark.parametrize(
    ("wanted", "came"),
    [
        ({"a": 1}, {"b": 1}),
        ({"a": 1}, {"a": True}),
        ({"a": None}, {}),
        ({"a": 1}, []),
        ([2, 1], [1, 2]),
        ([1, 1], [1]),
        ([], None),
        ({"$len": 2}, [1]),
        ({"$has": "x"}, "abc"),
        ({"$re": "^b"}, "abc"),
        ({"$absent": True}, 1),
        ({"$le": 2}, 3),
        ({"$ge": 2}, None),
        ({"$not": 1}, 1),
        ({"$set": [1, 2]}, [1, 2, 3]),
        ({"$set_of": [1, 4]}, [1, 2]),
    ],
)
def test_does_not_hold(wanted: Any, came: Any) -> None:
    assert not holds(wanted, came)
