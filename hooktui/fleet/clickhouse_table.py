"""The table of log records that OpenTelemetry collectors write in ClickHouse: its columns and its order vary."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import takewhile
from typing import NamedTuple
from unicodedata import normalize

from hooktui.core import ids
from hooktui.fleet import readable_records

TABLE = "otel_logs"
SERVICE = "hooktui"
AHEAD_S = 60  # by which a clock may be ahead unnoticed
_NEEDED = ("Timestamp", "ServiceName", "Body", "LogAttributes", "ResourceAttributes")
_LAST_SECOND = (1 << 32) - 1  # of ClickHouse's DateTime
_MANY_SECONDS = 1000  # in one statement, which has 256 KiB at most
_ORDERED = re.compile(r"TimestampTime|(toDate|toDateTime|toUnixTimestamp|toStartOf\w+)\(Timestamp(Time)?\)")
_HEAD = r'^\{"id":"\w*","at":"[\w:.-]*"'  # of a report
_ESCAPES = r"\\(u[0-9a-f]{4}|.)"  # in JSON; separators for a search, as in the index of words of the log


def literal(text: str) -> str:
    """A text as a literal of ClickHouse's SQL."""
    escaped = text.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"


def _base(letter: str) -> str:
    """The Latin letter of one with an accent, in lower case; "" of any other."""
    parts = normalize("NFD", letter)
    return parts[0].lower() if len(parts) == 2 and parts[0].isascii() and parts[0].isalpha() else ""


PLAIN = {number: base for number in range(0xC0, 0x1F00) if (base := _base(chr(number)))}  # by the letter with an accent


def searchable(text: str) -> str:
    """The expression for a text in lower case and without accents."""
    return f"lower(translateUTF8({text}, {literal(''.join(map(chr, PLAIN)))}, {literal(''.join(PLAIN.values()))}))"


def without_escapes(json_text: str) -> str:
    """The expression for a JSON text with spaces in place of its escapes."""
    return f"replaceRegexpAll({json_text}, {literal(_ESCAPES)}, ' ')"


# Of other services the columns and indexes below have nothing.
_OWN_BODY = f"if(ServiceName = '{SERVICE}', Body, '')"
# Without the id and the time that a report begins with: nobody searches for them, and each would be a word of its own.
WORDS = searchable(without_escapes(f"replaceRegexpOne({_OWN_BODY}, {literal(_HEAD)}, '')"))


class ForeignTableError(Exception):
    """The table cannot be read as a fleet's log; the message says why."""


class Accelerator(NamedTuple):
    """A column that the DBA may add: its name, type, and what it is made of."""

    name: str
    type: str
    attribute: str

    def of(self, value: str) -> str:
        """Its expression, given that for its attribute; empty for other services."""
        value = f"to{self.type}OrZero({value})" if self.type in ("UInt64", "Float64") else value
        empty = "''" if "String" in self.type else "0"
        return f"if(ServiceName = '{SERVICE}', {value}, {empty})"


