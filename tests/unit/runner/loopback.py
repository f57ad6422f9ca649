"""A real HTTP server on this machine that gives prepared answers and records requests."""

from __future__ import annotations

import json
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self


@dataclass(frozen=True, slots=True)
class Asked:
    """One request; header names in lower case."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: Any


@dataclass(slots=True)
class Loopback:
    """Answers every request with `status`, `headers` and `body`; after `release` is set, when `silent`."""

    body: bytes | str = ""
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    silent: bool = False
    cut: bool = False  # promise more bytes than are sent
    asked: list[Asked] = field(default_factory=list)
    release: threading.Event = field(default_factory=threading.Event)
    _server: ThreadingHTTPServer = field(init=False)

    def __enter__(self) -> Self:
        loopback = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:  # the name that http.server calls
                loopback._serve(self)

            do_GET = do_POST  # noqa: N815

            def log_message(self, *_: object) -> None:
                """Keep the tests' stderr clean."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True).start()
        return self

    def __exit__(self, *_exception: object) -> None:
        self.release.set()
        self._server.shutdown()
        self._server.server_close()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}"

    def _serve(self, request: BaseHTTPRequestHandler) -> None:
        content = request.rfile.read(int(request.headers.get("Content-Length", 0)))
        headers = {name.lower(): value for name, value in request.headers.items()}
        self.asked.append(Asked(request.command, request.path, headers, json.loads(content) if content else None))
        if self.silent:
            self.release.wait(30)
            return
        body = self.body.encode() if isinstance(self.body, str) else self.body
        request.send_response(self.status)
        for name, value in {"Content-Length": str(len(body) + (10 if self.cut else 0)), **self.headers}.items():
            request.send_header(name, value)
        request.end_headers()
        try:
            request.wfile.write(body)
        except (BrokenPipeError, ConnectionResetError):
            return  # the client has closed the connection
