"""The path from an event to a recorded dispatch, for `run`, `try` and the demo."""

from __future__ import annotations

import os
import time

from hooktui import hosts
from hooktui.catalog import compiled_index
from hooktui.catalog.matching import WITH_TOOL
from hooktui.core import events, ids, paths
from hooktui.core.events import GATE, TURN_STARTS
from hooktui.core.model import Dispatch
from hooktui.core.records import Record
from hooktui.core.settings import Setting
from hooktui.engine.approved_hooks import ApprovedHooks
from hooktui.engine.dispatch import dispatch
from hooktui.hosts.shared.payloads import doubts as doubts_of
from hooktui.security import trust

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Protocol

    from hooktui.core.model import DecisionName, Event, Hook, Mismatches, Run
    from hooktui.core.settings import Settings

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

        def denials_in_a_row(self, session_id: str, project: str, agent: str, turn_starts: Sequence[str], gate: str) -> int:
            """The number of denials at the agent's gate since the turn began or the agent was allowed to stop."""

        def is_gate_reason(self, session_id: str, project: str, agent: str, gate: str, prompt: str) -> bool:
            """Whether a prompt is the reason for which the agent's gate has just denied."""


class Handled(Record):
    """A dispatch, recorded unless it was a dry run. Warnings include those of the log."""

    dispatch: Dispatch
    warnings: tuple[str, ...]


def compiled(
    directory: str, formats: Sequence[str], event: str | None = None, called: compiled_index.Called | None = None
) -> compiled_index.Compiled:
    """The hooks and settings for agents started in a directory, from the index unless it is stale.

    With the canonical name of an event, hooks that do not concern it may be left out; with what it called, hooks that are known
    not to match that.
    """
    index = compiled_index.load(directory, formats, event, called)
    if index is None:
        from hooktui.catalog import catalog  # imports the YAML parser

        index = catalog.compiled(directory, formats)
    return index


def called(event: Event) -> compiled_index.Called | None:
    """What decides whether the matcher of a hook can match an event with a tool; None for any other event."""
    return (event.name, event.host, event.tool_name or "") if event.known and event.name in WITH_TOOL else None


def listening(hooks: Sequence[Hook], event: Event) -> list[Hook]:
    """The hooks of an event in firing order, with broken hooks whose event is unknown."""
    return [hook for hook in hooks if hook.event == event.name or (not hook.event and hook.obstacle)]


def is_guarded(hooks: Sequence[Hook], project: str, host: str, event: str | None) -> bool:
    """Whether an enabled hook of the user, or an approved one, listens to an event that its host can deny.

    `event` is that event's name, None for any.
    """
    spec, approved = hosts.spec(host), ApprovedHooks(project, hooks)
    listeners = (hook for hook in hooks if event in (None, hook.event) and spec.can_deny(hook.event))
    able = (hook for hook in listeners if hook.enabled and not hook.obstacle and not hook.calls_hooktui)
    return any(approved.trust(hook.id) not in trust.UNAPPROVED for hook in able)


def handle(
    event: Event,
    project: str,
    hooks: Sequence[Hook],
    settings: Settings,
    recorder: EventRecorder,
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
    agent = events.agent_of(event.payload)
    setting = setting_of(
        project,
        hooks,
        settings,
        denials_in_a_row=lambda: recorder.denials_in_a_row(event.session_id, project, agent, TURN_STARTS, GATE),
        on_async_end=recorder.hand_over,
        on_async_start=recorder.watch,
    )
    setting = setting.replace(meanwhile=recorder.prepare, dry_run=dry_run, synthetic=synthetic, started_in=started_in)
    setting = setting.replace(mismatches=mismatches)
    if not synthetic and listening(hooks, event) and _is_from_host(event, project, agent, recorder):
        hooks = ()
    done = decide(event, hooks, in_place(setting) if approved else setting)
    trouble = None if dry_run else recorder.record(done)
    return Handled(dispatch=done, warnings=(*done.warnings, *([trouble] if trouble else [])))


def _is_from_host(event: Event, project: str, agent: str, recorder: EventRecorder) -> bool:
    """Whether the host made up a prompt: it has no text, or is the reason of a denied gate. No rule is put to it."""
    prompt = events.prompt_of(event.payload) if event.name == events.PROMPT else None
    return prompt == "" or bool(prompt and recorder.is_gate_reason(event.session_id, project, agent, GATE, prompt))


def setting_of(
    project: str,
    hooks: Sequence[Hook],
    settings: Settings,
    *,
    denials_in_a_row: Callable[[], int],
    on_async_end: Callable[[Run, int, int], None],
    on_async_start: Callable[[Run, int, int], None] = lambda *_: None,
) -> Setting:
    """The setting for a dispatch of these hooks, from the user's settings and approvals."""
    approved = ApprovedHooks(project, hooks)
    return Setting(
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


def in_place(setting: Setting) -> Setting:
    """The setting for hooks that their caller has approved: they run from where they are."""
    return setting.replace(trust=lambda _: "trusted", verified=lambda _: None)


def decide(event: Event, hooks: Sequence[Hook], setting: Setting) -> Dispatch:
    """Run the hooks that listen to an event, without recording."""
    doubts = (*doubts_of(event), *_project_unknown(event, setting.project))
    event, moved = _with_directory(event, setting.project)
    done = dispatch(event, listening(hooks, event) if event.known else [], setting)
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
    """The event with a directory that exists: the project replaces a missing one, so that guards still run."""
    if os.path.isdir(event.work_dir):
        return event, ()
    directory = project if os.path.isdir(project) else paths.working_directory()
    warning = f"the event's directory {event.work_dir} does not exist: hooks run in {directory}"
    return event.replace(work_dir=directory), (warning,)


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
