"""The hooks on disk as one hook of a stack: the runner of `hooktui run`, in a process of its own (formats.md §5)."""

from __future__ import annotations

import asyncio
import logging
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from hooktui.core import ids, paths
from hooktui.core.events import GATE
from hooktui.engine import pipeline, worker_process
from hooktui.stack import hook_worker
from hooktui.stack.contexts import HookEvent, ToolHookContext
from hooktui.stack.event_payloads import event_of, texts
from hooktui.stack.hook_worker import Dispatched, Question
from hooktui.stack.middleware_chain import Rest
from hooktui.stack.outcomes import HookOutcome
from hooktui.stack.run_notes import HookNote, Recording

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hooktui.core.model import Event
    from hooktui.core.settings import Settings
    from hooktui.stack.callbacks import CallNext
    from hooktui.stack.contexts import HookContext
    from hooktui.stack.hook_worker import Answer

_FAILED_TOOL = "post-tool-call-failure"
_LOG = logging.getLogger("hooktui")


class FileHooks:
    """Runs the hooks of a user and a project that listen to an event, as any host would.

    A denial blocks, and so does a hook that asks: there is nobody to be asked. A rewritten input replaces the tool call's; what
    hooks say to the model or to the person stands in the context's metadata as `additional_context` and `system_messages`,
    tuples of texts. After a tool that has failed the hooks of `post-tool-call-failure` run. A project's hooks run once they
    are approved; what a person must know goes to the logger "hooktui", each sentence once. Cancelling the task that waits
    kills what runs, each hook with its process group. One object serves one session: it counts the denials of its gate.
    """

    def __init__(self, project: str, session_id: str | None = None) -> None:
        self.project = paths.canonical(project)
        self.session_id = session_id or f"python-{ids.text(ids.new())}"
        self._denials = 0
        self._told: set[str] = set()

    async def handle(self, context: HookContext[Any], call_next: CallNext[Any]) -> HookOutcome[Any]:
        """Ask the hooks on disk, and go on unless they say no."""
        recording, note = _notes(call_next)
        event = self._event(context, recording)
        found = await asyncio.to_thread(pipeline.compiled, self.project, ())
        if context.event is HookEvent.EXECUTION_START:
            self._denials = 0
        if not pipeline.listening(found.hooks, event):
            if note:
                note.runs = ()
            return await call_next(context)
        answer = await self._ask(event, found.settings, _dispatched(recording) if recording else None)
        if note:
            note.runs, note.warnings = answer.runs, answer.warnings
        if event.name == GATE:
            self._denials = self._denials + 1 if answer.decision in ("deny", "stop") else 0
        outcome = _OUTCOMES.get(answer.decision)
        return outcome(answer.reason or _UNSAID) if outcome else await call_next(_rewritten(context, answer))

    def _event(self, context: HookContext[Any], recording: Recording | None) -> Event:
        event = event_of(context, recording.event.session_id if recording else self.session_id, self.project)
        failed = isinstance(context, ToolHookContext) and context.execution and context.execution.error is not None
        return event.replace(name=_FAILED_TOOL) if failed else event

    async def _ask(self, event: Event, settings: Settings, into: Dispatched | None) -> Answer:
        question = Question(event=event, project=self.project, denials=self._denials, into=into)
        answer = await _answer(question, settings)
        self._tell(answer.warnings)
        return answer

    def _tell(self, warnings: Sequence[str]) -> None:
        for warning in warnings:
            if warning not in self._told:
                self._told.add(warning)
                _LOG.warning("%s", warning)


def _notes(call_next: CallNext[Any]) -> tuple[Recording, HookNote] | tuple[None, None]:
    """What a Recorder notes of the event, and of us in it; nothing where none listens."""
    if isinstance(call_next, Rest) and isinstance(call_next.trace, Recording) and isinstance(call_next.note, HookNote):
        return call_next.trace, call_next.note
    return None, None


def _dispatched(recording: Recording) -> Dispatched:
    return Dispatched(db=recording.db, id=recording.number, position=len(recording.hooks) - 1)


_OUTCOMES = {"deny": HookOutcome.block, "ask": HookOutcome.block, "stop": HookOutcome.stop}
_UNSAID = "a hook on disk gave no reason"


async def _answer(question: Question, settings: Settings) -> Answer:
    try:
        code, stdout, stderr = await worker_process.run(("hooktui.stack.hook_worker",), hook_worker.question_json(question))
    except OSError as error:  # too many files are open, say
        return _fault(str(error), settings)
    try:
        return hook_worker.answer_of(stdout)
    except (ValueError, LookupError, TypeError):
        last = (stderr.decode(errors="replace").strip().splitlines() or ["it said nothing"])[-1]
        return _fault(f"exit code {code}: {last}", settings)


def _fault(problem: str, settings: Settings) -> Answer:
    """Our own fault: the agent goes on, unless the user's configuration wants otherwise (contract.md, `on_error`)."""
    message = f"internal fault, the hooks on disk were not run: {problem}"
    return hook_worker.Answer(
        runs=(),
        decision=settings.on_error if settings.on_error == "deny" else "none",
        reason=message,
        modified_input=None,
        additional_context=(),
        system_messages=(),
        warnings=(message,),
    )


def _rewritten(context: HookContext[Any], answer: Answer) -> HookContext[Any]:
    """The context with what the hooks changed and said."""
    if answer.modified_input is not None and isinstance(context, ToolHookContext):
        context = context.with_tool_call(replace(context.tool_call, args=answer.modified_input))
    for name in ("additional_context", "system_messages"):
        if said := getattr(answer, name):
            context = context.with_metadata(name, (*texts(context, name), *said))
    return context
