"""The path from an event to a recorded dispatch, for `run`, `try` and the demo."""

from __future__ import annotations

import os
import time

from hooktui import hosts
from hooktui.core import ids, paths
from hooktui.core.model import Dispatch
from hooktui.core.records import Record
from hooktui.core.settings import DispatchContext
from hooktui.hosts.shared.payloads import doubts as doubts_of
from hooktui.runner import plan, trust
from hooktui.runner.approved_hooks import ApprovedHooks
from hooktui.runner.dispatch import dispatch
from hooktui.runner.gate import Gate
from hooktui.runner.matching import WITH_TOOL

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Protocol

    from hooktui.core.model import DecisionName, Event, Hook, Mismatches, Run
    from hooktui.core.settings import Settings
    from hooktui.runner.hook_files import Files

    class EventRecorder(Protocol):
        """The log, for a dispatch."""

        def prepare(self) -> None:
            """Prepare recording while a hook runs."""

        def record(self, dispatch: Dispatch) -> str | None:
            """Store a dispatch. Returns a warning if any of it was lost."""

        def watch(self, run: Run, dispatch_id: int, position: int) -> None:
            """Make sure that an async hook's run gets an end."""

        def hand_over(self, run: Run, dispatch_id: int, position: int) -> None:
            """Store the end of an async hook."""


class Handled(Record):
    """A dispatch, recorded unless it was a dry run. Warnings include those of the log."""

    dispatch: Dispatch
    warnings: tuple[str, ...]


def compiled(
    files: Files, directory: str, formats: Sequence[str], event: str | None = None, called: plan.Called | None = None
) -> plan.Compiled:
    """The hooks and settings for agents started in a directory, from the plan unless it is stale.

    With the canonical name of an event, hooks that do not concern it may be left out; with what it called, hooks that are known
    not to match that.
    """
    return plan.load(directory, formats, event, called) or files().compiled(directory, formats)


def called(event: Event) -> plan.Called | None:
    """What decides whether the matcher of a hook can match an event with a tool; None for any other event."""
    return (event.name, event.host, event.tool_name or "") if event.known and event.name in WITH_TOOL else None


def listening(hooks: Sequence[Hook], event: Event) -> list[Hook]:
    """The hooks of an event in firing order, with broken hooks whose event is unknown."""
    return [hook for hook in hooks if hook.event == event.name or (not hook.event and hook.obstacle)]


def is_guarded(files: Files, hooks: Sequence[Hook], project: str, host: str, event: str | None) -> bool:
    """Whether an enabled hook of the user, or an approved one, listens to an event that its host can deny.

    `event` is that event's name, None for any.
    """
    spec, approved = hosts.spec(host), ApprovedHooks(project, hooks, files)
    listeners = (hook for hook in hooks if event in (None, hook.event) and spec.can_deny(hook.event))
    able = (hook for hook in listeners if hook.enabled and not hook.obstacle and not hook.calls_hooktui)
    return any(approved.trust(hook.id) not in trust.UNAPPROVED for hook in able)


def handle(
    event: Event,
    project: str,
    hooks: Sequence[Hook],
    settings: Settings,
    recorder: EventRecorder,
    files: Files,
    *,
    dry_run: bool = False,
    synthetic: bool = False,
    approved: bool = False,
    started_in: str = "",
    mismatches: Mismatches | None = None,
) -> Handled:
    """Run the hooks that listen to an event and record the dispatch.

    `approved`: the caller has approved these hooks, so trust is not checked. `started_in` is the directory in which the agent
    was started, if it is not the project's root. `mismatches` are skipped in addition.
    """
    gate = Gate(event, project, settings.redact)
    context = dispatch_context(
        project,
        hooks,
        settings,
        files,
        denials_in_a_row=lambda: gate.denials,
        on_async_end=recorder.hand_over,
        on_async_start=recorder.watch,
    )
    context = context.replace(meanwhile=recorder.prepare, dry_run=dry_run, synthetic=synthetic, started_in=started_in)
    context = context.replace(mismatches=mismatches)
    if not synthetic and listening(hooks, event) and gate.made_up(event):
        hooks = ()
    done = _obeyed(decide(event, hooks, in_place(context) if approved else context))
    if not dry_run and not synthetic:
        gate.follow(done)
    trouble = None if dry_run else recorder.record(_as_heard(done))
    return Handled(dispatch=done, warnings=(*done.warnings, *([trouble] if trouble else [])))


def _obeyed(dispatch: Dispatch) -> Dispatch:
    """The decision that the host gets: it may be denied what it cannot ask or rewrite."""
    if dispatch.blocks or (dispatch.decision != "ask" and dispatch.modified_input is None):
        return dispatch
    answer = hosts.answer(dispatch.event.host, dispatch)
    if answer.exit_code != hosts.BLOCKED:
        return dispatch
    return dispatch.replace(decision="deny", reason=answer.stderr.strip(), modified_input=None)


