"""Protocols of a scripted model: Anthropic's Messages for Claude Code, OpenAI's Chat Completions for Copilot CLI and others,
Responses for Codex CLI, Google's for Gemini CLI."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterable

    Block = dict[str, Any]
    Json = dict[str, Any]


class Api(Protocol):
    """A protocol: the path of its requests, the key of the conversation in them, and one answer, complete or as a stream of
    server-sent events."""

    path: str
    conversation: str

    def whole(self, line: Block, request: Json) -> Json: ...
    def stream(self, line: Block, request: Json) -> Iterable[str]: ...


class Messages:
    """Anthropic's Messages."""

    path = "/v1/messages"
    conversation = "messages"

    def whole(self, line: Block, request: Json) -> Json:
        return _message(request) | {"content": [line], **_end(line)}

    def stream(self, line: Block, request: Json) -> Iterable[str]:
        if line["type"] == "tool_use":
            begin: Block = {**line, "input": {}}
            delta = {"type": "input_json_delta", "partial_json": json.dumps(line["input"])}
        else:
            begin, delta = {"type": "text", "text": ""}, {"type": "text_delta", "text": line["text"]}
        steps: list[Json] = [
            {"type": "message_start", "message": _message(request)},
            {"type": "content_block_start", "index": 0, "content_block": begin},
            {"type": "content_block_delta", "index": 0, "delta": delta},
            {"type": "content_block_stop", "index": 0},
            {"type": "message_delta", "delta": _end(line), "usage": {"output_tokens": 1}},
            {"type": "message_stop"},
        ]
        return (f"event: {step['type']}\ndata: {json.dumps(step)}\n\n" for step in steps)


def _message(request: Json) -> Json:
    usage = {"input_tokens": 1, "output_tokens": 1}
    head = {"id": "msg_1", "type": "message", "role": "assistant", "model": request.get("model", "")}
    return {**head, "content": [], "stop_reason": None, "stop_sequence": None, "usage": usage}


def _end(line: Block) -> Json:
    return {"stop_reason": "tool_use" if line["type"] == "tool_use" else "end_turn", "stop_sequence": None}


class ChatCompletions:
    """OpenAI's Chat Completions."""

    path = "/v1/chat/completions"
    conversation = "messages"

    def whole(self, line: Block, request: Json) -> Json:
        return _completion(request, "chat.completion", {"message": _turn(line)}, _finish(line))

    def stream(self, line: Block, request: Json) -> Iterable[str]:
        turn = _turn(line)
        for number, call in enumerate(turn.get("tool_calls", ())):
            call["index"] = number
        chunks = [
            _completion(request, "chat.completion.chunk", {"delta": turn}, None),
            _completion(request, "chat.completion.chunk", {"delta": {}}, _finish(line)),
        ]
        yield from (f"data: {json.dumps(chunk)}\n\n" for chunk in chunks)
        yield "data: [DONE]\n\n"


def _turn(line: Block) -> Json:
    if line["type"] == "text":
        return {"role": "assistant", "content": line["text"]}
    function = {"name": line["name"], "arguments": json.dumps(line["input"])}
    return {"role": "assistant", "content": None, "tool_calls": [{"id": line["id"], "type": "function", "function": function}]}


def _finish(line: Block) -> str:
    return "tool_calls" if line["type"] == "tool_use" else "stop"


def _completion(request: Json, kind: str, turn: Json, finish: str | None) -> Json:
    choice = {"index": 0, "finish_reason": finish, **turn}
    usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
    return {
        "id": "chat_1",
        "object": kind,
        "created": 0,
        "model": request.get("model", ""),
        "choices": [choice],
        "usage": usage,
    }


class Responses:
    """OpenAI's Responses."""

    path = "/v1/responses"
    conversation = "input"

    def whole(self, line: Block, request: Json) -> Json:
        return _response(request, "completed", [_item(line)])

    def stream(self, line: Block, request: Json) -> Iterable[str]:
        item = _item(line)
        steps: list[Json] = [
            {"type": "response.created", "response": _response(request, "in_progress", [])},
            {"type": "response.output_item.added", "output_index": 0, "item": item},
            {"type": "response.output_item.done", "output_index": 0, "item": item},
            {"type": "response.completed", "response": self.whole(line, request)},
        ]
        return (f"event: {step['type']}\ndata: {json.dumps(step)}\n\n" for step in steps)


def _item(line: Block) -> Json:
    if line["type"] == "text":
        content = [{"type": "output_text", "text": line["text"], "annotations": []}]
        return {"type": "message", "id": "msg_1", "role": "assistant", "status": "completed", "content": content}
    arguments = json.dumps(line["input"])
    call = {"call_id": line["id"], "name": line["name"], "arguments": arguments, "status": "completed"}
    return {"type": "function_call", "id": f"fc_{line['id']}", **call}


def _response(request: Json, status: str, output: list[Json]) -> Json:
    head = {"id": "resp_1", "object": "response", "created_at": 0, "status": status, "model": request.get("model", "")}
    return {**head, "output": output, "usage": {"input_tokens": 1, "output_tokens": 1, "total_tokens": 2}}


class GenerateContent:
    """Google's Gemini API, which names the model and the method in the path."""

    path = "/v1beta/models/"
    conversation = "contents"

    def whole(self, line: Block, request: Json) -> Json:
        if line["type"] == "text":
            part: Json = {"text": line["text"]}
        else:
            part = {"functionCall": {"name": line["name"], "args": line["input"]}}
        usage = {"promptTokenCount": 1, "candidatesTokenCount": 1, "totalTokenCount": 2}
        candidate = {"content": {"role": "model", "parts": [part]}, "finishReason": "STOP", "index": 0}
        return {"candidates": [candidate], "usageMetadata": usage, "modelVersion": "scripted"}

    def stream(self, line: Block, request: Json) -> Iterable[str]:
        return (f"data: {json.dumps(self.whole(line, request))}\n\n",)