TEAM, USER = "team", "user.name"  # attributes of a machine, as its company names them
TITLE = "title"  # of the session: in the body only
READABLE = "readable"  # whether the row is a record of hooktui, and whole
# Without them every query reads the whole maps of attributes.
_NAME = "LowCardinality(String)"
ACCELERATORS = (
    Accelerator("HooktuiId", "String", "hooktui.id"),
    Accelerator("HooktuiInstance", _NAME, "service.instance.id"),
    Accelerator("HooktuiMachine", _NAME, "host.name"),
    Accelerator("HooktuiVersion", _NAME, "service.version"),
    Accelerator("HooktuiTeam", _NAME, TEAM),
    Accelerator("HooktuiUser", _NAME, USER),
    Accelerator("HooktuiSeq", "UInt64", "hooktui.seq"),
    Accelerator("HooktuiSession", "String", "session.id"),
    Accelerator("HooktuiTitle", _NAME, TITLE),
    Accelerator("HooktuiAgent", _NAME, "gen_ai.agent.name"),
    Accelerator("HooktuiProject", _NAME, "hooktui.project"),
    Accelerator("HooktuiEvent", _NAME, "hooktui.event"),
    Accelerator("HooktuiTool", _NAME, "gen_ai.tool.name"),
    Accelerator("HooktuiDecision", _NAME, "hooktui.decision"),
    Accelerator("HooktuiEffect", _NAME, "hooktui.effect"),
    Accelerator("HooktuiState", _NAME, "hooktui.state"),
    Accelerator("HooktuiOrigin", _NAME, "hooktui.origin"),
    Accelerator("HooktuiDurationMs", "Float64", "hooktui.duration_ms"),
    Accelerator("HooktuiRuns", "String", "hooktui.runs"),
    Accelerator("HooktuiReadable", "UInt8", READABLE),
)
_STANDARD_COLUMNS = dict.fromkeys(("ResourceAttributes", "LogAttributes"), "Map(LowCardinality(String), String)")
_INDEXES: Mapping[str, str] = {
    "hooktui_session": "HooktuiSession TYPE bloom_filter(0.01) GRANULARITY 1",
    "hooktui_words": f"{WORDS} TYPE text(tokenizer = 'splitByNonAlpha')",
}
_OF_RESOURCE = ("service.instance.id", "host.name", "service.version", TEAM, USER)


@dataclass(frozen=True, slots=True)
class LogTable:
    """A table of log records. `columns` are its columns with their types; `fast` those of ACCELERATORS that it has.

    `order`: the expressions of the time that it is sorted by, before Timestamp.
    """

    name: str = TABLE
    columns: Mapping[str, str] = field(default_factory=lambda: _STANDARD_COLUMNS)
    fast: Mapping[str, str] = field(default_factory=dict)
    order: tuple[str, ...] = ()

    @classmethod
    def of(cls, name: str, columns: Mapping[str, str], sorting_key: str = "") -> LogTable:
        """Read the columns and the sorting key of a table. Raises ForeignTableError."""
        if not columns:
            raise ForeignTableError(f"it has no table {name}: a collector makes it when it exports its first log record")
        if missing := [column for column in _NEEDED if column not in columns]:
            raise ForeignTableError(f"{name} has no column {missing[0]}: not the schema of OpenTelemetry's ClickHouse exporter")
        fast = {column.attribute: column.name for column in ACCELERATORS if column.name in columns}
        return cls(name, columns, fast, _times(sorting_key))

    def attribute(self, name: str) -> str:
        """The expression for an attribute, a string that is empty without it. Numbers have properties of their own."""
        return self.fast.get(name) or self.plain_attribute(name)

    def plain_attribute(self, name: str) -> str:
        """The same without the accelerating columns."""
        if name == TITLE:
            return f"JSONExtractString({_OWN_BODY}, '{TITLE}')"
        if name == READABLE:
            return readable_records.condition(self.plain_attribute)
        column = "ResourceAttributes" if name in _OF_RESOURCE else "LogAttributes"
        if self.columns[column].startswith("JSON"):
            path = ".".join(f"`{part}`" for part in name.split("."))
            return f"ifNull({column}.{path}::Nullable(String), '')"
        return f"{column}[{literal(name)}]"

    @property
    def id(self) -> str:
        """A dispatch's id; "" of other records."""
        return self.attribute("hooktui.id")

    @property
    def instance(self) -> str:
        """The machine's own id."""
        return self.attribute("service.instance.id")

    @property
    def seq(self) -> str:
        return self.fast.get("hooktui.seq") or f"toUInt64OrZero({self.plain_attribute('hooktui.seq')})"

    @property
    def duration_ms(self) -> str:
        return self.fast.get("hooktui.duration_ms") or f"toFloat64OrZero({self.plain_attribute('hooktui.duration_ms')})"

    @property
    def id_hash(self) -> str:
        """A number for a dispatch's id: counting different numbers costs a quarter of counting different texts."""
        return f"cityHash64({self.id})"

    @property
    def records(self) -> str:
        """The condition for what can be read: dispatches, notes and heads of chains. `unreadable` is for the rest."""
        return f"ServiceName = '{SERVICE}' AND {self.attribute(READABLE)}"

    @property
    def unreadable(self) -> str:
        return f"ServiceName = '{SERVICE}' AND NOT {self.attribute(READABLE)}"

    @property
    def dispatches(self) -> str:
        """The condition for dispatches. It belongs behind all others: without its column it parses every body."""
        return f"{self.id} <> '' AND {self.records}"

    @property
    def past(self) -> str:
        """The condition that a record is not of the future: the clock of its machine may be ahead."""
        return f"{self.time} <= now() + {AHEAD_S}"

    @property
    def newest_first(self) -> str:
        """The order that begins with that of the table, so that a page needs no sort of everything."""
        return ", ".join(f"{name} DESC" for name in (*self.order, "Timestamp", "id", "instance", "seq"))

    @property
    def time(self) -> str:
        """The column of the time that the primary key has, in seconds or in parts of them."""
        return "TimestampTime" if "TimestampTime" in self.columns else "Timestamp"

    def since(self, number: int) -> str:
        """The condition on the time of dispatches from an id on, for the primary key."""
        return f"{self.time} >= {_date_time(ids.seconds(number))}"

    @property
    def is_no_time(self) -> str:
        """The condition for times before hooktui, which a row may have that is not one of its records."""
        return self._before(ids.seconds(0))

    def until(self, number: int) -> str:
        return self._before(ids.seconds(number) + 1)

    def at(self, seconds: Collection[int]) -> str:
        """The condition on the time of dispatches in some seconds since 1970; exact for few, so that no others are read."""
        if self.time == "TimestampTime" and len(seconds) <= _MANY_SECONDS:
            return f"{self.time} IN ({', '.join(map(_date_time, sorted(seconds)))})"
        return f"{self.time} >= {_date_time(min(seconds))} AND {self._before(max(seconds) + 1)}"

    def _before(self, seconds: float) -> str:
        """The condition for dispatches before a whole second.

        Compared with a DateTime, `Timestamp < 8` prunes parts as if it were `<= 7`, which drops a part that begins in the
        last second. So a column of nanoseconds is compared with nanoseconds.
        """
        end = _date_time(seconds)
        return f"{self.time} < {end if self.time == 'TimestampTime' else f'toDateTime64({end}, 9)'}"


