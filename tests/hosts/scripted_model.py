"""A model that says what a test tells it to, on loopback: enough of the Messages API for Claude Code to work with.

Each request that offers tools is one turn of the agent and gets the next line of the script; what the agent told the model
until then (results of tools, reasons, context) stands in `requests`.
"""

from __future__ import annotations

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    from collections.abc import Iterable

    Block = dict[str, Any]

NOTHING_LEFT = "nothing is left to say"


def say(text: str) -> Block:
    """A line of the script: the model speaks, and so wants to stop."""
    return {"type": "text", "text": text}


def use(tool: str, **arguments: object) -> Block:
    """A line of the script: the model calls a tool."""
    return {"type": "tool_use", "name": tool, "input": arguments}


def bash(command: str) -> Block:
    """The model calls Claude Code's shell."""
    return use("Bash", command=command, description="a step")


class ScriptedModel:
    """Listens while it is entered; `url` is where."""

    def __init__(self, *script: Block) -> None:
        self.requests: list[dict[str, Any]] = []
        self._script = list(script)
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
        """All that the agent told the model since it began, as one text."""
        return "\n".join(_texts(self.requests[-1]["messages"])) if self.requests else ""

    def next_line(self, request: dict[str, Any]) -> Block:
        """The answer to a request; side errands, like a title for the session, offer no tools and get nothing of the script."""
        with self._lock:
            if not request.get("tools"):
                return say(NOTHING_LEFT)
            self.requests.append(request)
            line = self._script.pop(0) if self._script else say(NOTHING_LEFT)
            return line | ({"id": f"toolu_{len(self.requests)}"} if line["type"] == "tool_use" else {})

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        model = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                request = json.loads(self.rfile.read(int(self.headers["content-length"] or 0)) or b"{}")
                if not self.path.startswith("/v1/messages") or "count_tokens" in self.path:
                    self._send("application/json", json.dumps({"input_tokens": 1}))
                    return
                line = model.next_line(request)
                if request.get("stream"):
                    self._send("text/event-stream", "".join(_events(line, request)))
                else:
                    self._send("application/json", json.dumps(_message(request) | {"content": [line], **_end(line)}))

            def do_GET(self) -> None:
                self._send("application/json", "{}")

            def _send(self, kind: str, body: str) -> None:
                self.send_response(200)
                self.send_header("content-type", kind)
                self.send_header("content-length", str(len(body.encode())))
                self.end_headers()
                self.wfile.write(body.encode())

            def log_message(self, *_arguments: object) -> None:
                """The test's output is no place for it."""

        return Handler


def _message(request: dict[str, Any]) -> dict[str, Any]:
    usage = {"input_tokens": 1, "output_tokens": 1}
    head = {"id": "msg_1", "type": "message", "role": "assistant", "model": request.get("model", "")}
    return {**head, "content": [], "stop_reason": None, "stop_sequence": None, "usage": usage}


def _end(line: Block) -> dict[str, Any]:
    return {"stop_reason": "tool_use" if line["type"] == "tool_use" else "end_turn", "stop_sequence": None}


def _events(line: Block, request: dict[str, Any]) -> Iterable[str]:
    """One answer as the stream of events that it is sent in."""
    if line["type"] == "tool_use":
        begin: Block = {**line, "input": {}}
        delta = {"type": "input_json_delta", "partial_json": json.dumps(line["input"])}
    else:
        begin, delta = say(""), {"type": "text_delta", "text": line["text"]}
    steps: list[dict[str, Any]] = [
        {"type": "message_start", "message": _message(request)},
        {"type": "content_block_start", "index": 0, "content_block": begin},
        {"type": "content_block_delta", "index": 0, "delta": delta},
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": _end(line), "usage": {"output_tokens": 1}},
        {"type": "message_stop"},
    ]
    return (f"event: {step['type']}\ndata: {json.dumps(step)}\n\n" for step in steps)


def _texts(value: Any) -> Iterable[str]:
    """Every text inside messages."""
    if isinstance(value, str):
        yield value
    for one in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from _texts(one)
