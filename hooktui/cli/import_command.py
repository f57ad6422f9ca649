"""`hooktui import`: import past sessions from agents' transcripts."""

from __future__ import annotations

import sqlite3
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import closing

import click

from hooktui import config
from hooktui.catalog.hook_states import counted
from hooktui.cli.console import Refused, json_option, print_json
from hooktui.cli.progress import CommandInterrupted, ProgressLine
from hooktui.config.suggest import closest
from hooktui.core.text_sanitizer import one_line
from hooktui.log.read.connection import default_path
from hooktui.log.read.terms import time_of
from hooktui.log.store import database, imported, index_queue
from hooktui.transcripts.agents import BY_NAME, chosen
from hooktui.transcripts.import_log import ImportLog
from hooktui.transcripts.import_portions import ImportChoice
from hooktui.transcripts.import_transcripts import HostImport, ImportProgress, import_lock, import_past
from hooktui.transcripts.transcript_spec import TranscriptSpec

_Tell = Callable[[ImportProgress], None]
_directory = click.Path(exists=True, file_okay=False, resolve_path=True)


@click.command("import")
@click.argument("hosts", metavar="[HOST…]", nargs=-1)
@click.option("--since", metavar="TIME", help="Only sessions that went on after this: 30d, 2026-02-01, all.")
@click.option("--project", metavar="DIR", type=_directory, help="Only sessions of this project.")
@click.option("--dry-run", is_flag=True, help="Count new events, and store nothing.")
@click.option("--forget", is_flag=True, help="Remove everything that was imported.")
@json_option
def import_command(
    hosts: tuple[str, ...], since: str | None, project: str | None, dry_run: bool, forget: bool, as_json: bool
) -> None:
    """Import past sessions from agents' transcripts.

    Reads what is new since the last import; transcripts are never changed. Secrets are redacted before anything is stored.
    """
    settings, trouble = config.load_or_defaults()
    if trouble:
        click.echo(f"hooktui: {one_line(trouble)}", err=True)
    if forget:
        if hosts or since or project or dry_run:
            raise click.UsageError("--forget accepts only --json")
        _forget(as_json)
        return
    if not settings.history_enabled:
        raise Refused("transcripts are not read: `enabled = false` in [history] of the configuration")
    agents = _agents(hosts or settings.history_hosts)
    choice = ImportChoice(
        since=_time(since or settings.history_since), directory=project or "", exclude=settings.history_exclude
    )
    reached = ImportProgress()

    def tell(progress: ImportProgress) -> None:
        nonlocal reached
        reached = progress
        line.show(f"Reading transcripts: {progress.share:.0%}, {_counts(progress)}…")

    try:
        with ProgressLine() as line:
            results = (_count if dry_run else _import)(agents, choice, settings.redact, tell)
    except KeyboardInterrupt:
        stored = "nothing was stored" if dry_run else f"stored {_counts(reached)}; the next import continues"
        raise CommandInterrupted(stored) from None
    except (database.UnusableLogError, sqlite3.Error) as error:
        raise Refused(f"the log cannot be written: {error}; see `hooktui doctor`") from error
    if as_json:
        print_json({"hosts": [result.as_json() for result in results]})
        return
    for told in [_line(result) for result in results if result.bytes or result.unreadable] or ["Nothing new."]:
        click.echo(told)


def _agents(names: Sequence[str]) -> list[TranscriptSpec]:
    """The agents with these names; all without names."""
    for name in names:
        if name not in BY_NAME:
            near = closest(name, BY_NAME)
            hint = f"did you mean {near}?" if near else f"valid: {', '.join(BY_NAME)}"
            raise click.UsageError(f"unknown host: {name}; {hint}")
    return chosen(names)


def _time(text: str) -> float:
    try:
        return 0.0 if text == "all" else time_of(text, time.time())
    except ValueError as error:
        raise click.UsageError(f"--since {text}: {error}") from error


def _counts(progress: ImportProgress) -> str:
    return f"{counted(progress.sessions, 'session')}, {counted(progress.events, 'event')}"


def _import(agents: Sequence[TranscriptSpec], choice: ImportChoice, secrets: Sequence[str], tell: _Tell) -> list[HostImport]:
    with closing(ImportLog(default_path(), secrets)) as log, import_lock(log.db, waits=True):
        results = import_past(log, agents, choice, tell)
        if any(result.events for result in results):
            index_queue.index_soon(log.connection, log.db)
        return results


def _count(agents: Sequence[TranscriptSpec], choice: ImportChoice, secrets: Sequence[str], tell: _Tell) -> list[HostImport]:
    """Import into a log that is thrown away, from where the last import ended."""
    with tempfile.TemporaryDirectory() as directory, closing(ImportLog(f"{directory}/log.db", secrets)) as log:
        log.continue_from(default_path())
        return import_past(log, agents, choice, tell)


def _forget(as_json: bool) -> None:
    try:
        with closing(database.connect(default_path(), patience_s=10.0)) as connection:
            count = imported.forget(connection)
    except (database.UnusableLogError, sqlite3.Error) as error:
        raise Refused(f"the log cannot be written: {error}; see `hooktui doctor`") from error
    if as_json:
        print_json({"forgotten": count})
    else:
        click.echo(f"Removed {counted(count, 'imported event')}.")


def _line(result: HostImport) -> str:
    counts = [counted(len(result.sessions), "session"), counted(result.events, "event"), counted(result.hooks, "hook run")]
    skipped = f"; {counted(result.skipped, 'line')} skipped" if result.skipped else ""
    unread = "".join(f"; {counted(count, 'file')} not read: {one_line(why)}" for why, count in result.unreadable.items())
    return f"{result.title}: {', '.join(counts)} from {result.bytes / 1e6:.1f} MB in {result.seconds:.1f} s{skipped}{unread}"
