"""A real OpenTelemetry collector as a process: rotel, which stores in the engine what it receives."""

from __future__ import annotations

import importlib.util
import os
import socket
import subprocess
from typing import TYPE_CHECKING

from tests.command_world import wait_until
from tests.fleet.world import PASSWORD, cpu_s, free_port

if TYPE_CHECKING:
    from types import TracebackType
    from typing import Self

    from tests.fleet.world import EngineProcess


class Collector:
    """Listens for OTLP over HTTP from `with` on. It may be killed and started again; its queue is in memory.

    `json`: the table's attributes are of type JSON.
    """

    def __init__(self, engine: EngineProcess, database: str, *, json: bool = False) -> None:
        self.port = free_port()
        self._arguments = {
            "otlp-http-endpoint": f"127.0.0.1:{self.port}",
            "otlp-grpc-endpoint": f"127.0.0.1:{free_port()}",
            "exporter": "clickhouse",
            "clickhouse-exporter-endpoint": f"http://127.0.0.1:{engine.port}",
            "clickhouse-exporter-database": database,
            "clickhouse-exporter-user": "default",
            "clickhouse-exporter-password": PASSWORD,
            "clickhouse-exporter-compression": "none",
            # A batch that it splits loses the resource of some records: 0.0.1a15 stores them without machine and service.
            "batch-max-size": "1000000",
        }
        self._flags = ["--clickhouse-exporter-enable-json"] if json else []
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def cpu_s(self) -> float:
        """The CPU time of the process so far."""
        assert self._process is not None
        return cpu_s(self._process)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, _kind: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None) -> None:
        self.kill()

    def start(self) -> None:
        words = [word for name, value in self._arguments.items() for word in (f"--{name}", value)]
        null = subprocess.DEVNULL
        self._process = subprocess.Popen([_program(), "start", *words, *self._flags], stdin=null, stdout=null, stderr=null)
        wait_until(self._listens)

    def kill(self) -> None:
        assert self._process is not None
        self._process.kill()
        self._process.wait()

    def _listens(self) -> bool:
        try:
            socket.create_connection(("127.0.0.1", self.port)).close()
        except ConnectionRefusedError:
            return False
        return True


def _program() -> str:
    """The program in the wheel of rotel, which its Python module would start as a daemon."""
    spec = importlib.util.find_spec("rotel")
    assert spec is not None
    assert spec.origin is not None
    return os.path.join(os.path.dirname(spec.origin), "rotel-agent")
