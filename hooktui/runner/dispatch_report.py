"""The JSON report of a dispatch (contract.md, "Report"). Fields may be added, never renamed or removed."""

from __future__ import annotations

from hooktui.core import ids
from hooktui.runner.redaction import capped

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hooktui.core.model import Dispatch, Origin, Run
    from hooktui.core.report import DispatchReport, RunReport


def report_json(dispatch: Dispatch) -> DispatchReport:
    """The report of one dispatch."""
    event = dispatch.event
    return {
        "id": ids.text(dispatch.id),
        "event": event.name,
        "host": event.host,
        "session_id": event.session_id,
        "project": dispatch.project,
        "tool_name": event.tool_name,
        "decision": dispatch.decision,
        "effect": dispatch.effect,
        "origin": dispatch.origin,
        "overruled": False,  # known when the call has a result
        "reason": dispatch.reason,
        "modified_input": dispatch.modified_input,
        "additional_context": list(dispatch.additional_context),
        "system_messages": list(dispatch.system_messages),
        "log": list(dispatch.logs),
        "warnings": list(dispatch.warnings),
        "duration_ms": round(dispatch.duration_ms, 3),
        "synthetic": dispatch.synthetic,
        "hooks": [_run_json(run, dispatch.origin) for run in dispatch.runs],
    }


def _run_json(run: Run, origin: Origin) -> RunReport:
    hook, outcome = run.hook, run.outcome
    return {
        "id": hook.identity,
        "name": hook.name,
        "label": hook.label,
        "version": hook.content,
        "origin": origin,
        "format": hook.format,
        "scope": hook.scope,
        "file": hook.file,
        "line": hook.line,
        "state": run.state,
        "skip": run.skip,
        "why": run.why,
        "decision": outcome.decision,
        "via": outcome.via,
        "reason": outcome.reason,
        "exit_code": run.exit_code,
        "signal": run.signal,
        "started_ms": round(run.started_ms, 3),
        "duration_ms": round(run.duration_ms, 3),
        "stdout": capped(run.stdout),
        "stderr": capped(run.stderr),
        "truncated": run.truncated,
        "modified_input": outcome.modified_input,
        "additional_context": outcome.additional_context,
        "system_message": outcome.system_message,
        "log": outcome.log,
        "problems": list(outcome.problems),
    }
