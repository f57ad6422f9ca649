"""A transcript of Claude Code that a test writes line by line, as a session does."""

from __future__ import annotations

import copy
import json
import uuid
from datetime import UTC, datetime
from pathlib import Path
from typing import Any


class ClaudeTranscript:
    """The transcript of a session in a project; every record has the time at which it is written, or `at`."""

    at = 0.0  # seconds since 1970

    def __init__(self, home: Path, project: str, session: str) -> None:
        directory = home / ".claude/projects" / project.replace("/", "-")
        directory.mkdir(parents=True, exist_ok=True)
        self.path = directory / f"{session}.jsonl"
        self.session = session
        self._project = project

    def forked(self, session: str) -> ClaudeTranscript:
        """Another session that begins with a copy of this one, as `--fork-session` does."""
        fork = copy.copy(self)
        fork.session, fork.path = session, self.path.with_name(f"{session}.jsonl")
        fork.path.write_text(self.path.read_text().replace(f'"sessionId":"{self.session}"', f'"sessionId":"{session}"'))
        return fork

    def prompt(self, text: str) -> None:
        self._write("user", {"role": "user", "content": text}, promptId="p")

    def call(self, command: str, call: str = "", *, tool: str = "Bash") -> str:
        """Call the shell, or another tool with the same input; the id of the call."""
        call = call or f"toolu_{uuid.uuid4().hex}"
        block = {"type": "tool_use", "id": call, "name": tool, "input": {"command": command}}
        self._write("assistant", {"id": call, "role": "assistant", "content": [block], "stop_reason": "tool_use"})
        return call

    def result(self, call: str) -> None:
        """End a call."""
        block = {"type": "tool_result", "tool_use_id": call, "content": "ok"}
        self._write("user", {"role": "user", "content": [block]}, toolUseResult={"stdout": "ok", "stderr": ""})

    def failed(self, call: str, words: str) -> None:
        """End a call with an error."""
        block = {"type": "tool_result", "tool_use_id": call, "is_error": True, "content": words}
        self._write("user", {"role": "user", "content": [block]}, toolUseResult=f"Error: {words}")

    def denied(self, call: str, command: str, reason: str) -> None:
        """A hook, by its command, denies a call; "" if Claude does not name it."""
        named = f"[{command}]: " if command else ""
        self.refused(call, f"PreToolUse:Bash hook error: {named}{reason}\n", "hook:PreToolUse")

    def refused(self, call: str, words: str, code: str = "") -> None:
        """Claude refuses a call for a reason code; without one it is a mod that did, before anything else could."""
        block = {"type": "tool_result", "tool_use_id": call, "is_error": True, "content": words}
        decision = {"decision": "reject", "source": "hook", "reasonType": "hook", "reasonCode": code}
        told = {"toolDenialKind": "permission-rule", **({"permissionDecision": decision} if code else {})}
        self._write("user", {"role": "user", "content": [block]}, **told)

    def blocked_prompt(self, text: str, reason: str) -> None:
        """A hook denies a prompt."""
        words = f"UserPromptSubmit operation blocked by hook:\n{reason}\n\nOriginal prompt: {text}"
        self._write("system", {}, subtype="informational", content=words)

    def failed_hook(self, call: str, command: str) -> None:
        """A hook, by its command, fails before a call."""
        self._hook(call, command, type="hook_non_blocking_error", exitCode=1, stdout="", stderr="broken")

    def allowed(self, call: str, command: str) -> None:
        """A hook, by its command, permits a call and rewrites it."""
        answer = {"hookEventName": "PreToolUse", "permissionDecision": "allow", "updatedInput": {"command": "true"}}
        self._hook(call, command, type="hook_success", exitCode=0, stdout=json.dumps({"hookSpecificOutput": answer}), stderr="")

    def _hook(self, call: str, command: str, **ended: object) -> None:
        told = {"hookEvent": "PreToolUse", "hookName": "PreToolUse:Bash", "toolUseID": call, "command": command}
        self._write("attachment", {}, attachment={**told, **ended, "durationMs": 7})

    def stop_summary(self, *commands: str) -> None:
        """Claude names all hooks of a stop, as newer versions do."""
        infos = [{"command": command, "durationMs": 7} for command in commands]
        self._write("system", {}, subtype="stop_hook_summary", hookInfos=infos, preventedContinuation=False)

    def note(self, text: str) -> None:
        """Claude tells the person something."""
        self._write("system", {}, subtype="informational", content=text, level="warning")

    def meta(self, text: str) -> None:
        """Claude tells the model something in the person's name."""
        self._write("user", {"role": "user", "content": text}, isMeta=True)

    def stopped(self, text: str = "all done") -> None:
        """The agent ends its turn."""
        block = {"type": "text", "text": text}
        self._write("assistant", {"id": uuid.uuid4().hex, "role": "assistant", "content": [block], "stop_reason": "end_turn"})

    def _write(self, kind: str, message: dict[str, Any], **more: Any) -> None:
        at = datetime.fromtimestamp(self.at, UTC) if self.at else datetime.now(UTC)
        record = {
            "parentUuid": None,
            "isSidechain": False,
            "cwd": self._project,
            "sessionId": self.session,
            "version": "2.1.330",
            "type": kind,
            "uuid": str(uuid.uuid4()),
            "timestamp": at.isoformat(timespec="milliseconds"),
            "message": message,
            **more,
        }
        with self.path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(record, separators=(",", ":")) + "\n")
