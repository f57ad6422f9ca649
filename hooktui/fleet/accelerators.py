"""What the DBA of a fleet may add to the collectors' table, for millions of events: columns of their own, and two indexes.

Nothing needs them: a column is used when it is there, and an index serves the same expressions that are asked without it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from hooktui.fleet.clickhouse_table import ACCELERATORS, TABLE, WORDS, LogTable

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

STANDARD = {
    "ResourceAttributes": "Map(LowCardinality(String), String)",
    "LogAttributes": "Map(LowCardinality(String), String)",
}
_INDEXES: Mapping[str, str] = {
    "hooktui_session": "HooktuiSession TYPE bloom_filter(0.01) GRANULARITY 1",
    "hooktui_words": f"{WORDS} TYPE text(tokenizer = 'splitByNonAlpha')",
}


def statements(name: str = TABLE, columns: Mapping[str, str] = STANDARD) -> Iterator[str]:
    """The statements that add them to a table with these columns and types, one a line."""
    table = LogTable(name, columns, {})
    for column in ACCELERATORS:
        value = table.plain_attribute(column.attribute)
        value = f"to{column.type}OrZero({value})" if column.is_number else value
        yield f"ALTER TABLE {name} ADD COLUMN IF NOT EXISTS {column.name} {column.type} MATERIALIZED {value} CODEC(ZSTD(1));"
    for index, expression in _INDEXES.items():
        yield f"ALTER TABLE {name} ADD INDEX IF NOT EXISTS {index} {expression};"
    yield f"ALTER TABLE {name} {', '.join(f'MATERIALIZE COLUMN {column.name}' for column in ACCELERATORS)};"
    for index in _INDEXES:
        yield f"ALTER TABLE {name} MATERIALIZE INDEX {index};"
