"""Doing to a log what nobody should, and what is found of it."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING, Any

from hooktui.log.read import verify

if TYPE_CHECKING:
    from tests.log_world import LogWorld


def tamper(log: LogWorld, *statements: str, **values: Any) -> None:
    """Change a log with SQL, as anybody could."""
    with closing(sqlite3.connect(log.db)) as connection:
        for statement in statements:
            connection.execute(statement, values)
        connection.commit()


def faults(log: LogWorld, head: str = "") -> list[tuple[str, int]]:
    """What is found of all of it: kinds, and where."""
    return [(fault.kind, fault.record) for fault in verify.log(log.db, head).faults]


def number_of(log: LogWorld, session: str) -> int:
    """The number of a session in the log."""
    (number,) = (number for number, name in verify.names(log.db).items() if name == session)
    return number


def faults_of(log: LogWorld, session: str) -> list[tuple[str, int]]:
    """What is found of one session."""
    return [(fault.kind, fault.record) for fault in verify.session(log.db, number_of(log, session)).faults]
