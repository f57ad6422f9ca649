"""`hooktui log` and `show`: print decisions from the log."""

from __future__ import annotations

import asyncio
import os
import re
import sqlite3
import stat
import sys
import time
from contextlib import suppress
from typing import TYPE_CHECKING, TypeVar

import click

from hooktui import config
from hooktui.catalog.hook_states import counted
from hooktui.catalog.known_hooks import KnownHooks
from hooktui.cli import completion_values, terminal_log
from hooktui.cli.console import (
    FleetCommand,
    Refused,
    agrees,
    columns,
    db_option,
    examples,
    fleet_option,
    json_option,
    print_json,
)
from hooktui.cli.decision_lines import dispatch_line, print_report
from hooktui.cli.progress import CommandInterrupted, ProgressLine
from hooktui.core import ids, paths
from hooktui.core.text_sanitizer import one_line
from hooktui.log.export import export_file
from hooktui.log.read import query
from hooktui.log.read.connection import LogError, default_path
from hooktui.log.read.reader import LogReader
from hooktui.log.store import database, import_journal, retention

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence
    from typing import TextIO

    from click.shell_completion import CompletionItem

    from hooktui.core.report import LoggedReport
    from hooktui.log.read.decision_log import DecisionLog
    from hooktui.log.read.query import Query

T = TypeVar("T")

_BATCH = 256
_NO_DECISIONS = "No decisions yet: read past sessions with `hooktui import`, or see `hooktui demo`."
_OVERDUE_S = 900  # an ID is the start time of a dispatch; it may be committed this much later
_TERM = re.compile(r"-(?!-|[fho]$|n\d*$).+")  # `-decision:none` is a query term, not an option


class QueryCommand(FleetCommand):
    """A command whose arguments are a query, in which a leading minus negates a term."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse options first, then query terms."""
        negated = [argument for argument in args if _TERM.match(argument)]
        others = [argument for argument in args if argument not in negated]
        return super().parse_args(ctx, [*others, *([] if "--" in others or not negated else ["--"]), *negated])

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Complete a negated term, which click takes for an option."""
        if _TERM.match(incomplete):
            return completion_values.query_terms(ctx, self.params[0], incomplete)
        return super().shell_complete(ctx, incomplete)


@click.command(
    "log",
    cls=QueryCommand,
    epilog=examples(
        "hooktui log decision:deny since:7d       # what was denied this week",
        "hooktui log tool:Bash curl               # commands with a word",
        "hooktui log -f                           # watch decisions arrive",
    ),
)
@click.argument("terms", metavar="[QUERY]", nargs=-1, shell_complete=completion_values.query_terms)
@json_option
@click.option("-n", "limit", metavar="N", type=click.IntRange(min=0), help="Print only the newest N.")
@click.option("-f", "--follow", is_flag=True, help="Print new decisions as they arrive.")
@click.option("--prune", is_flag=True, help="Apply the configured retention now instead of printing.")
@db_option
@fleet_option
def log_command(
    terms: tuple[str, ...],
    as_json: bool,
    limit: int | None,
    follow: bool,
    prune: bool,
    db: str | None,
    fleet: str | None,
) -> None:
    """Print what agents called and hooks decided, oldest first.

    Prints one line per decision; with --json, one report per line. At a terminal, these are the newest 200 of this project.

    QUERY is a list of terms that must all match: event:pre-tool-call tool:Shell decision:deny state:timeout hook:block-*
    session:abc since:2h slower:200ms, or words to search for. A leading minus negates a term.
    """
    if prune:
        if terms or as_json or follow or fleet or limit is not None:
            raise click.UsageError("--prune accepts only --db")
        click.echo(_prune(db))
        return
    wanted = parsed(terms)

    if wanted.would and follow:
        raise click.UsageError("would: cannot be followed: it is computed for events that are in the log")

    async def read(reader: DecisionLog) -> None:
        width = None if as_json else columns()
        own = wanted if width is None else await terminal_log.of_this_project(reader, wanted)
        printer = _Printer(reader, db or default_path(), await _answered(reader, own), as_json, width)
        shown = await printer.print_newest(limit if width is None or limit is not None else terminal_log.NEWEST)
        if follow:
            await _until_interrupted(printer.follow())
            return
        total = shown if width is None or limit == 0 else await reader.count(printer.wanted if wanted.would else wanted)
        if shown < total:
            click.echo(terminal_log.more(shown, total, terms, is_narrowed=own is not wanted))
        elif not total and limit != 0:
            click.echo("No decisions match." if await reader.newest_event() else _NO_DECISIONS, err=True)

    with_reader(db, read, fleet)


def _prune(db: str | None) -> str:
    try:
        settings = config.load()
        path = db or paths.log_path(settings.log_path)
        if not (settings.keep_days or settings.keep_mb):
            return "nothing to remove: your configuration sets neither keep_days nor keep_mb in [log]"
        import_journal.take(path)
        removals = retention.prune(path, settings, time.time()) if os.path.exists(path) else []
    except (config.ConfigError, database.UnusableLogError, sqlite3.Error) as error:
        raise Refused(str(error)) from error
    return "\n".join(f"removed {removal.events:,} events, {removal.reason}" for removal in removals) or "nothing to remove"


def parsed(terms: Sequence[str]) -> Query:
    """Parse a query from the command line. Raises click.UsageError."""
    try:
        return query.parse(" ".join(terms))
    except query.QueryError as error:
        raise click.UsageError(str(error)) from error


async def _answered(reader: DecisionLog, wanted: Query) -> Query:
    """The query with `would:` answered by today's hooks, those of the project here included."""
    if not wanted.would:
        return wanted
    from hooktui.catalog import catalog
    from hooktui.trials.payload_templates import TrialError
    from hooktui.trials.what_if import Audit

    try:
        loaded = await asyncio.to_thread(catalog.load, paths.working_directory())
        return await Audit(loaded, reader.path).answered(reader, wanted)
    except TrialError as error:
        raise Refused(str(error)) from error


