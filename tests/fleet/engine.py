"""ClickHouse's HTTP protocol in front of chDB, the real engine in a library: enough for collectors and clickhouse-connect.

`python -m tests.fleet.engine DIRECTORY PORT PASSWORD` serves on loopback until its stdin ends. The user `reader` may only read.
"""

from __future__ import annotations

import email
import gzip
import os
import queue
import re
import sys
import tempfile
import threading
import uuid
from email.message import Message
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple
from urllib.parse import parse_qsl, urlsplit

import chdb

READER = "reader"
_CONNECTIONS = 2
# Parameters of a request that are no settings of the query.
_OPTIONS = {
    "buffer_size", "cancel_http_readonly_queries_on_client_close", "client_protocol_version", "compress", "database",
    "decompress", "default_format", "enable_http_compression", "http_headers_progress_interval_ms", "password", "query",
    "query_id", "quota_key", "role", "send_progress_in_http_headers", "session_check", "session_id", "session_timeout", "user",
    "wait_end_of_query",
}  # fmt: skip
# One line break at most belongs to the statement: binary rows may begin with the byte of another.
_INSERT = re.compile(rb"\s*(INSERT\s+INTO\s.*?)\s+FORMAT\s+(\w+)[ \t]*\n?", re.IGNORECASE | re.DOTALL)
_FORMAT = re.compile(r"\bFORMAT\s+(\w+)\s*;?\s*$", re.IGNORECASE)
_CODE = re.compile(r"Code: (\d+)")
_WRONG_PASSWORD, _UNKNOWN = "516", "1002"


class Answer(NamedTuple):
    """The body of an answer and its format."""

    data: bytes
    format: str


class Engine:
    """A few connections to one database directory, of which some may only read, as a user with `readonly = 1`.

    `readonly` is set for a connection, not for a query: that was seen to refuse an insert which ran beside it.
    """

    def __init__(self, directory: str) -> None:
        self._writing, self._reading = (_connections(directory, setup) for setup in ("", "SET readonly = 1"))

    def run(self, query: str, body: bytes, options: dict[str, str], *, may_write: bool) -> Answer:
        """Run one statement; the rows of an INSERT may be in the body. Raises chDB's RuntimeError."""
        text = (query.encode() + b"\n" if query else b"") + body
        connections = self._writing if may_write else self._reading
        connection = connections.get()
        try:
            if database := options.get("database"):
                connection.query(f"USE `{database}`")
            if insert := _INSERT.match(text):
                _insert(connection, insert[1].decode(), insert[2].decode(), text[insert.end() :], options)
                return Answer(b"", "Null")
            return _answer(connection, text.decode(), options)
        finally:
            connections.put(connection)


def _connections(directory: str, setup: str) -> queue.LifoQueue[Any]:
    connections: queue.LifoQueue[Any] = queue.LifoQueue()
    for _ in range(_CONNECTIONS):
        connection = chdb.connect(directory)
        connection.query(setup or "SELECT 1")
        connections.put(connection)
    return connections


def _insert(connection: Any, statement: str, name: str, rows: bytes, options: dict[str, str]) -> None:
    settings = ", ".join(f"{key} = '{value}'" for key, value in options.items() if key.startswith("input_format_"))
    with tempfile.NamedTemporaryFile(dir="/dev/shm" if os.path.isdir("/dev/shm") else None) as file:
        file.write(rows)
        file.flush()
        connection.query(f"{statement} FROM INFILE '{file.name}' {settings and f'SETTINGS {settings}'} FORMAT {name}")


def _answer(connection: Any, sql: str, options: dict[str, str]) -> Answer:
    name = options.get("default_format", "TabSeparated")
    if written := _FORMAT.search(sql):
        name, sql = written[1], sql[: written.start()]
    settings = {key: value for key, value in options.items() if key not in _OPTIONS and not key.startswith("param_")}
    if settings and re.match(r"\s*(SELECT|WITH)", sql, re.IGNORECASE):
        sql += " SETTINGS " + ", ".join(f"{key} = '{value}'" for key, value in settings.items())
    values = {key.removeprefix("param_"): value for key, value in options.items() if key.startswith("param_")}
    return Answer(connection.query(sql, name, params=values or None).bytes(), name)


