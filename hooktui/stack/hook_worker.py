"""Run the hooks on disk for a Python agent: `python -I -m hooktui.stack.hook_worker`, JSON on stdin and stdout.

An agent's process has threads and must not fork (docs/decisions/0013-stack-in-process.md). The worker uses the
engine of `hooktui run`; the agent records the decision together with those of its own hooks.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from hooktui.catalog.hook_files import CatalogFiles
from hooktui.core import fast_json
from hooktui.core import project as projects
from hooktui.core.hook_sources import decode_source, encode_source
from hooktui.core.model import Event, Hook, Outcome, Run
from hooktui.runner import interruption, pipeline, skip_notices
from hooktui.runner.journal.recorder import SpoolRecorder

# The fields of a hook that the log stores.
_LOGGED_FIELDS = (
    "id", "name", "event", "event_as_written", "format", "scope", "file", "line", "text", "scripts_text", "version",
    "identity", "label",
)  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class LogTarget:
    """The dispatch in the agent's log that the runs belong to, and the position of the first run."""

    db: str
    id: int
    position: int


@dataclass(frozen=True, kw_only=True)
class WorkerRequest:
    """An event for the hooks of a project. `denials`: consecutive denials of the gate. `log_target` None records nothing."""

    event: Event
    project: str
    denials: int = 0
    log_target: LogTarget | None = None


@dataclass(frozen=True, kw_only=True)
class WorkerResponse:
    """The decision of the hooks, as in a Dispatch. A response that lacks its decision is an error, not a "none"."""

    decision: str
    reason: str | None
    modified_input: Mapping[str, Any] | None
    runs: tuple[Run, ...] = ()
    additional_context: tuple[str, ...] = ()
    system_messages: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()


def decide(request: WorkerRequest) -> WorkerResponse:
    """Run the hooks that listen to the event; async hooks record their end themselves."""
    compiled = pipeline.compiled(CatalogFiles, request.project, ())
    target = request.log_target

    recorder = SpoolRecorder(target.db, compiled.settings.redact) if target else None

    def on_async_start(run: Run, _id: int, position: int) -> None:
        if target and recorder:
            recorder.watch(run, target.id, target.position + position)

    def on_async_end(run: Run, _id: int, position: int) -> None:
        if target and recorder:
            recorder.hand_over(run, target.id, target.position + position)

    context = pipeline.dispatch_context(
        projects.root(request.project),
        compiled.hooks,
        compiled.settings,
        CatalogFiles,
        denials_in_a_row=lambda: request.denials,
        on_async_end=on_async_end,
        on_async_start=on_async_start,
    )
    done = pipeline.decide(request.event, compiled.hooks, context)
    trouble = (compiled.trouble,) if compiled.trouble else ()
    notices = skip_notices.notices(skip_notices.skipped_guards(done))
    response = WorkerResponse(**{name: getattr(done, name) for name in WorkerResponse.__annotations__})
    return replace(response, warnings=(*trouble, *notices, *done.warnings))


def request_json(request: WorkerRequest) -> bytes:
    """Serialize a request for the worker's stdin."""
    target = request.log_target and vars(request.log_target)
    return fast_json.dumps({**vars(request), "event": request.event.as_dict(), "log_target": target}).encode()


def parse_response(text: bytes) -> WorkerResponse:
    """Parse the worker's stdout. Raises ValueError, LookupError or TypeError for anything else."""
    fields = fast_json.loads(text)
    runs = tuple(Run(**{**run, "hook": _hook(run["hook"]), "outcome": _outcome(run["outcome"])}) for run in fields["runs"])
    lists = {name: tuple(fields[name]) for name in ("additional_context", "system_messages", "warnings")}
    return WorkerResponse(**{**fields, **lists, "runs": runs})


def _hook(fields: dict[str, Any]) -> Hook:
    return Hook(**{**fields, "source": decode_source(fields["source"])})


def _outcome(fields: dict[str, Any]) -> Outcome:
    return Outcome(**{**fields, "problems": tuple(fields["problems"])})


def _run_json(run: Run) -> dict[str, Any]:
    hook = {name: getattr(run.hook, name) for name in _LOGGED_FIELDS} | {"source": encode_source(run.hook.source)}
    return {**run.as_dict(), "hook": hook, "outcome": run.outcome.as_dict()}


def main() -> None:
    """Answer the request on stdin."""
    fields = fast_json.loads(sys.stdin.buffer.read())
    interruption.handle_signals(*interruption.ENDING)
    target = LogTarget(**fields["log_target"]) if fields["log_target"] else None
    response = decide(WorkerRequest(**{**fields, "event": Event(**fields["event"]), "log_target": target}))
    sys.stdout.write(fast_json.dumps({**vars(response), "runs": [_run_json(run) for run in response.runs]}))


if __name__ == "__main__":
    main()
