"""What a host's own hook decided, as a dispatch in the log like any other (`hooktui exec`)."""

from __future__ import annotations

import os

from hooktui import hosts
from hooktui.core import config, fast_json, ids, paths
from hooktui.core.model import Dispatch, Hook, Run
from hooktui.engine import launch, merge, pipeline, protocols
from hooktui.engine.process import Ended
from hooktui.log.write.writer import Recorder, db_path

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hooktui.core.model import Event
    from hooktui.engine.exec_witness import Relayed


def record(
    relayed: Relayed, argv: tuple[str, ...], *, host: str | None, name: str | None, file: str, is_async: bool = False
) -> None:
    """Store what one relayed command read, said and decided, as its host understands it."""
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
    settings, _ = config.load_or_defaults()
    Recorder(db_path(settings), settings.redact).record(_dispatch(relayed.id, event, run))


def known_as(hook: Hook) -> Hook:
    """A hook, with what is known of its scripts (`as_run.with_scripts`), as the log has it when its host runs it.

    Its version is the hash of its command and of the scripts that this starts.
    """
    from hashlib import sha256  # 2 ms, when the host has gone on already

    argv = launch.arguments(hook, hook.root)
    identity = ("observed", hook.file, hook.name, hook.event, *argv, *filter(None, [hook.scripts_digest]))
    version = sha256("\0".join(identity).encode("utf-8", "surrogatepass")).hexdigest()
    return hook.replace(version=version, text=" ".join(argv))


def _event(stdin: bytes, host: str | None) -> Event:
    """The event in what the host sent; one that nobody knows when it cannot be read."""
    try:
        payload: Any = fast_json.loads(stdin)
    except (ValueError, RecursionError):
        payload = None
    payload = payload if isinstance(payload, dict) else {"unreadable": stdin[:1000].decode(errors="replace")}
    name = host or hosts.detect(payload)
    try:
        return hosts.read(name, payload, None, pipeline.now())
    except hosts.UnreadableEvent:
        return hosts.read(name, payload, "unknown", pipeline.now())


def _hook(argv: tuple[str, ...], event: Event, name: str | None, file: str) -> Hook:
    """The observed command as a hook, in its version as it is now that it has run."""
    import shlex

    from hooktui import formats
    from hooktui.formats import as_run
    from hooktui.formats.json_hooks import json_command

    called = name or os.path.basename(argv[0])
    project, here = pipeline.project_of(event, None), paths.here()
    root = _root(file) or project
    hook = Hook(
        id=f"{event.host}:observed:{called}",
        name=called,
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
    return known_as(as_run.with_scripts(hook.replace(covers=json_command.covers(hook)), ""))


def _root(file: str) -> str:
    """The directory whose hook file this is: /p, of /p/.claude/settings.json as of /p/.github/hooks/a.json."""
    return file.rpartition(f"{os.sep}.")[0]


def _dispatch(number: int, event: Event, run: Run) -> Dispatch:
    runs = (run,)
    heard = () if run.hook.is_async else runs
    decision = merge.decision(heard)
    return Dispatch(
        id=number,
        event=event,
        project=pipeline.project_of(event, None),
        runs=runs,
        decision=decision,
        reason=merge.reason(heard, decision),
        modified_input=merge.modified_input(heard, decision),
        additional_context=merge.additional_context(heard),
        system_messages=tuple(filter(None, [run.outcome.system_message])),
        duration_ms=run.duration_ms,
    )