class Handler(BaseHTTPRequestHandler):
    """Answers the requests of ClickHouse's HTTP interface."""

    protocol_version = "HTTP/1.1"
    engine: Engine
    password: str

    def do_GET(self) -> None:
        if urlsplit(self.path).path == "/ping":
            self._send(200, b"Ok.\n")
        else:
            self.do_POST()

    def do_POST(self) -> None:
        body = self._body()
        options = dict(parse_qsl(urlsplit(self.path).query, keep_blank_values=True))
        if self.headers.get_content_type() == "multipart/form-data":  # a statement with many bound values
            options |= _form(self.headers["Content-Type"], body)
            body = b""
        user, password = self._credentials(options)
        if password != self.password:
            self._fail(403, _WRONG_PASSWORD, f"{user}: Authentication failed: password is incorrect. (AUTHENTICATION_FAILED)")
            return
        if named := self.headers.get("X-ClickHouse-Database"):
            options.setdefault("database", named)
        if options.get("database") == "__default__":
            del options["database"]
        try:
            answer = self.engine.run(options.get("query", ""), body, options, may_write=user != READER)
        except Exception as error:  # noqa: BLE001  # chDB has no type of its own
            code = _CODE.search(str(error))
            self._fail(500, code[1] if code else _UNKNOWN, str(error).partition("DB::Exception: ")[2] or str(error))
        else:
            self._send(200, answer.data, answer.format, options.get("query_id", ""))

    def _credentials(self, options: dict[str, str]) -> tuple[str, str]:
        import base64

        scheme, _, given = (self.headers.get("Authorization") or "").partition(" ")
        if scheme.lower() == "basic":
            user, _, password = base64.b64decode(given).decode().partition(":")
            return user, password
        user = self.headers.get("X-ClickHouse-User") or options.get("user", "default")
        return user, self.headers.get("X-ClickHouse-Key") or options.get("password", "")

    def _body(self) -> bytes:
        if self.headers.get("Transfer-Encoding") == "chunked":
            parts = []
            while size := int(self.rfile.readline().split(b";")[0], 16):
                parts.append(self.rfile.read(size))
                self.rfile.readline()
            self.rfile.readline()
            data = b"".join(parts)
        else:
            data = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        return gzip.decompress(data) if self.headers.get("Content-Encoding") == "gzip" else data

    def _fail(self, status: int, code: str, message: str) -> None:
        text = f"Code: {code}. DB::Exception: {message}"
        self._send(status, text.encode(), headers={"X-ClickHouse-Exception-Code": code})

    def _send(
        self, status: int, data: bytes, name: str = "TabSeparated", query_id: str = "", headers: dict[str, str] | None = None
    ) -> None:
        self.send_response(status)
        self.send_header("X-ClickHouse-Query-Id", query_id or str(uuid.uuid4()))
        self.send_header("X-ClickHouse-Format", name)
        self.send_header("X-ClickHouse-Timezone", "UTC")
        self.send_header("X-ClickHouse-Summary", "{}")
        for key, value in (headers or {}).items():
            self.send_header(key, value)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_: object) -> None: ...


def _form(content_type: str, body: bytes) -> dict[str, str]:
    """The fields of a form."""
    form = email.message_from_bytes(f"Content-Type: {content_type}\r\n\r\n".encode() + body)
    parts = [part for part in form.walk() if not part.is_multipart()]
    return {str(part.get_param("name", header="content-disposition")): _text(part) for part in parts}


def _text(part: Message) -> str:
    content = part.get_payload(decode=True)
    assert isinstance(content, bytes)
    return content.decode()


class Server(ThreadingHTTPServer):
    """One thread a connection; a collector opens many at once."""

    daemon_threads = True
    request_queue_size = 256


def main() -> None:
    """Serve until stdin ends, so that no engine outlives its test, however that ends."""
    directory, port, Handler.password = sys.argv[1:]
    Handler.engine = Engine(directory)
    server = Server(("127.0.0.1", int(port)), Handler)
    print(server.server_port, flush=True)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    sys.stdin.read()
    os._exit(0)  # chDB's threads would take seconds to end


if __name__ == "__main__":
    main()