def _times(sorting_key: str) -> tuple[str, ...]:
    """The expressions of the time that a sorting key begins with; every record that is read has one ServiceName."""
    leading = takewhile(lambda name: name == "ServiceName" or _ORDERED.fullmatch(name), sorting_key.split(", "))
    return tuple(name for name in leading if name != "ServiceName")


def _date_time(seconds: float) -> str:
    return f"toDateTime({min(max(int(seconds), 0), _LAST_SECOND)})"


def schema_statements(table: LogTable) -> Iterator[str]:
    """The statements, one a line, with which a DBA may add ACCELERATORS and indexes to a table.

    Nothing needs them: a column is used when it is there, and an index serves the same expressions that are asked without it.
    """
    for column in ACCELERATORS:
        value = column.of(table.plain_attribute(column.attribute))
        added = f"{column.name} {column.type} MATERIALIZED {value} CODEC(ZSTD(1))"
        yield f"ALTER TABLE {table.name} ADD COLUMN IF NOT EXISTS {added};"
    for index, expression in _INDEXES.items():
        yield f"ALTER TABLE {table.name} ADD INDEX IF NOT EXISTS {index} {expression};"
    yield f"ALTER TABLE {table.name} {', '.join(f'MATERIALIZE COLUMN {column.name}' for column in ACCELERATORS)};"
    for index in _INDEXES:
        yield f"ALTER TABLE {table.name} MATERIALIZE INDEX {index};"
