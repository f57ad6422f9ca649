"""The dispatch of a hook that its own host ran through `hooktui exec`."""

from __future__ import annotations

import os

from hooktui import hosts
from hooktui.core import fast_json, ids, paths
from hooktui.core import project as projects
from hooktui.core.model import Dispatch, Hook, Run
from hooktui.engine import pipeline, protocols
from hooktui.engine.dispatch import merged_context, merged_decision, merged_input, merged_reason
from hooktui.engine.process import Ended

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from hooktui.core.model import Event
    from hooktui.core.settings import Settings
    from hooktui.engine.exec_witness import Relayed


_NO_TIMEOUT_MS = 2**31 - 1
_LATE_MS = 1000.0  # a host's timer begins before ours: it starts a shell and Python first


def observed(relayed: Relayed, argv: tuple[str, ...], host: str | None) -> tuple[Dispatch, Settings]:
    """The dispatch of a relayed command, with its decision by the rules of its host, and the user's settings."""
    event = _event(relayed.stdin, host)
    directory = pipeline.directory_of(event, None)
    project = projects.root(directory)
    listing = pipeline.compiled(directory, (event.host,), event.name)  # from its index: ten hooks may end at once
    hook = _entry_of(listing.hooks, argv, event, directory) or _unlisted(argv, event, project)
    code = os.waitstatus_to_exitcode(relayed.status)
    timed_out = code < 0 and relayed.duration_ms >= hook.timeout_ms - min(_LATE_MS, hook.timeout_ms / 2)
    ended = Ended(
        exit_code=code if code >= 0 else None,
        signal=-code if code < 0 and not timed_out else None,
        timed_out=timed_out,
        stdout=relayed.stdout,
        stderr=relayed.stderr,
        overflow=relayed.cut,
        duration_ms=relayed.duration_ms,
    )
    begun = Run(id=ids.new(), hook=hook, state="started", why=f"run by {hook.format}, observed")
    run = _as_told(protocols.finished(begun, event, ended))
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


def _as_told(run: Run) -> Run:
    """The run, with the reason that the host gives the model for a denial without a word."""
    reason = hosts.spec(run.hook.format).speech.silent_denial
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
    except hosts.UnreadableEvent:
        return hosts.read(name, payload, "unknown", pipeline.now())


def _entry_of(hooks: Sequence[Hook], argv: tuple[str, ...], event: Event, directory: str) -> Hook | None:
    """The entry that its host ran, as a listing for `directory` has it; None if the host's files have no such entry.

    Of equal commands, an observed and enabled one is taken, and one whose matcher matches.
    """
    from hooktui.catalog import matching

    def rank(hook: Hook) -> tuple[bool, bool, bool]:
        return hook.unwrapped_text == hook.text, not hook.enabled, matching.match(hook, event).skip is not None

    same = [
        hook for hook in hooks if hook.event == event.name and argv in (hook.arguments(directory), _replaced(hook, directory))
    ]
    return min(same, key=rank, default=None)


def _replaced(hook: Hook, directory: str) -> tuple[str, ...]:
    """The program and its arguments with the variables replaced that the host replaces before a shell sees them."""
    import shlex

    spec = hosts.spec(hook.format)
    names = [name for name, value in spec.speech.variables.items() if value == "{project}"]
    words = list(hook.argv)
    for name in names if spec.entry.substitutes_variables else ():
        words = [word.replace(f"${name}", shlex.quote(directory)) for word in words]
    return tuple(words)


def _unlisted(argv: tuple[str, ...], event: Event, project: str) -> Hook:
    """A command that no listed entry has, named by itself, with its scripts as they are after the run."""
    import shlex

    from hooktui import formats
    from hooktui.formats import coverage, hook_version

    command = argv[2] if len(argv) == 3 and argv[1] == "-c" else shlex.join(argv)
    title, here = " ".join(command.split()[:2]) or argv[0], paths.working_directory()
    hook = Hook(
        id=f"{event.host}:observed:{title}",
        name=title,
        event=event.name,
        event_as_written=event.as_written,
        format=event.host,
        scope="project",
        file="",
        line=1,
        source=formats.detached_source(event.host),
        argv=argv,
        command=command,
        cwd=here if here != project else None,
        timeout_ms=_NO_TIMEOUT_MS,
        root=project,
    )
    return hook_version.with_scripts(coverage.covered(hook).replace(text=" ".join(argv)), hook.id)
