"""Which rows of a fleet's table are records of hooktui, and whole: who may write the table may write anything.

The condition decides for every list, count and overview alike. A row that it refuses is counted and hides nothing else. One
that it accepts has a known time, event, decision and hooks; `report_of` gives every other field the type that readers rely on.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Mapping
from typing import Any, cast

from hooktui.core import ids
from hooktui.core.model import DECISIONS, EFFECTS, ORIGINS
from hooktui.core.report import LoggedReport
from hooktui.log.read.terms import STATES

_ID = f"^[0-6][{ids.ALPHABET}]{{12}}$"  # up to the year 2082, which leaves room for the numbers of FleetNumbers
_SEQ, _MS = r"^(0|[1-9]\d{0,15})$", r"^(\d{1,12}(\.\d+)?(e-\d+)?)?$"
_NO_NAME = r"^([\[{0-9-]|(true|false|null)?$)"  # how ClickHouse writes what is not a text
_REPORT = (
    "Tuple(id String, decision String, effect String, origin String, event String,"
    " hooks Array(Tuple(label String, state String, decision String)))"
)
_RUN_STATES = (*STATES, "unrecorded")
_DEEPEST = 200  # levels of JSON: some readers take one call of a function for each
_LARGEST = 1e15  # of a number


def condition(attribute: Callable[[str], str]) -> str:
    """The condition that a row is a dispatch, a note or the head of a chain; `attribute` renders an attribute's expression."""
    digit = f"(position('{ids.ALPHABET}', substring({attribute('hooktui.id')}, i + 1, 1)) - 1) * toUInt64(exp2(60 - 5 * i))"
    time_us = f"intDiv(arraySum(i -> {digit}, range(13)), 4096) + {ids.EPOCH_US}"
    is_other = f"{attribute('hooktui.id')} = '' AND {attribute('event.name')} IN ('hooktui.note', 'hooktui.head')"
    is_dispatch = " AND ".join(
        (
            _matches(attribute("hooktui.id"), _ID),
            f"{time_us} = toUnixTimestamp64Micro(Timestamp)",
            _matches(attribute("hooktui.duration_ms"), _MS),
            f"{attribute('hooktui.state')} IN ({_names(('', *_RUN_STATES))})",
            f"arrayExists(report -> {_is_whole(attribute)}, [JSONExtract(Body, '{_REPORT}')])",
            "JSONType(Body, 'hooks') = 'Array'",
        )
    )
    is_chained = f"{attribute('service.instance.id')} <> '' AND {_matches(attribute('hooktui.seq'), _SEQ)}"
    return f"({is_chained} AND ({is_other} OR {is_dispatch}))"


def _is_whole(attribute: Callable[[str], str]) -> str:
    """The condition on a report of the type _REPORT: it says what the attributes say."""
    alike = [f"report.{n} = {attribute(f'hooktui.{name}')}" for n, name in enumerate(("id", "decision", "effect", "origin"), 1)]
    known = [f"report.{n} IN ({_names(names)})" for n, names in enumerate((DECISIONS, EFFECTS, ORIGINS), 2)]
    of_hook = f"h.1 <> '' AND h.2 IN ({_names(_RUN_STATES)}) AND h.3 IN ({_names(DECISIONS)})"
    return " AND ".join((*alike, *known, f"NOT {_matches('report.5', _NO_NAME)}", f"arrayAll(h -> {of_hook}, report.6)"))


def _matches(text: str, pattern: str) -> str:
    escaped = pattern.replace("\\", "\\\\")
    return f"match({text}, '{escaped}')"


def _names(names: Collection[str]) -> str:
    return ", ".join(f"'{name}'" for name in names)


def report_of(body: str) -> LoggedReport | None:
    """The report in a body, each field with its type: empty where it is missing or has another. None if it cannot be read."""
    try:
        values = json.loads(body)
    except (ValueError, RecursionError):
        return None
    if not isinstance(values, dict) or _is_deep(values):
        return None
    hooks = [_typed(run, _RUN_FIELDS) for run in _list(values.get("hooks")) if isinstance(run, dict)]
    return cast("LoggedReport", {**_typed(values, _FIELDS), "hooks": hooks})


def _typed(values: Mapping[str, Any], fields: Mapping[str, Callable[[Any], Any]]) -> dict[str, Any]:
    """The values, those of the fields with their types."""
    return {**values, **{name: of_type(values.get(name)) for name, of_type in fields.items()}}


def _is_deep(values: Any) -> bool:
    level = [values]
    for _ in range(_DEEPEST):
        level = [child for value in level for child in (value.values() if isinstance(value, dict) else _list(value))]
        if not level:
            return False
    return True


def _text(value: Any) -> str:
    return _text_if_any(value) or ""


def _text_if_any(value: Any) -> str | None:
    return value if isinstance(value, str | None) else json.dumps(value)


def _number(value: Any) -> float | None:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return value if is_number and abs(value) < _LARGEST else None


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _texts(value: Any) -> list[str]:
    return [_text(item) for item in _list(value)]


def _of(names: Collection[str], default: str) -> Callable[[Any], str]:
    return lambda value: value if isinstance(value, str) and value in names else default


_FIELDS: Mapping[str, Callable[[Any], Any]] = {
    **dict.fromkeys(("id", "at", "event", "host", "session_id", "title", "project", "hooks_recorded"), _text),
    **dict.fromkeys(("tool_name", "reason", "outcome"), _text_if_any),
    **dict.fromkeys(("additional_context", "system_messages", "log", "warnings"), _texts),
    **dict.fromkeys(("overruled", "synthetic"), bool),
    "modified_input": lambda value: value if isinstance(value, dict) else None,
    "duration_ms": _number,
    "payload": lambda value: value,  # of any type
    "decision": _of(DECISIONS, "none"),
    "effect": _of(EFFECTS, "none"),
    "origin": _of(ORIGINS, "run"),
}
_RUN_FIELDS: Mapping[str, Callable[[Any], Any]] = {
    **dict.fromkeys(("id", "name", "label", "origin", "format", "scope", "file", "why", "stdout", "stderr", "version"), _text),
    **dict.fromkeys(("skip", "via", "reason", "additional_context", "system_message", "log"), _text_if_any),
    **dict.fromkeys(("exit_code", "signal", "duration_ms"), _number),
    **dict.fromkeys(("line", "started_ms"), lambda value: _number(value) or 0),
    "modified_input": lambda value: value if isinstance(value, dict) else None,
    "truncated": bool,
    "problems": _texts,
    "state": _of(_RUN_STATES, "skipped"),
    "decision": _of(DECISIONS, "none"),
}
