"""A model on loopback that answers from a test's script, with enough of a model's interface for an agent program.

Each request that offers tools is one turn of the agent and gets the next line of the script. `requests` has everything that
the agent sent: results of tools, reasons, context.
"""

from __future__ import annotations

import json
import re
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any, Self

from tests.hosts.protocols import Messages

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tests.hosts.protocols import Api, Block

_COUNTS = re.compile("count_?[tT]okens")
NOTHING_LEFT = "nothing is left to say"


def say(text: str) -> Block:
    """A line of the script: the model answers with text, and so wants to stop."""
    return {"type": "text", "text": text}


def use(tool: str, **arguments: object) -> Block:
    """A line of the script: the model calls a tool."""
    return {"type": "tool_use", "name": tool, "input": arguments}


def bash(command: str) -> Block:
    """The model calls Claude Code's shell."""
    return use("Bash", command=command, description="a step")


class ScriptedModel:
    """A context manager that listens at `url`."""

    def __init__(self, *script: Block, api: Api | None = None) -> None:
        self.requests: list[dict[str, Any]] = []
        self.arrivals: list[float] = []  # of each request, in seconds of a monotonic clock
        self._script = list(script)
        self._api = api or Messages()
        self._lock = threading.Lock()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self.url = f"http://127.0.0.1:{self._server.server_port}"

    def __enter__(self) -> Self:
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_exception: object) -> None:
        self._server.shutdown()
        self._server.server_close()

    def heard(self) -> str:
        """Everything that the agent sent to the model, as one text."""
        return "\n".join(_texts(self.requests[-1][self._api.conversation])) if self.requests else ""

    def next_line(self, request: dict[str, Any]) -> Block:
        """The answer to a request; side requests, such as one for a session title, offer no tools and use no line."""
        with self._lock:
            if not request.get("tools"):
                return say(NOTHING_LEFT)
            self.requests.append(request)
            self.arrivals.append(time.perf_counter())
            line = self._script.pop(0) if self._script else say(NOTHING_LEFT)
            return line | ({"id": f"toolu_{len(self.requests)}"} if line["type"] == "tool_use" else {})

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        model, api = self, self._api

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                request = json.loads(self.rfile.read(int(self.headers["content-length"] or 0)) or b"{}")
                if not self.path.startswith(api.path) or _COUNTS.search(self.path):
                    self._send("application/json", json.dumps({"input_tokens": 1, "totalTokens": 1}))
                    return
                line = model.next_line(request)
                if request.get("stream") or ":stream" in self.path:
                    self._send("text/event-stream", "".join(api.stream(line, request)))
                else:
                    self._send("application/json", json.dumps(api.whole(line, request)))

            def do_GET(self) -> None:
                self._send("application/json", "{}")

            def _send(self, kind: str, body: str) -> None:
                self.send_response(200)
                self.send_header("content-type", kind)
                self.send_header("content-length", str(len(body.encode())))
                self.end_headers()
                self.wfile.write(body.encode())

            def log_message(self, *_arguments: object) -> None:
                """Keep the test's output clean."""

        return Handler


def _texts(value: Any) -> Iterable[str]:
    """Every text inside messages."""
    if isinstance(value, str):
        yield value
    for item in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from _texts(item)