@click.command("show", cls=FleetCommand)
@click.argument("identifier", metavar="ID", shell_complete=completion_values.events)
@json_option
@db_option
@fleet_option
def show_command(identifier: str, as_json: bool, db: str | None, fleet: str | None) -> None:
    """Show one decision in full.

    Shows each hook, its result and output, and why other hooks did not run. ID is the first field of a line of `hooktui log`.
    """
    for report in KnownHooks(db or default_path()).completed(read_reports(identifier, db, fleet)):
        print_report(report, as_json=as_json)


def read_reports(identifier: str, db: str | None = None, fleet: str | None = None) -> Sequence[LoggedReport]:
    """Return the reports with an ID, with their payloads: machines of a fleet may use the same ID.

    Raises click.UsageError or Refused for a wrong ID.
    """
    number = ids.parse(identifier)
    if number is None:
        raise click.UsageError(f"not an ID: {identifier}; IDs are the first field of `hooktui log`")

    async def read(reader: DecisionLog) -> Sequence[LoggedReport]:
        reports = await reader.named(number)
        await _warn(reader, len(reports), number, number)
        return reports

    reports = with_reader(db, read, fleet)
    if not reports:
        raise Refused(f"no decision {identifier} in the log; IDs are the first field of `hooktui log`")
    return reports


def with_reader(db: str | None, work: Callable[[DecisionLog], Awaitable[T]], fleet: str | None = None) -> T:
    """Run a function with a log reader, after importing the spool, or with that of a fleet."""

    async def opened() -> T:
        reader = await (_fleet_log(fleet) if fleet else _own_log(db or default_path()))
        try:
            return await work(reader)
        finally:
            await reader.close()

    try:
        return asyncio.run(opened())
    except LogError as error:
        raise Refused(str(error)) from error


async def _own_log(path: str) -> DecisionLog:
    if waiting := import_journal.take(path):
        click.echo(f"hooktui: some events are still in the spool: {waiting}; see `hooktui doctor`", err=True)
    return await LogReader.open(path)


async def _fleet_log(url: str) -> DecisionLog:
    from hooktui.fleet.fleet_log import FleetLog

    return await FleetLog.open(url)


class _Printer:
    """Prints the dispatches that match a query, each once."""

    def __init__(self, reader: DecisionLog, db: str, wanted: Query, as_json: bool, width: int | None) -> None:
        """`width` is the terminal's, None without one."""
        self.reader = reader
        self.wanted = wanted
        self.as_json = as_json
        self.width = width
        self.recent = set[int]()
        self.several = False
        self.layout: terminal_log.LogLayout | None = None
        self.known_hooks = KnownHooks(db)

    async def print_newest(self, limit: int | None) -> int:
        """Print dispatches in the log, oldest first; return their number."""
        self.several = "project:" not in self.wanted.text and len(await self.reader.projects()) > 1
        recent = await self.reader.newer(self.wanted, _overdue())
        newest = await self.reader.newest(self.wanted, limit)
        self.recent = {*recent, *newest}
        await self._print(newest[::-1])
        await _warn(self.reader, len(newest), newest[-1] if newest else 0)
        return len(newest)

    async def follow(self) -> None:
        """Print dispatches as other processes commit them, until cancelled."""
        async for _ in self.reader.changes():
            newer = await self.reader.newer(self.wanted, _overdue())
            await self._print([number for number in newer if number not in self.recent])
            self.recent = set(newer)

    async def _print(self, numbers: Sequence[int]) -> None:
        for start in range(0, len(numbers), _BATCH):
            batch = numbers[start : start + _BATCH]
            if self.as_json:
                for report in self.known_hooks.completed(await self.reader.reports(batch)):
                    print_json(report, indent=None)
                continue
            rows = await self.reader.rows(batch)
            if self.width is None:
                lines = [dispatch_line(row, several=self.several) for row in rows]
            else:
                reports = await self.reader.reports(batch)
                layout = self.layout = self.layout or terminal_log.LogLayout(self.width, several=self.several)
                layout.fit(rows)
                pairs = zip(rows, reports, strict=False)
                lines = [terminal_log.line(row, report, layout) for row, report in pairs]
            for line in lines:
                click.echo(line)


