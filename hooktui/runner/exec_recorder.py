"""The dispatch of a hook that its own host ran through `hooktui exec`."""

from __future__ import annotations

import os

from hooktui import hosts
from hooktui.core import fast_json, ids
from hooktui.core import project as projects
from hooktui.core.model import Dispatch, Hook, Run
from hooktui.runner import matching, pipeline
from hooktui.runner.dispatch import finished, merged_context, merged_decision, merged_input, merged_reason
from hooktui.runner.process import Ended

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from hooktui.core.model import Event
    from hooktui.core.settings import Settings
    from hooktui.runner.exec_relay import Relayed
    from hooktui.runner.hook_files import Files


_LATE_MS = 1000.0  # a host's timer begins before ours: it starts a shell and Python first


def observed(relayed: Relayed, argv: tuple[str, ...], host: str | None, files: Files) -> tuple[Dispatch, Settings]:
    """The dispatch of a relayed command, with its decision by the rules of its host, and the user's settings."""
    event = _event(relayed.stdin, host)
    directory = pipeline.directory_of(event, None)
    project = projects.root(directory)
    listing = pipeline.compiled(files, directory, (event.host,), event.name)  # from its index: ten hooks may end at once
    hook = _entry_of(listing.hooks, argv, event, directory) or files().unlisted(argv, event, project)
    begun = Run(id=ids.new(), hook=hook, state="started", why=f"run by {hook.format}, observed")
    run = _killed(begun) if relayed.status is None else _ended(begun, event, relayed, relayed.status)
    deciding = () if hook.is_async else (run,)
    decision = merged_decision(deciding)
    dispatch = Dispatch(
        id=relayed.id,
        event=event,
        project=project,
        runs=(run,),
        decision=decision,
        reason=merged_reason(deciding, decision),
        modified_input=merged_input(deciding, decision),
        additional_context=merged_context(deciding),
        system_messages=tuple(filter(None, [run.outcome.system_message])),
        duration_ms=0.0 if hook.is_async else run.duration_ms,  # the host did not wait
        origin="observed",
    )
    return dispatch, listing.settings


def _killed(run: Run) -> Run:
    """A run without an end: hooktui was killed before it."""
    outcome = run.outcome.replace(problems=("it was killed together with hooktui, or hooktui alone",))
    return run.replace(state="interrupted", outcome=outcome)


def _ended(run: Run, event: Event, relayed: Relayed, status: int) -> Run:
    code = os.waitstatus_to_exitcode(status)
    timed_out = code < 0 and relayed.duration_ms >= run.hook.timeout_ms - min(_LATE_MS, run.hook.timeout_ms / 2)
    ended = Ended(
        exit_code=code if code >= 0 else None,
        signal=-code if code < 0 and not timed_out else None,
        timed_out=timed_out,
        stdout=relayed.stdout,
        stderr=relayed.stderr,
        overflow=relayed.cut,
        duration_ms=relayed.duration_ms,
    )
    return _as_told(finished(run, event, ended))


def _as_told(run: Run) -> Run:
    """The run, with the reason that the host gives the model for a denial without a word."""
    reason = hosts.spec(run.hook.format).silent_denial
    if not reason or run.outcome.via != "exit-2" or run.outcome.decision != "deny" or run.stderr.strip():
        return run
    return run.replace(outcome=run.outcome.replace(reason=reason))


def _event(stdin: bytes, host: str | None) -> Event:
    """The event in the host's payload; an unknown event if it cannot be read."""
    try:
        payload = fast_json.loads(stdin)
    except (ValueError, RecursionError):
        payload = None
    if not isinstance(payload, dict):
        payload = {"unreadable": stdin[:1000].decode(errors="replace")}
    name = host or hosts.detect(payload)
    try:
        return hosts.read(name, payload, None, pipeline.now())
    except hosts.UnreadableEventError:
        return hosts.read(name, payload, "unknown", pipeline.now())


def _entry_of(hooks: Sequence[Hook], argv: tuple[str, ...], event: Event, directory: str) -> Hook | None:
    """The entry that its host ran, as a listing for `directory` has it; None if the host's files have no such entry.

    Of equal commands, an observed and enabled one is taken, and one whose matcher matches.
    """

    def rank(hook: Hook) -> tuple[bool, bool, bool]:
        return hook.unwrapped_text == hook.text, not hook.enabled, matching.match(hook, event).skip is not None

    same = [
        hook for hook in hooks if hook.event == event.name and argv in (hook.arguments(directory), _replaced(hook, directory))
    ]
    return min(same, key=rank, default=None)


def _replaced(hook: Hook, directory: str) -> tuple[str, ...]:
    host = hosts.spec(hook.format)
    return tuple(host.filled_in(word, directory) for word in hook.argv)
