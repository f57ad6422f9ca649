"""Hosts that follow Claude Code's JSON protocol (formats.md §3), each in its own way."""

from __future__ import annotations

from hooktui.hosts.base import Host
from hooktui.hosts.shared import json_protocol

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hooktui.core.model import Event, Hook
    from hooktui.hosts.shared.interpretation import Ended, RunResult


_CONNECT_TIMEOUT_MS = 900_000  # hooktui holds each hook to its own limit; 1000 s would look like milliseconds


class JsonHost(Host):
    """A host that sends Claude Code's payloads, and reads answers in the words that `json_answers` knows."""

    def connect_entry(self, command: str, event_as_written: str) -> dict[str, Any]:
        entry = {"type": "command", "command": command, "timeout": _CONNECT_TIMEOUT_MS // self.entry.unit_ms}
        # For the matcher "" Copilot CLI drops all of Claude Code's file.
        return {"matcher": "*", "hooks": [entry]} if self.entry.shape == "groups" else entry

    def read_payload(self, payload: dict[str, Any], given: str | None, now: str) -> Event:
        return json_protocol.read(self, payload, given, now)

    def hook_stdin(self, hook: Hook, event: Event) -> dict[str, Any]:
        from hooktui.hosts.shared import json_stdin  # when a hook runs

        return json_stdin.snake_case(self, hook, event)

    def interpret(self, hook: Hook, event: Event, ended: Ended) -> RunResult:
        from hooktui.hosts.shared import json_interpretation

        return json_interpretation.interpret(self, hook, event, ended)
