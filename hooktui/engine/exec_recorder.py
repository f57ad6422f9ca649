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
    from hooktui.core.model import Event
    from hooktui.engine.exec_witness import Relayed


def observed(
    relayed: Relayed, argv: tuple[str, ...], *, host: str | None, name: str | None, file: str, is_async: bool = False
) -> Dispatch:
    """The dispatch of a relayed command, with its decision by the rules of its host."""
    event = _event(relayed.stdin, host)
    hook = _hook(argv, event, name, file).replace(is_async=is_async)
    code = os.waitstatus_to_exitcode(relayed.status)
    ended = Ended(
        exit_code=code if code >= 0 else None,
        signal=-code if code < 0 else None,
        stdout=relayed.stdout,
        stderr=relayed.stderr,
        overflow=relayed.cut,
        duration_ms=relayed.duration_ms,
    )
    begun = Run(id=ids.new(), hook=hook, state="started", why=f"run by {hook.format}, observed")
    run = protocols.finished(begun, event, ended)
    deciding = () if is_async else (run,)
    decision = merged_decision(deciding)
    return Dispatch(
        id=relayed.id,
        event=event,
        project=projects.root(pipeline.directory_of(event, None)),
        runs=(run,),
        decision=decision,
        reason=merged_reason(deciding, decision),
        modified_input=merged_input(deciding, decision),
        additional_context=merged_context(deciding),
        system_messages=tuple(filter(None, [run.outcome.system_message])),
        duration_ms=run.duration_ms,
    )


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


def _hook(argv: tuple[str, ...], event: Event, name: str | None, file: str) -> Hook:
    """The observed command as a hook, with its scripts as they are after the run."""
    import shlex

    from hooktui import formats
    from hooktui.formats import hook_version
    from hooktui.formats.json_hooks import json_command

    title = name or os.path.basename(argv[0])
    project, here = projects.root(pipeline.directory_of(event, None)), paths.working_directory()
    root = file.rpartition(f"{os.sep}.")[0] or project  # /p for /p/.claude/settings.json
    hook = Hook(
        id=f"{event.host}:observed:{title}",
        name=title,
        event=event.name,
        event_as_written=event.as_written,
        format=event.host,
        scope="user" if root == paths.home() else "project",
        file=file,
        line=1,
        source=formats.detached_source(event.host),
        argv=argv,
        command=argv[2] if len(argv) == 3 and argv[1] == "-c" else shlex.join(argv),
        cwd=here if here != project else None,
        root=root,
    )
    return hook_version.with_scripts(hook.replace(covers=json_command.covers(hook)), "").as_observed()
