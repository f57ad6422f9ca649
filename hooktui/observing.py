"""What a host's own hook decided, as a dispatch in the log like any other (`hooktui exec`)."""

from __future__ import annotations

import os

from hooktui import config, handling, hosts, ids, quick_json
from hooktui.log.writer import Recorder, db_path
from hooktui.model import Dispatch, Hook, Run
from hooktui.runner import merge, protocols
from hooktui.runner.process import Ended

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from hooktui.model import Event
    from hooktui.runner.witness import Relayed


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


def version(file: str, name: str, event: str, argv: Sequence[str]) -> str:
    """What the log knows an observed command by; `file` and `name` as `exec` was told, `event` by its canonical name."""
    from hashlib import sha256  # 2 ms, when the host has gone on already

    return sha256("\0".join(("observed", file, name, event, *argv)).encode("utf-8", "surrogatepass")).hexdigest()


def _event(stdin: bytes, host: str | None) -> Event:
    """The event in what the host sent; one that nobody knows when it cannot be read."""
    try:
        payload: Any = quick_json.loads(stdin)
    except (ValueError, RecursionError):
        payload = None
    payload = payload if isinstance(payload, dict) else {"unreadable": stdin[:1000].decode(errors="replace")}
    name = host or hosts.detect(payload)
    try:
        return hosts.load(name).read(payload, None, handling.now())
    except hosts.UnreadableEvent:
        return hosts.load(name).read(payload, "unknown", handling.now())


def _hook(argv: tuple[str, ...], event: Event, name: str | None, file: str) -> Hook:
    """The observed command as a hook; its version is its text, since no file was read."""
    text = " ".join(argv)
    called = name or os.path.basename(argv[0])
    return Hook(
        id=f"{event.host}:observed:{called}",
        name=called,
        event=event.name,
        event_as_written=event.as_written,
        format=event.host,
        scope="project",
        file=file,
        line=1,
        argv=argv,
        command=text,
        text=text,
        version=version(file, called, event.name, argv),
    )


def _dispatch(number: int, event: Event, run: Run) -> Dispatch:
    runs = (run,)
    heard = () if run.hook.is_async else runs
    decision = merge.decision(heard)
    return Dispatch(
        id=number,
        event=event,
        project=handling.project_of(event, None),
        runs=runs,
        decision=decision,
        reason=merge.reason(heard, decision),
        modified_input=merge.modified_input(heard, decision),
        additional_context=merge.additional_context(heard),
        system_messages=tuple(filter(None, [run.outcome.system_message])),
        duration_ms=run.duration_ms,
    )
