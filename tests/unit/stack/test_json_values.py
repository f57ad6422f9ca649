"""Only values that JSON cannot represent become their repr: hooks on disk match the rest as usual."""

from __future__ import annotations

import json
import math
from enum import IntEnum, StrEnum
from pathlib import PurePosixPath
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hooktui.core import fast_json
from hooktui.stack.event_payloads import json_value

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


class Size(IntEnum):
    LARGE = 3


class Colour(StrEnum):
    RED = "red"


class Broken:
    def __repr__(self) -> str:
        raise LookupError


@given(JSON)
def test_json_values_are_unchanged(value: Any) -> None:
    assert json_value(value) == value


@pytest.mark.parametrize(
    ("value", "converted"),
    [
        (math.nan, "nan"),
        (-math.inf, "-inf"),
        ({1, }, "{1}"),
        (b"x", "b'x'"),
        (PurePosixPath("a"), "PurePosixPath('a')"),
        (Broken(), "<Broken, whose repr raises LookupError>"),
        ((1, 2), [1, 2]),
        ([Size.LARGE, Colour.RED], [3, "red"]),
        ({(1, 2): 3, None: 4, b"k": 5, Size.LARGE: 6}, {"[1, 2]": 3, "None": 4, "b'k'": 5, "3": 6}),
    ],
)  # fmt: skip
def test_other_values_become_their_repr(value: Any, converted: Any) -> None:
    assert json_value({"command": "rm", "x": [value]}) == {"command": "rm", "x": [converted]}


def test_very_long_number_becomes_its_repr() -> None:
    assert json_value([10**4000, 10**5000]) == [10**4000, "<int, whose repr raises ValueError>"]


def test_cycle_becomes_its_repr() -> None:
    value: dict[str, Any] = {"command": "rm"}
    value["self"] = value
    assert json_value(value) == {"command": "rm", "self": "{'command': 'rm', 'self': {...}}"}


def test_values_below_100_levels_become_their_repr() -> None:
    value: list[Any] = []
    for _ in range(5000):
        value = [value]
    converted = json_value({"command": "rm", "x": value})
    assert fast_json.loads(json.dumps(converted)) == converted
    assert converted.pop("command") == "rm"
    levels = 0
    while not isinstance(converted, str):
        (converted,) = converted.values() if isinstance(converted, dict) else converted
        levels += 1
    assert levels == 100


def test_json_value_is_a_copy() -> None:
    value: dict[str, Any] = {"x": [{}]}
    converted = json_value(value)
    value["x"][0]["y"] = 1
    assert converted == {"x": [{}]}
