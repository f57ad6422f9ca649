"""A fleet on this machine: the real engine as a process, and the records of logs in it."""

from __future__ import annotations

import json
import os
import re
import socket
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import clickhouse_connect

from hooktui.fleet import clickhouse_table
from hooktui.fleet.clickhouse_table import LogTable
from hooktui.fleet.fleet_records import FleetRecord, RecordMaker, resource
from hooktui.fleet.fleet_settings import FleetSettings, Level
from hooktui.fleet.outbox import Outbox

PASSWORD = "for tests"
DATABASE = "otel"
STANDARD, OLD, BY_MINUTES, JSON = "standard", "without EventName", "without TimestampTime", "JSON attributes"
DOCUMENTED = "in the documentation"
SCHEMAS = (STANDARD, OLD, BY_MINUTES, JSON, DOCUMENTED)
_KEYS = {BY_MINUTES: "toStartOfFiveMinutes(Timestamp), ServiceName", JSON: "ServiceName, toDateTime(Timestamp)"}
_DDL = Path(__file__).with_name("otel_logs.sql")
ROOT = Path(__file__).parents[2]


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


def cpu_s(process: subprocess.Popen[bytes]) -> float:
    """The CPU time of a process so far, on Linux."""
    fields = Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def table_ddl(schema: str) -> str:
    """The table as one of the versions of the collectors' exporter makes it, or as a reader of docs/fleet.md does."""
    if schema == DOCUMENTED:
        statement = re.search(r"CREATE TABLE otel\.(otel_logs\n.*?;)", (ROOT / "docs/fleet.md").read_text(), re.DOTALL)
        return f"CREATE TABLE {statement[1]}" if statement else ""
    ddl = _DDL.read_text()
    if schema == OLD:
        return re.sub(r".*`EventName`.*\n", "", ddl)
    if key := _KEYS.get(schema):
        ddl = re.sub(r".*`TimestampTime` .*\n|PRIMARY KEY .*\n", "", ddl)
        ddl = ddl.replace("ServiceName, TimestampTime", key).replace("TimestampTime", "Timestamp")
    if schema == JSON:
        ddl = re.sub(r".* map(Keys|Values)\(.*\n", "", ddl).replace("Map(LowCardinality(String), String)", "JSON")
    return ddl


class EngineProcess:
    """The engine on a directory, with the collectors' table. It ends with its test, however that ends."""

    def __init__(self, directory: Path, port: int = 0) -> None:
        self.port = port or free_port()
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.fleet.engine", str(directory), str(self.port), PASSWORD],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            cwd=ROOT,
        )
        assert self._process.stdout is not None
        assert int(self._process.stdout.readline() or 0) == self.port, "the engine has not started"
        self.client = clickhouse_connect.get_client(host="127.0.0.1", port=self.port, password=PASSWORD)

    def url(self, user: str = "default", password: str = PASSWORD, database: str = DATABASE) -> str:
        return f"clickhouse://{user}:{password.replace(' ', '%20')}@127.0.0.1:{self.port}/{database}"

    def create(self, database: str = DATABASE, schema: str = STANDARD) -> None:
        """Make an empty table of log records, as a collector does."""
        self.client.command(f"DROP DATABASE IF EXISTS {database}")
        self.client.command(f"CREATE DATABASE {database}")
        self.client.command(table_ddl(schema).replace("otel_logs", f"{database}.otel_logs"))

    def accelerate(self, database: str = DATABASE) -> None:
        """Do what `hooktui fleet schema` prints."""
        for statement in clickhouse_table.schema_statements(LogTable(f"{database}.otel_logs")):
            self.client.command(statement)

    def insert(self, rows: Sequence[dict[str, Any]], database: str = DATABASE) -> None:
        lines = "\n".join(json.dumps(row) for row in rows)
        self.client.command(f"INSERT INTO {database}.otel_logs FORMAT JSONEachRow\n{lines}")

    @property
    def cpu_s(self) -> float:
        """The CPU time of the engine so far."""
        return cpu_s(self._process)

    def kill(self) -> None:
        self._process.kill()
        self.close()

    def close(self) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait()
        assert self._process.stdout is not None
        self._process.stdout.close()
        self.client.close()


def log_rows(
    db: str, instance: str = "i-1", machine: str = "build-1", level: Level = "full", after: int = 0
) -> list[dict[str, Any]]:
    """The rows that a collector stores of a machine's log, from a sequence on."""
    maker, outbox = RecordMaker(FleetSettings("", level=level), "salt"), Outbox(db)
    own = {**resource(instance), "host.name": machine}
    try:
        records = [record for batch in outbox.batches(after, maker) for record in batch.records]
    finally:
        outbox.close()
    return [stored_row(record, own) for record in records]


def stored_row(record: FleetRecord, own: dict[str, str]) -> dict[str, Any]:
    """A record as collectors store it; `own` are the attributes of its machine."""
    return {
        "Timestamp": f"{record.time_ns / 1e9:.6f}",
        "ServiceName": own["service.name"],
        "EventName": record.name,
        "SeverityText": record.severity,
        "Body": record.body,
        "ResourceAttributes": own,
        "LogAttributes": dict(record.attributes),
    }
