"""An OTLP/HTTP receiver on loopback that keeps what it gets, and answers as it is told to."""

from __future__ import annotations

import gzip
import ssl
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self

from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest, ExportLogsServiceResponse

PROTOBUF = "application/x-protobuf"


@dataclass(frozen=True, slots=True)
class Answer:
    """What the receiver says to a request; with a status of 200 it keeps the records.

    `content` replaces a collector's body. `endless` is sent each tenth of a second in place of one, for as long as somebody
    reads.
    """

    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    rejected: int = 0
    message: str = ""
    content_type: str = PROTOBUF
    content: bytes = b""
    endless: bytes = b""

    @property
    def body(self) -> bytes:
        response = ExportLogsServiceResponse()
        if self.rejected:
            response.partial_success.rejected_log_records = self.rejected
            response.partial_success.error_message = self.message
        return self.content or bytes(response.SerializeToString())


@dataclass(frozen=True, slots=True)
class Received:
    """A log record as it arrived."""

    name: str
    body: str
    attributes: Mapping[str, str]
    resource: Mapping[str, str]
    severity: str
    time_ns: int

    @property
    def seq(self) -> int:
        return int(self.attributes["hooktui.seq"])

    @property
    def key(self) -> tuple[str, str]:
        return self.resource["service.instance.id"], self.attributes["hooktui.id"]


@dataclass(slots=True)
class Request:
    """A request: its headers, its bytes after decompression, and its records."""

    headers: Mapping[str, str]
    content: bytes
    records: list[Received]


class Receiver:
    """Serves from `with` on. `answers` are given first, one for each request; then every request succeeds."""

    def __init__(self, tls: ssl.SSLContext | None = None) -> None:
        self.requests: list[Request] = []
        self.answers: list[Answer] = []
        self.largest: int | None = None  # bytes of a request, above which the answer is 413
        self.on_request: Callable[[], None] = lambda: None  # called before and after each answer
        self._server = _Server(("127.0.0.1", 0), _handler(self))
        if tls is not None:
            self._server.socket = tls.wrap_socket(self._server.socket, server_side=True, do_handshake_on_connect=False)
        self._scheme = "https" if tls else "http"
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    @property
    def url(self) -> str:
        return f"{self._scheme}://127.0.0.1:{self._server.server_port}"

    @property
    def records(self) -> list[Received]:
        """All records that were taken, in the order of arrival."""
        return [record for request in self.requests for record in request.records]

    def of(self, name: str = "hooktui.dispatch") -> list[Received]:
        """The records of one kind."""
        return [record for record in self.records if record.name == name]

    @property
    def wire(self) -> bytes:
        """Every byte of every request, headers included."""
        return b"\n".join(repr(dict(request.headers)).encode() + request.content for request in self.requests)

    def take(self, headers: Mapping[str, str], content: bytes) -> Answer:
        """Keep a request; what to answer."""
        if self.largest is not None and len(content) > self.largest:
            return Answer(413)
        answer = self.answers.pop(0) if self.answers else Answer()
        records = list(_records(content)) if answer.status == 200 else []
        self.requests.append(Request(headers, content, records[: len(records) - answer.rejected]))
        return answer


class _Server(ThreadingHTTPServer):
    def handle_error(self, request: object, client_address: object) -> None:
        """A client that hangs up, or whose handshake fails, is no fault of the test."""


def _records(content: bytes) -> Iterator[Received]:
    for group in ExportLogsServiceRequest.FromString(content).resource_logs:
        resource = _strings(group.resource.attributes)
        for scope in group.scope_logs:
            assert scope.scope.name == "hooktui"
            for record in scope.log_records:
                yield Received(
                    name=record.event_name,
                    body=record.body.string_value,
                    attributes=_strings(record.attributes),
                    resource=resource,
                    severity=record.severity_text,
                    time_ns=record.time_unix_nano,
                )


def _strings(attributes: Any) -> dict[str, str]:
    assert all(attribute.value.HasField("string_value") for attribute in attributes)
    return {attribute.key: attribute.value.string_value for attribute in attributes}


def _handler(receiver: Receiver) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:  # the name that http.server calls
            content = self.rfile.read(int(self.headers["content-length"]))
            if self.headers.get("content-encoding") == "gzip":
                content = gzip.decompress(content)
            receiver.on_request()
            answer = receiver.take({name.lower(): value for name, value in self.headers.items()}, content)
            body = answer.body
            length = {} if answer.endless else {"content-length": str(len(body))}
            self.send_response(answer.status)
            for name, value in {
                "content-type": answer.content_type,
                **length,
                **answer.headers,
            }.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)
            while answer.endless:
                self.wfile.write(answer.endless)
                time.sleep(0.1)
            receiver.on_request()

        def log_message(self, format: str, *arguments: object) -> None:  # noqa: A002  # as http.server names it
            return

    return Handler
