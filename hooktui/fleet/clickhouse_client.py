"""A connection to a fleet's ClickHouse: statements run in threads, and errors are one line that says what to do."""

from __future__ import annotations

import asyncio
import logging
import re
import time
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import parse_qsl, unquote, urlencode, urlsplit

from hooktui import config
from hooktui.fleet import extra
from hooktui.fleet.clickhouse_conditions import Value
from hooktui.fleet.clickhouse_table import TABLE, ForeignTableError, LogTable
from hooktui.log.read.connection import LogError

_SCHEMES = {"clickhouse": False, "http": False, "clickhouses": True, "https": True}
_PORTS = {False: 8123, True: 8443}
_CONNECT_S, _ANSWER_S = 10, 120
_SHARE = 20  # an answer is kept this many times as long as it took, so that asking costs the server a twentieth of its time
_CHEAP_S = 0.1  # never kept
_TABLE_NAME = re.compile(r"[A-Za-z_]\w*", re.ASCII)
_COLUMNS = "SELECT name, type FROM system.columns WHERE database = currentDatabase() AND table = {table:String}"
_SORTING_KEY = "SELECT sorting_key FROM system.tables WHERE database = currentDatabase() AND name = {table:String}"
# What ClickHouse's error codes mean to the person who opened the fleet.
_MEANINGS = {
    516: "wrong user or password",
    194: "wrong user or password",
    192: "wrong user or password",
    81: "no such database",
    60: "no such table: a collector makes it when it exports its first log record",
    497: "this user may not read the table: GRANT SELECT on it",
    46: "the server is too old: it lacks a function that hooktui needs",
    241: "the server ran out of memory for this query: narrow it with since: and until:",
    159: "the server stopped the query, which took too long: narrow it with since: and until:",
}
_NOISE = re.compile(r"^.*?DB::Exception: |\s*\([A-Z_]+\)\s*(\(version.*)?$|\s*\(for url.*$", re.DOTALL)
_REASON = re.compile(r"\[Errno -?\d+\] ([^'\"\)]+)|(timed out)|(CERTIFICATE_VERIFY_FAILED[^\)(]*)")


class ClickHouse:
    """A database with a table of log records, from a URL such as clickhouse://user:password@host:8123/otel?table=otel_logs.

    Other parameters of the URL are options of clickhouse_connect's client.
    """

    def __init__(self, url: str) -> None:
        """Raises LogError for what is not such a URL."""
        self.url = url
        try:
            parts = urlsplit(url)
            secure = _SCHEMES[parts.scheme]
            self._options = {"secure": secure, "port": parts.port or _PORTS[secure]}
        except (KeyError, ValueError):
            raise LogError("--fleet needs a URL such as clickhouse://user:password@host:8123/otel") from None
        options = dict(parse_qsl(parts.query))
        name = options.pop("table", TABLE)
        if not _TABLE_NAME.fullmatch(name):
            raise LogError(f"--fleet: not a table's name: {name!r}")
        path = parts.path.strip("/") or "otel"
        self._place = f"{parts.hostname or 'localhost'}:{self._options['port']}/{unquote(path)}"
        self._dsn = parts._replace(path=f"/{path}", query=urlencode(options)).geturl()
        self._client: Any = None
        self._kept: dict[object, tuple[float, Sequence[Sequence[Any]]]] = {}
        self.table = LogTable(name)

    async def open(self) -> None:
        """Connect, and learn what the table is like. Raises LogError."""
        self._client = await asyncio.to_thread(self._connect)
        try:
            name = self.table.name
            columns = {str(row[0]): str(row[1]) for row in await self.rows(_COLUMNS, {"table": name})}
            self.table = LogTable.of(name, columns, str(await self.value(_SORTING_KEY, {"table": name})))
        except ForeignTableError as error:
            raise LogError(f"{self._place}: {error}") from None

    def _connect(self) -> Any:
        try:
            with extra.needed():
                import clickhouse_connect
                from clickhouse_connect.driver.exceptions import ClickHouseError
        except extra.MissingExtraError as error:
            raise LogError(str(error)) from None
        logging.getLogger("clickhouse_connect").addHandler(logging.NullHandler())  # its errors are ours to tell
        if ca := config.fleet_values().values.get("ca"):
            self._options["ca_cert"] = ca
        try:
            client = clickhouse_connect.get_client(
                dsn=self._dsn,
                autogenerate_session_id=False,  # statements of one session cannot run side by side
                connect_timeout=_CONNECT_S,
                send_receive_timeout=_ANSWER_S,
                query_limit=0,
                **self._options,
            )
        except (ClickHouseError, OSError) as error:
            raise self._explained(error) from error
        return client

    async def rows(self, sql: str, values: Mapping[str, Value] | None = None) -> Sequence[Sequence[Any]]:
        """The rows of a statement. Raises LogError."""
        return await asyncio.to_thread(self._rows, sql, dict(values or {}))

    def _rows(self, sql: str, values: dict[str, Value]) -> Sequence[Sequence[Any]]:
        from clickhouse_connect.driver.exceptions import ClickHouseError

        if self._client is None:
            return ()
        try:
            rows: Sequence[Sequence[Any]] = self._client.query(sql, parameters=values).result_rows
        except ClickHouseError as error:
            raise self._explained(error) from error
        return rows

    async def kept_rows(self, sql: str, values: Mapping[str, Value]) -> Sequence[Sequence[Any]]:
        """The same for what is asked again and again: an answer that took long is given again for a while."""
        key, began = (sql, repr(values)), time.monotonic()
        until, rows = self._kept.get(key, (0.0, ()))
        if began < until:
            return rows
        rows = await self.rows(sql, values)
        cost = time.monotonic() - began
        self._kept = {key: kept for key, kept in self._kept.items() if kept[0] > began}
        if cost > _CHEAP_S:
            self._kept[key] = (began + _SHARE * cost, rows)
        return rows

    async def value(self, sql: str, values: Mapping[str, Value] | None = None) -> Any:
        """The first column of the first row; 0 without a row. Raises LogError."""
        rows = await self.rows(sql, values)
        return rows[0][0] if rows else 0

    async def close(self) -> None:
        if self._client is not None:
            client, self._client = self._client, None
            await asyncio.to_thread(client.close)

    def _explained(self, error: Exception) -> LogError:
        return LogError(f"{self._place}: {explain(error)}")


def explain(error: Exception) -> str:
    """An error of ClickHouse in one line."""
    code = getattr(error, "code", None)
    if isinstance(code, int) and code in _MEANINGS:
        return _MEANINGS[code]
    text = str(error)
    if isinstance(code, int):
        return _NOISE.sub("", text.replace("\n", " ")).strip()[:300]
    if "read timeout" in text:
        return f"no answer within {_ANSWER_S} s: narrow it with since: and until:"
    reason = _REASON.search(text)
    words = next(filter(None, reason.groups()), "") if reason else text.partition(": ")[0]
    return f"cannot be reached: {words.strip().lower()}"
