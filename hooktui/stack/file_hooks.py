"""The hooks on disk as one hook of a stack, run by the engine of `hooktui run` in a separate process (formats.md §5)."""

from __future__ import annotations

import asyncio
import logging
from dataclasses import replace
from typing import Any

from hooktui.catalog.hook_files import CatalogFiles
from hooktui.config import worker_process
from hooktui.core import ids, paths
from hooktui.core.events import GATE
from hooktui.core.model import Event
from hooktui.core.settings import Settings
from hooktui.runner import pipeline
from hooktui.stack import hook_worker
from hooktui.stack.callbacks import CallNext
from hooktui.stack.contexts import HookContext, HookEvent, ToolHookContext
from hooktui.stack.event_payloads import event_of, metadata_texts
from hooktui.stack.hook_stack import NextCall
from hooktui.stack.hook_worker import LogTarget, WorkerRequest, WorkerResponse
from hooktui.stack.outcomes import HookOutcome
from hooktui.stack.recording import HookSpan, Recording

_FAILED_TOOL = "post-tool-call-failure"
_OUTCOMES = {"deny": HookOutcome.block, "ask": HookOutcome.block, "stop": HookOutcome.stop}
_LOG = logging.getLogger("hooktui")


class FileHooks:
    """Runs the user's and the project's hooks on disk that listen to an event.

    A denial blocks, and so does a hook that asks, since nobody can be asked. A rewritten input replaces the tool call's. Texts
    for the model and the user go into the context's metadata, as tuples under `additional_context` and `system_messages`. After
    a failed tool the hooks of `post-tool-call-failure` run. Project hooks need approval; warnings go to the logger "hooktui",
    each once. Cancelling the waiting task kills the hooks with their process groups. One object serves one session: it counts
    the denials of its gate.
    """

    def __init__(self, project: str, session_id: str | None = None) -> None:
        self.project = paths.canonical(project)
        self.session_id = session_id or f"python-{ids.text(ids.new())}"
        self._denials = 0
        self._warned: set[str] = set()

    async def handle(self, context: HookContext[Any], call_next: CallNext[Any]) -> HookOutcome[Any]:
        """Run the hooks on disk, then the rest of the chain unless they deny."""
        recording, span = _recording_of(call_next)
        event = self._event(context, recording)
        compiled = await asyncio.to_thread(pipeline.compiled, CatalogFiles, self.project, ())
        if context.event is HookEvent.EXECUTION_START:
            self._denials = 0
        if not pipeline.listening(compiled.hooks, event):
            if span:
                span.runs = ()
            return await call_next(context)
        target = LogTarget(db=recording.db, id=recording.number, position=len(recording.spans) - 1) if recording else None
        request = WorkerRequest(event=event, project=self.project, denials=self._denials, log_target=target)
        response = await _run_worker(request, compiled.settings)
        for warning in response.warnings:
            if warning not in self._warned:
                self._warned.add(warning)
                _LOG.warning("%s", warning)
        if span:
            span.runs, span.warnings = response.runs, response.warnings
        if event.name == GATE:
            self._denials = self._denials + 1 if response.decision in ("deny", "stop") else 0
        outcome = _OUTCOMES.get(response.decision)
        return outcome(response.reason or "no reason given") if outcome else await call_next(_rewritten(context, response))

    def _event(self, context: HookContext[Any], recording: Recording | None) -> Event:
        event = event_of(context, recording.event.session_id if recording else self.session_id, self.project)
        failed = isinstance(context, ToolHookContext) and context.execution and context.execution.error is not None
        return event.replace(name=_FAILED_TOOL) if failed else event


def _recording_of(call_next: CallNext[Any]) -> tuple[Recording, HookSpan] | tuple[None, None]:
    """The event's recording and our span in it, if the stack has a Recorder."""
    if isinstance(call_next, NextCall) and isinstance(call_next.trace, Recording) and isinstance(call_next.span, HookSpan):
        return call_next.trace, call_next.span
    return None, None


async def _run_worker(request: WorkerRequest, settings: Settings) -> WorkerResponse:
    try:
        code, stdout, stderr = await worker_process.run(("hooktui.stack.hook_worker",), hook_worker.request_json(request))
    except OSError as error:  # too many open files, for example
        return _internal_error(str(error), settings)
    try:
        return hook_worker.parse_response(stdout)
    except (ValueError, LookupError, TypeError):
        last = (stderr.decode(errors="replace").strip().splitlines() or ["no output"])[-1]
        return _internal_error(f"exit code {code}: {last}", settings)


def _internal_error(problem: str, settings: Settings) -> WorkerResponse:
    """A failure of hooktui itself: the agent continues unless the configuration says otherwise (contract.md, `on_error`)."""
    message = f"internal error, hooks on disk did not run: {problem}"
    decision = settings.on_error if settings.on_error == "deny" else "none"
    return hook_worker.WorkerResponse(decision=decision, reason=message, modified_input=None, warnings=(message,))


def _rewritten(context: HookContext[Any], response: WorkerResponse) -> HookContext[Any]:
    if response.modified_input is not None and isinstance(context, ToolHookContext):
        context = context.with_tool_call(replace(context.tool_call, args=response.modified_input))
    for name in ("additional_context", "system_messages"):
        if texts := getattr(response, name):
            context = context.with_metadata(name, (*metadata_texts(context, name), *texts))
    return context