async def _warn(reader: DecisionLog, count: int, since: int = 0, until: int | None = None) -> None:
    """Say what a result between two ids lacks: older dispatches, or rows of a fleet that cannot be read."""
    if count == reader.most:
        click.echo(f"hooktui: only the newest {count:,} are read; narrow the query with since: and until:", err=True)
    if unreadable := await reader.unreadable(since, until):
        click.echo(f"hooktui: skipped {counted(unreadable, 'unreadable row')}; see `hooktui fleet status`", err=True)


def _overdue() -> int:
    """Return the ID of the oldest dispatch that may still be committed."""
    return ids.at_time(time.time() - _OVERDUE_S)


async def _until_interrupted(work: Awaitable[None]) -> None:
    """Follow until the user interrupts it or closes the pipe; neither is an error."""
    task = asyncio.ensure_future(work)
    if stat.S_ISFIFO(os.fstat(sys.stdout.fileno()).st_mode):
        asyncio.get_running_loop().add_reader(sys.stdout.fileno(), task.cancel)
    with suppress(asyncio.CancelledError):
        await task


@click.command(
    "export",
    cls=QueryCommand,
    epilog=examples("hooktui export since:30d -o month.html", "hooktui export session:abc -o session.md"),
)
@click.argument("terms", metavar="[QUERY]", nargs=-1, shell_complete=completion_values.query_terms)
@click.option(
    "--format", "name", type=click.Choice(list(export_file.FORMATS)), help="Output format (default: the extension of FILE)."
)
@click.option("-o", "--output", metavar="FILE", required=True, help="The file to write; - for stdout.")
@click.option("-n", "limit", metavar="N", type=click.IntRange(min=0), help="Export only the newest N.")
@click.option("--force", is_flag=True, help="Replace FILE if it exists.")
@db_option
@fleet_option
def export_command(
    terms: tuple[str, ...],
    name: str | None,
    output: str,
    limit: int | None,
    force: bool,
    db: str | None,
    fleet: str | None,
) -> None:
    """Export decisions as JSON Lines, CSV, Markdown or HTML.

    QUERY is a query as in `hooktui log`; session:abc exports one session. The HTML page is self-contained. Only you can read
    the file. An existing file is replaced only if you agree, or with --force, and once the new one is complete.
    """
    wanted = parsed(terms)
    chosen = name or export_file.format_of(output)
    if chosen is None:
        raise click.UsageError(f"--format is required: {output} has none of the extensions {', '.join(export_file.FORMATS)}")

    def write(out: TextIO) -> int:
        def tell(done: int, total: int) -> None:
            if not out.isatty():  # it would stand among the events
                progress.show(f"Exported {done:,} of {counted(total, 'event')}…")

        async def read(reader: DecisionLog) -> int:
            count = await export_file.export(reader, await _answered(reader, wanted), chosen, out, limit, tell)
            await _warn(reader, count)
            return count

        with ProgressLine() as progress:
            return with_reader(db, read, fleet)

    if output == "-":
        write(sys.stdout)
        return
    log = db or default_path()
    try:
        with export_file.whole_file(output, log, replace=force or _is_to_be_replaced(output, log)) as out:
            count = write(out)
    except KeyboardInterrupt:
        raise CommandInterrupted(f"{output} was not written") from None
    except FileExistsError as error:
        raise Refused(f"{output} exists; --force replaces it") from error
    click.echo(f"{paths.short(os.path.abspath(output))}: {counted(count, 'event')}", err=True)


def _is_to_be_replaced(path: str, db: str) -> bool:
    """Ask at a terminal whether to replace a file, if it exists. Raises OSError for what is never replaced, and Refused."""
    try:
        export_file.require_replaceable(path, db, replace=False)
    except FileExistsError:
        if not (sys.stdin.isatty() and sys.stderr.isatty()):
            return False
        if not agrees(f"{one_line(path)} exists. Replace it?"):
            raise Refused("nothing was exported") from None
        return True
    return False
