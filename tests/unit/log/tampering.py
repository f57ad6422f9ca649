"""Read a log with SQL, tamper with it and collect the faults that verification finds."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from typing import Any

from hooktui.log.read import verify
from hooktui.log.store import hash_chain
from tests.log_world import LogWorld


def rows(log: LogWorld, sql: str) -> list[Any]:
    """The rows of a query."""
    with closing(sqlite3.connect(log.db)) as connection:
        return connection.execute(sql).fetchall()


def value(log: LogWorld, sql: str) -> Any:
    """The value of a query with one column and one row."""
    ((value,),) = rows(log, sql)
    return value


def tamper(log: LogWorld, *statements: str, **values: Any) -> None:
    """Change a log with SQL."""
    with closing(sqlite3.connect(log.db)) as connection:
        for statement in statements:
            connection.execute(statement, values)
        connection.commit()


def faults(log: LogWorld, head: str = "") -> list[tuple[str, int]]:
    """The kinds and record ids of the faults of a log."""
    return [(fault.kind, fault.record) for fault in verify.log(log.db, head).faults]


def number_of(log: LogWorld, session: str) -> int:
    """The row of a session."""
    (number,) = (number for number, name in verify.names(log.db).items() if name == session)
    return number


def faults_of(log: LogWorld, session: str) -> list[tuple[str, int]]:
    """The kinds and record ids of the faults of a session."""
    return [(fault.kind, fault.record) for fault in verify.session(log.db, number_of(log, session)).faults]


def downgrade(log: LogWorld, schema: int) -> None:
    """Make the log one of schema 3 or 1, without the hooks that were skipped."""
    newer = [("hook", "label"), ("dispatch", "origin"), ("dispatch", "effect"), ("dispatch", "event_key")]
    newer += [("run", "origin"), ("run", "part"), ("dispatch", "outcome"), ("dispatch", "hooks_recorded"), ("session", "title")]
    indexes = [f"DROP INDEX dispatch_{name}" for name in ("origin", "effect", "key")]
    columns = [f"ALTER TABLE {table} DROP COLUMN {column}" for table, column in newer]
    chain = ["DROP TABLE link", "DROP TABLE note", "ALTER TABLE hook DROP COLUMN digest"] if schema == 1 else []
    tables = [*_WITHOUT_LISTS, "DROP TABLE part", "DROP TABLE transcript"]
    tamper(log, *tables, *indexes, *columns, *chain, f"PRAGMA user_version = {schema}")


_SKIP_ROWS = """
INSERT INTO run SELECT dispatch.id + 1000 + position, dispatch.id, hook, position, 'skipped', skip, why, 'none',
    NULL, NULL, NULL, NULL, 0.0, 0.0, '', '', 0, NULL, NULL, NULL
FROM dispatch JOIN skip ON skip.list = dispatch.skips"""
_WITHOUT_LISTS = (
    "DROP TABLE listing",
    "DROP INDEX dispatch_head",
    "ALTER TABLE dispatch DROP COLUMN head",
    "DROP TABLE told",
    "DROP INDEX dispatch_overruled",
    "ALTER TABLE dispatch DROP COLUMN overruled",
    "DROP TABLE unindexed",
    "DROP INDEX dispatch_skips",
    "DROP TABLE skip",
    "DROP TABLE skip_list",
    "ALTER TABLE dispatch DROP COLUMN skips",
    "ALTER TABLE part DROP COLUMN skips",
)


def with_rows_of_skipped_hooks(log: LogWorld) -> None:
    """Make a log without joined events one of schema 5: each skipped hook has a row, which the chain covers."""
    tamper(log, _SKIP_ROWS, "UPDATE dispatch SET skips = NULL", "DELETE FROM link WHERE kind = 'dispatch'")
    with closing(sqlite3.connect(log.db)) as connection:
        for number, session in connection.execute("SELECT id, session FROM dispatch ORDER BY id").fetchall():
            (row,) = connection.execute(hash_chain.DISPATCHES.format(which="dispatch.id = ?"), (number,))
            runs = connection.execute(hash_chain.RUNS.format(which="run.dispatch = ?"), (number,)).fetchall()
            unended = {run[1] for run in runs if run[4] == "started"}
            hash_chain.add(connection, [("dispatch", number, session, hash_chain.dispatch_digest(row, runs, unended))])
        connection.commit()
    tamper(log, *_WITHOUT_LISTS, "PRAGMA user_version = 5")
