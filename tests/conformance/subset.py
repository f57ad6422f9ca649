"""Compare a result with an expected subset: the keys of a mapping, the items of a list in order, or an operator."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

_EXCERPT = 600


def differences(wanted: Any, came: Any, at: str = "$") -> Iterator[str]:
    """Yield a sentence for each place where `came` does not contain `wanted`."""
    if isinstance(wanted, dict) and any(str(key).startswith("$") for key in wanted):
        for operator, argument in wanted.items():
            if not _OPERATORS[operator](argument, came):
                yield f"{at}: {operator} {argument!r} does not hold for {_excerpt(came)}"
    elif isinstance(wanted, dict):
        yield from _of_mapping(wanted, came, at)
    elif isinstance(wanted, list):
        yield from _of_list(wanted, came, at)
    elif wanted != came or isinstance(wanted, bool) != isinstance(came, bool):
        yield f"{at}: wanted {wanted!r}, came {_excerpt(came)}"


def holds(wanted: Any, came: Any) -> bool:
    """Whether there is no difference."""
    return next(differences(wanted, came), None) is None


def _of_mapping(wanted: dict[str, Any], came: Any, at: str) -> Iterator[str]:
    if not isinstance(came, dict):
        yield f"{at}: wanted a mapping, came {_excerpt(came)}"
        return
    for key, value in wanted.items():
        may_be_missing = isinstance(value, dict) and "$absent" in value
        if key in came or may_be_missing:
            yield from differences(value, came.get(key), f"{at}.{key}")
        else:
            yield f"{at}.{key}: missing"


def _of_list(wanted: list[Any], came: Any, at: str) -> Iterator[str]:
    if not isinstance(came, list):
        yield f"{at}: wanted a list, came {_excerpt(came)}"
        return
    rest = iter(came)
    for number, item in enumerate(wanted):
        if not any(holds(item, one) for one in rest):
            yield f"{at}[{number}]: nothing (left) like {item!r} in {_excerpt(came)}"
            return


def _excerpt(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)[:_EXCERPT]


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _same_items(wanted: list[Any], came: Any) -> bool:
    return isinstance(came, list) and sorted(map(json.dumps, came)) == sorted(map(json.dumps, wanted))


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float)


_OPERATORS: Mapping[str, Callable[[Any, Any], bool]] = {
    "$len": lambda length, came: isinstance(came, str | list | dict) and len(came) == length,
    "$has": lambda piece, came: str(piece).lower() in _text(came).lower(),
    "$re": lambda pattern, came: re.search(pattern, _text(came)) is not None,
    "$absent": lambda absent, came: (came is None) == absent,
    "$le": lambda bound, came: _is_number(came) and came <= bound,
    "$ge": lambda bound, came: _is_number(came) and came >= bound,
    "$not": lambda wanted, came: not holds(wanted, came),
    "$set": _same_items,
    "$set_of": lambda wanted, came: isinstance(came, list) and all(any(holds(one, item) for item in came) for one in wanted),
}
