"""A dispatch as the plain rows that the log stores and the spool holds: redacted, capped, ready for SQLite and JSON alike."""

from __future__ import annotations

from hooktui.core import fast_json
from hooktui.security.redaction import CAP, kept, may_hold_secrets, redact, redacted_value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from hooktui.core.model import Dispatch, Hook, Run

    Naming = Callable[[Hook], dict[str, Any]]

# States from good to bad; a dispatch shows its worst.
_STATES = ("", "would-run", "ok", "started", "invalid-output", "failed", "timeout", "interrupted")
_LABEL = 500  # characters of an event's, a tool's or a session's name
_ROOM = 5 * CAP // 2  # characters of a payload: two long texts, and what stands beside them
FAILURES = ("failed", "timeout", "invalid-output")


def of_dispatch(dispatch: Dispatch, secrets: Sequence[str], named: Naming | None = None) -> dict[str, Any]:
    """Everything to store of one dispatch. `secrets` are the user's own patterns, beside the built-in ones.

    `named` tells the version of a hook, which is told in whole otherwise.
    """
    event = dispatch.event
    ran = [run for run in dispatch.runs if run.state not in ("skipped", "would-run")]
    return {
        "kind": "dispatch",
        "session": {
            "name": session_name(event.session_id, secrets),
            "host": event.host,
            "project": stored_name(dispatch.project, secrets),
        },
        "dispatch": {
            "id": dispatch.id,
            "event": _label(event.name, secrets),
            "tool": event.tool_name and _label(event.tool_name, secrets),
            "decision": dispatch.decision,
            "state": max((run.state for run in ran), key=_STATES.index, default=""),
            "ran": "\n".join(stored_name(run.hook.name, secrets) for run in ran),
            "reason": dispatch.reason and kept(dispatch.reason, secrets),
            "duration_ms": _real(dispatch.duration_ms),
            "synthetic": int(dispatch.synthetic),
        },
        "payload": stored_json(event.payload, secrets) or "{}",
        "effects": stored_json(_effects_of_dispatch(dispatch), secrets),
        "runs": [of_run(run, dispatch.id, position, secrets, named) for position, run in enumerate(dispatch.runs)],
    }


def session_name(session_id: str, secrets: Sequence[str]) -> str:
    """A session's name in the log: its id. One that must not be stored as it is stays apart from others."""
    label = _label(session_id, secrets)
    return label if label == session_id else _apart(label, session_id)


def stored_name(name: str, secrets: Sequence[str] = ()) -> str:
    """How the log names a hook, a file or a project, by which it is also looked up there.

    A path keeps what is no secret of it: what lies below a directory is still below it.
    """
    if redact(name, secrets) == name:
        return name
    parts = [(part, redact(part, secrets)) for part in name.split("/")]
    stored = "/".join(part if clean == part else _apart(clean, part) for part, clean in parts)
    whole = redact(stored, secrets)
    return stored if whole == stored else _apart(whole, name)


def _apart(clean: str, name: str) -> str:
    """What is left of a name, and a short hash of it: others of which as much is left stay others."""
    import hashlib  # 3 ms, and seldom

    return f"{clean} #{hashlib.sha256(name.encode(errors='surrogatepass')).hexdigest()[:8]}"


def _label(text: str, secrets: Sequence[str]) -> str:
    """A name as it is stored: redacted, and no longer than a list could show."""
    return redact(text, secrets)[:_LABEL]


def of_end(run: Run, dispatch_id: int, position: int, secrets: Sequence[str]) -> dict[str, Any]:
    """The end of an async run, which its dispatch did not wait for."""
    return {"kind": "end", "run": of_run(run, dispatch_id, position, secrets)}


def of_run(run: Run, dispatch_id: int, position: int, secrets: Sequence[str], named: Naming | None = None) -> dict[str, Any]:
    """The row of one run, with the version of the hook it belongs to."""
    said = run.outcome
    return {
        "id": run.id,
        "dispatch": dispatch_id,
        "hook": named(run.hook) if named else version(run.hook, secrets),
        "position": position,
        "state": run.state,
        "skip": run.skip,
        "why": redact(run.why, secrets),
        "decision": said.decision,
        "via": said.via,
        "reason": said.reason and kept(said.reason, secrets),
        "exit_code": run.exit_code,
        "signal": run.signal,
        "started_ms": _real(run.started_ms),
        "duration_ms": _real(run.duration_ms),
        "stdout": run.stdout and kept(run.stdout, secrets),
        "stderr": run.stderr and kept(run.stderr, secrets),
        "truncated": int(run.truncated),
        "effects": stored_json(_effects_of_run(run), secrets),
    }


def _real(number: float) -> float:
    """A number as SQLite gives it back: a float, and zero without a sign."""
    return number + 0.0


def version(hook: Hook, secrets: Sequence[str]) -> dict[str, Any]:
    """The version of a hook, in whole."""
    return {
        "version": hook.version,
        "key": stored_name(hook.id, secrets),
        "name": stored_name(hook.name, secrets),
        "format": hook.format,
        "scope": hook.scope,
        "file": stored_name(hook.file, secrets),
        "line": hook.line,
        "event": _label(hook.event, secrets),
        "text": redact(hook.full_text, secrets),
    }


def _effects_of_dispatch(dispatch: Dispatch) -> dict[str, Any]:
    effects = {
        "modified_input": dispatch.modified_input,
        "additional_context": dispatch.additional_context,
        "system_messages": dispatch.system_messages,
        "log": dispatch.logs,
        "warnings": dispatch.warnings,
    }
    return _there(effects)


def _effects_of_run(run: Run) -> dict[str, Any]:
    said = run.outcome
    effects = {
        "modified_input": said.modified_input,
        "additional_context": said.additional_context,
        "system_message": said.system_message,
        "log": said.log,
        "problems": said.problems,
    }
    return _there(effects)


def _there(effects: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in effects.items() if value is not None and value != ()}


def stored_json(value: Any, secrets: Sequence[str]) -> str | None:
    """A JSON value as text: its texts are redacted one by one and what is long is cut, so that it stays a JSON value."""
    if not value:
        return None
    text = fast_json.dumps(value, ascii_only=False)
    if len(text) <= CAP and not secrets and not may_hold_secrets(text):
        return text
    clean = redacted_value(value, secrets)
    text = fast_json.dumps(clean, ascii_only=False)
    if len(text) <= _ROOM:
        return text
    from hooktui.log.write.fitting import fitted  # seldom

    return fast_json.dumps(fitted(clean, _ROOM), ascii_only=False)
