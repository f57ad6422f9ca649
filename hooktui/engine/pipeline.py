"""From an event to a recorded dispatch: the one path that `run`, `try` and the demo take."""

from __future__ import annotations

import os
import time

from hooktui import hosts
from hooktui.catalog import compiled_index
from hooktui.core import ids, paths
from hooktui.core.events import GATE, TURN_STARTS
from hooktui.core.model import Dispatch
from hooktui.core.records import Record
from hooktui.core.settings import Setting
from hooktui.engine.dispatch import dispatch
from hooktui.hosts.shared.payloads import doubts as doubts_of
from hooktui.security import trust

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Protocol

    from hooktui.core.model import DecisionName, Event, Hook, Run, Trust
    from hooktui.core.settings import Settings

    class EventRecorder(Protocol):
        """What a dispatch needs of the log."""

        def open(self) -> None:
            """Open the log early, while a hook is running."""

        def record(self, dispatch: Dispatch) -> str | None:
            """Store a dispatch; a warning when it went to the spool or was lost."""

        def hand_over(self, run: Run, dispatch_id: int, position: int) -> None:
            """Store the end of an async hook."""

        def denials_in_a_row(self, session_id: str, project: str, turn_starts: Sequence[str], gate: str) -> int:
            """How often the gate has denied since a turn began or a stop was allowed."""


class Handled(Record):
    """A dispatch that was made and, unless it was a dry run, recorded; warnings include those of the log."""

    dispatch: Dispatch
    warnings: tuple[str, ...]


def compiled(directory: str, formats: Sequence[str]) -> compiled_index.Compiled:
    """The hooks and settings for agents that are started in a directory, from the index when it is fresh."""
    found = compiled_index.load(directory, formats)
    if found is None:
        from hooktui.catalog import catalog  # YAML and all: only when something changed

        found = catalog.compiled(directory, formats)
    return found


def listening(hooks: Sequence[Hook], event: Event) -> list[Hook]:
    """The hooks to consider, in firing order: those of this event, and broken ones that do not say of which they are."""
    return [hook for hook in hooks if hook.event == event.name or (not hook.event and hook.obstacle)]


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
) -> Handled:
    """Run the hooks that listen to an event and record what they decided.

    `approved`: the caller has made sure that these hooks may run, so that trust is not asked.
    """
    setting = setting_of(
        project,
        hooks,
        settings,
        denials_in_a_row=lambda: recorder.denials_in_a_row(event.session_id, project, TURN_STARTS, GATE),
        on_async_end=recorder.hand_over,
    )
    setting = setting.replace(meanwhile=recorder.open, dry_run=dry_run, synthetic=synthetic)
    done = decide(event, hooks, setting.replace(trust=lambda _: "trusted") if approved else setting)
    trouble = None if dry_run else recorder.record(done)
    return Handled(dispatch=done, warnings=(*done.warnings, *([trouble] if trouble else [])))


def setting_of(
    project: str,
    hooks: Sequence[Hook],
    settings: Settings,
    *,
    denials_in_a_row: Callable[[], int],
    on_async_end: Callable[[Run, int, int], None],
) -> Setting:
    """What a dispatch of these hooks needs to know, from the user's settings and approvals."""
    return Setting(
        project=project,
        env=os.environ,
        trust=_trust_of(hooks, project),
        denials_in_a_row=denials_in_a_row,
        on_async_end=on_async_end,
        gate_limit=settings.gate_limit,
        model_endpoint=settings.prompt,
        on_hook_failure=settings.on_hook_failure,
    )


def decide(event: Event, hooks: Sequence[Hook], setting: Setting) -> Dispatch:
    """Run the hooks that listen to an event; nothing is recorded."""
    doubts = (*doubts_of(event), *_nowhere(event, setting.project))
    event, moved = _with_directory(event, setting.project)
    done = dispatch(event, listening(hooks, event) if event.known else [], setting)
    return done.replace(warnings=(*doubts, *moved, *_unknown(event), *done.warnings))


def unhandled(event: Event, project: str, message: str, *, denied: bool) -> Dispatch:
    """The dispatch of an event that an internal error kept from being handled."""
    decision: DecisionName = "deny" if denied else "none"
    return Dispatch(id=ids.new(), event=event, project=project, runs=(), decision=decision, reason=message, warnings=(message,))


def _unknown(event: Event) -> tuple[str, ...]:
    return () if event.known else (f"unknown event {event.as_written}: logged, no hooks ran",)


def _nowhere(event: Event, project: str) -> tuple[str, ...]:
    """Nobody said where the agent works, and the current directory is gone: the root stands for it."""
    if not project == event.work_dir == os.sep or os.sep in (event.payload.get("work_dir"), event.payload.get("cwd")):
        return ()
    if not paths.is_working_directory_gone():
        return ()
    return ("the project is unknown, the current directory is gone: only the user's hooks were considered",)


def _with_directory(event: Event, project: str) -> tuple[Event, tuple[str, ...]]:
    """Hooks run in the event's directory; in the project when it is gone, so that a guard still guards."""
    if os.path.isdir(event.work_dir):
        return event, ()
    place = project if os.path.isdir(project) else paths.working_directory()
    warning = f"the event's directory {event.work_dir} does not exist: hooks run in {place}"
    return event.replace(work_dir=place), (warning,)


def _trust_of(hooks: Sequence[Hook], project: str) -> Callable[[str], Trust]:
    """Trust by hook id, verified against content at most once a hook, and only when asked."""
    by_id = {hook.id: hook for hook in hooks}
    known: dict[str, Trust] = {}
    approved: dict[str, frozenset[str]] = {}

    def state(hook_id: str) -> Trust:
        hook = by_id[hook_id]
        if hook.scope == trust.OWN_SCOPE:
            return "user"
        if hook_id not in known:
            if not known:
                approved.update(trust.approvals(project))
            known[hook_id] = trust.state(hook, approved)
        return known[hook_id]

    return state


def directory_of(event: Event, given: str | None) -> str:
    """The directory in which the agent was started: the one given, else what its environment says, else the event's.

    Payloads follow the agent's `cd`. What cannot be a path stands for the current directory.
    """
    variable = hosts.spec(event.host).entry.project_variable
    named = os.environ.get(variable) if variable else None
    try:
        return paths.canonical(given or named or event.work_dir)
    except ValueError:  # a null byte or a lone surrogate
        return paths.canonical(paths.working_directory())


def now() -> str:
    """This moment, ISO 8601 with its zone."""
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