def _as_heard(dispatch: Dispatch) -> Dispatch:
    """The dispatch as its host obeyed it: where nothing can deny the event, the agent goes on and the user sees the reason."""
    event, host = dispatch.event, hosts.spec(dispatch.event.host)
    if dispatch.decision != "deny" or event.host == hosts.DEFAULT or host.can_deny(event.name):
        return dispatch
    problem = f"nothing can deny {host.spelling(event.name) or event.name} in {host.title}: the agent goes on"
    return dispatch.replace(decision="none", reason=None, runs=tuple(_without_denial(run, problem) for run in dispatch.runs))


def _without_denial(run: Run, problem: str) -> Run:
    outcome = run.outcome
    if outcome.decision != "deny":
        return run
    return run.replace(outcome=outcome.replace(decision="none", problems=(*outcome.problems, problem)))


def dispatch_context(
    project: str,
    hooks: Sequence[Hook],
    settings: Settings,
    files: Files,
    *,
    denials_in_a_row: Callable[[], int],
    on_async_end: Callable[[Run, int, int], None],
    on_async_start: Callable[[Run, int, int], None] = lambda *_: None,
) -> DispatchContext:
    """The context for a dispatch of these hooks, from the user's settings and approvals."""
    approved = ApprovedHooks(project, hooks, files)
    return DispatchContext(
        project=project,
        env=os.environ,
        trust=approved.trust,
        verified=approved.verified,
        require_covered=settings.require_covered,
        env_keep=settings.env_keep,
        denials_in_a_row=denials_in_a_row,
        on_async_end=on_async_end,
        on_async_start=on_async_start,
        gate_limit=settings.gate_limit,
        model_endpoint=settings.prompt,
        on_hook_failure=settings.on_hook_failure,
        on_error=settings.on_error,
    )


def in_place(context: DispatchContext) -> DispatchContext:
    """The context for hooks that their caller has approved: they run from where they are."""
    return context.replace(trust=lambda _: "trusted", verified=lambda _: None)


def decide(event: Event, hooks: Sequence[Hook], context: DispatchContext) -> Dispatch:
    """Run the hooks that listen to an event, without recording."""
    doubts = (*doubts_of(event), *_project_unknown(event, context.project))
    event, moved = _with_directory(event, context.project)
    done = dispatch(event, listening(hooks, event) if event.known else [], context)
    unknown = () if event.known else (f"unknown event {event.as_written}: logged, no hooks ran",)
    return done.replace(warnings=(*doubts, *moved, *unknown, *done.warnings))


def unhandled(event: Event, project: str, message: str, *, denied: bool) -> Dispatch:
    """The dispatch of an event that was not handled because of an internal error."""
    decision: DecisionName = "deny" if denied else "none"
    return Dispatch(id=ids.new(), event=event, project=project, runs=(), decision=decision, reason=message, warnings=(message,))


def _project_unknown(event: Event, project: str) -> tuple[str, ...]:
    """Warn if the event names no directory and the current one is gone: the root directory then counts as the project."""
    if not project == event.work_dir == os.sep or os.sep in (event.payload.get("work_dir"), event.payload.get("cwd")):
        return ()
    if not paths.is_working_directory_gone():
        return ()
    return ("unknown project: the current directory no longer exists; only user hooks apply",)


def _with_directory(event: Event, project: str) -> tuple[Event, tuple[str, ...]]:
    """The event with a directory that hooks can start in: the project replaces any other, so that guards still run."""
    if _can_enter(event.work_dir):
        return event, ()
    directory = next(filter(_can_enter, (project, paths.working_directory())), os.sep)
    problem = "cannot be entered" if os.path.isdir(event.work_dir) else "does not exist"
    warning = f"the event's directory {event.work_dir} {problem}: hooks run in {directory}"
    return event.replace(work_dir=directory), (warning,)


def _can_enter(directory: str) -> bool:
    return os.path.isdir(directory) and os.access(directory, os.X_OK)


def directory_of(event: Event, given: str | None) -> str:
    """The directory in which the agent was started: `given`, or the host's environment variable, or the event's directory.

    The event's directory follows the agent's `cd`. An invalid path counts as the current directory.
    """
    variable = hosts.spec(event.host).entry.project_variable
    started_in = os.environ.get(variable) if variable else None
    try:
        return paths.canonical(given or started_in or event.work_dir)
    except ValueError:  # a null byte or a lone surrogate
        return paths.canonical(paths.working_directory())


def now() -> str:
    """The current time, ISO 8601 in UTC."""
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
