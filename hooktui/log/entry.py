"""A dispatch as the plain rows that the log stores and the spool holds: redacted, capped, ready for SQLite and JSON alike."""

from __future__ import annotations

from hooktui import quick_json
from hooktui.redact import redact

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from hooktui.model import Dispatch, Hook, Run

_END = 65536  # characters kept of each end of a payload (contract.md: 64 KiB head, 64 KiB tail)
# States from good to bad; a dispatch shows its worst.
_STATES = ("", "would-run", "ok", "started", "invalid-output", "failed", "timeout", "interrupted")
FAILURES = ("failed", "timeout", "invalid-output")


def of_dispatch(dispatch: Dispatch, secrets: Sequence[str]) -> dict[str, Any]:
    """Everything to store of one dispatch. `secrets` are the user's own patterns, beside the built-in ones."""
    event = dispatch.event
    ran = [run for run in dispatch.runs if run.state not in ("skipped", "would-run")]
    return {
        "kind": "dispatch",
        "session": {"name": event.session_id, "host": event.host, "project": dispatch.project},
        "dispatch": {
            "id": dispatch.id,
            "event": event.name,
            "tool": event.tool_name,
            "decision": dispatch.decision,
            "state": max((run.state for run in ran), key=_STATES.index, default=""),
            "ran": "\n".join(run.hook.name for run in ran),
            "reason": dispatch.reason and redact(dispatch.reason, secrets),
            "duration_ms": dispatch.duration_ms,
            "synthetic": int(dispatch.synthetic),
        },
        "payload": capped(_redacted_json(event.payload, secrets) or "{}"),
        "effects": _redacted_json(_effects_of_dispatch(dispatch), secrets),
        "runs": [of_run(run, dispatch.id, position, secrets) for position, run in enumerate(dispatch.runs)],
    }


def of_end(run: Run, dispatch_id: int, position: int, secrets: Sequence[str]) -> dict[str, Any]:
    """The end of an async run, which its dispatch did not wait for."""
    return {"kind": "end", "run": of_run(run, dispatch_id, position, secrets)}


def of_run(run: Run, dispatch_id: int, position: int, secrets: Sequence[str]) -> dict[str, Any]:
    """The row of one run, with the version of the hook it belongs to."""
    said = run.outcome
    return {
        "id": run.id,
        "dispatch": dispatch_id,
        "hook": _version(run.hook),
        "position": position,
        "state": run.state,
        "skip": run.skip,
        "why": redact(run.why, secrets),
        "decision": said.decision,
        "via": said.via,
        "reason": said.reason and redact(said.reason, secrets),
        "exit_code": run.exit_code,
        "signal": run.signal,
        "started_ms": run.started_ms,
        "duration_ms": run.duration_ms,
        "stdout": redact(run.stdout, secrets),
        "stderr": redact(run.stderr, secrets),
        "truncated": int(run.truncated),
        "effects": _redacted_json(_effects_of_run(run), secrets),
    }


def capped(text: str) -> str:
    """The first and last 64 KiB of a long text."""
    return text if len(text) <= 2 * _END else f"{text[:_END]}\n… {len(text) - 2 * _END} characters left out …\n{text[-_END:]}"


def _version(hook: Hook) -> dict[str, Any]:
    return {
        "version": hook.version,
        "key": hook.id,
        "name": hook.name,
        "format": hook.format,
        "scope": hook.scope,
        "file": hook.file,
        "line": hook.line,
        "event": hook.event,
        "text": hook.text,
    }


def _effects_of_dispatch(dispatch: Dispatch) -> dict[str, Any]:
    effects = {
        "modified_input": dispatch.modified_input,
        "additional_context": dispatch.additional_context,
        "system_messages": dispatch.system_messages,
        "log": dispatch.logs,
        "warnings": dispatch.warnings,
    }
    return {name: value for name, value in effects.items() if value not in (None, ())}


def _effects_of_run(run: Run) -> dict[str, Any]:
    said = run.outcome
    effects = {
        "modified_input": said.modified_input,
        "additional_context": said.additional_context,
        "system_message": said.system_message,
        "log": said.log,
        "problems": said.problems,
    }
    return {name: value for name, value in effects.items() if value not in (None, ())}


def _redacted_json(value: Any, secrets: Sequence[str]) -> str | None:
    return redact(quick_json.dumps(value, ascii_only=False), secrets) if value else None
