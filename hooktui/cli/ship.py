"""`hooktui ship`: send the log to an OpenTelemetry collector."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from types import FrameType
from typing import Any

import click

from hooktui.catalog.hook_states import counted
from hooktui.cli.console import Refused, db_option, json_option, print_json
from hooktui.core import atomic_write
from hooktui.core.text_sanitizer import one_line
from hooktui.fleet import extra, fleet_records, fleet_settings, ship_status
from hooktui.fleet.extra import MissingExtraError
from hooktui.fleet.fleet_records import RecordMaker
from hooktui.fleet.fleet_settings import FleetSettings, NotConfiguredError
from hooktui.fleet.outbox import Outbox
from hooktui.fleet.ship_faults import SendError
from hooktui.fleet.ship_state import ShipState
from hooktui.fleet.ship_status import ShipStatus
from hooktui.fleet.shipper import LogChanges, Shipper, ShipperRunningError, follow, locked, note_failure, resumed, rewound
from hooktui.log.read.connection import LogError, default_path
from hooktui.log.read.rows import iso
from hooktui.log.store import database, shipped

_IDLE_S = 60.0  # after which a shipper that was started by itself ends
_LOOK_S = 0.1  # between two looks at how far another process is


@click.command("ship")
@click.option("--once", is_flag=True, help="Send pending records and exit.")
@click.option("--from", "first", metavar="SEQ", type=click.IntRange(min=1), help="Send again from this sequence on.")
@click.option("--dry-run", is_flag=True, help="Print exactly what would be sent, and send nothing.")
@click.option("--status", is_flag=True, help="Print how far shipping is, and what keeps it.")
@click.option("--auto", is_flag=True, help='End when nothing is left to send; what `ship = "auto"` starts.')
@json_option
@db_option
def ship_command(once: bool, first: int | None, dry_run: bool, status: bool, auto: bool, as_json: bool, db: str | None) -> None:
    """Send decisions to an OpenTelemetry collector.

    Starts where it stopped last, and goes on as new ones arrive. What leaves is set by `level` in [fleet] of the
    configuration: metadata (default), reasons or full.
    """
    path = os.path.abspath(db or default_path())
    try:
        if status:
            _print_status(path, as_json)
        elif dry_run:
            _print_records(path, first, as_json)
        else:
            _ship(path, first, once=once, auto=auto, as_json=as_json)
    except (NotConfiguredError, MissingExtraError, LogError, SendError, ShipperRunningError) as error:
        raise Refused(str(error)) from error


def _print_status(db: str, as_json: bool) -> None:
    status = ship_status.load(db)
    if as_json:
        print_json(_status_json(status))
        return
    for line in _status_lines(status):
        click.echo(one_line(line))


def _status_json(status: ShipStatus) -> dict[str, Any]:
    settings, state, fault = status.settings, status.state, status.state.fault
    return {
        "configured": settings is not None,
        "why_not": status.why_not or None,
        "endpoint": settings.shown_endpoint if settings else None,
        **{name: getattr(settings, name, None) for name in ("level", "ship")},
        "managed": sorted(settings.managed) if settings else [],
        "instance": state.instance,
        "running": status.is_running,
        "shipped": state.seq,
        **{name: getattr(status, name) for name in ("head", "behind", "journal")},
        "waiting_since": _iso(status.waiting_since),
        "last_shipped": _iso(state.shipped_at),
        **{name: getattr(state, name) for name in ("sent", "rejected", "trimmed", "lost")},
        "rejection": state.rejection or None,
        "fault": fault
        and {
            **{name: getattr(fault, name) for name in ("kind", "message", "attempts")},
            "remedy": status.remedy,
            "since": _iso(fault.since),
            "retry_at": _iso(fault.retry_at),
        },
    }


def _iso(seconds: float) -> str | None:
    return iso(seconds) if seconds else None


def _status_lines(status: ShipStatus) -> Iterator[str]:
    settings, state = status.settings, status.state
    if settings is None:
        yield f"Not shipping: {status.why_not}"
        return
    fixed = f" (fixed by the administrator: {', '.join(sorted(settings.managed))})" if settings.managed else ""
    yield f"To {settings.shown_endpoint} at level {settings.level}, {settings.ship}{fixed}"
    yield status.waiting[0].upper() + status.waiting[1:]
    if fault := state.fault:
        attempts = counted(fault.attempts, "attempt")
        yield f"Failing since {iso(fault.since)} ({attempts}, next at {iso(fault.retry_at)}): {fault.message}"
        yield from [f"Fix: {status.remedy}"] if status.remedy else []
    yield from [f"Last shipped {iso(state.shipped_at)}"] if state.shipped_at else []
    yield from [status.rejected] if state.rejected else []
    yield from [f"{counted(state.trimmed, 'record')} trimmed for size"] if state.trimmed else []
    yield from [status.lost] if state.lost else []
    absent = "A shipper was started" if status.is_starting else "No shipper is running"
    yield "A shipper is running" if status.is_running else absent


def _print_records(db: str, first: int | None, as_json: bool) -> None:
    settings = fleet_settings.load()
    with closing(Outbox(db)) as outbox:
        state = resumed(outbox, ShipState.load(db))
        state.save(db)  # the instance that will be sent
        resource = fleet_records.resource(state.instance)
        if not as_json:
            names = ", ".join(settings.headers) or "none"
            click.echo(f"To {settings.shown_endpoint} at level {settings.level}; headers: {one_line(names)}")
            _print_attributes(resource)
        count = 0
        for batch in outbox.batches(first - 1 if first else state.seq, RecordMaker(settings, state.salt)):
            for record in batch.records:
                count += 1
                if as_json:
                    print_json({"resource": resource, **record.as_json()}, indent=None)
                else:
                    click.echo(f"\n{record.name} {record.severity} {record.time_ns}")
                    _print_attributes(record.attributes)
                    click.echo(f"  {one_line(record.body)}")
    if not as_json:
        click.echo(f"\n{counted(count, 'record')} would be sent.")


def _print_attributes(attributes: Any) -> None:
    for name, value in attributes.items():
        click.echo(f"  {name} = {one_line(value)}")


def _ship(db: str, first: int | None, *, once: bool, auto: bool, as_json: bool) -> None:
    if auto:
        fleet_settings.forget_environment()
    settings = fleet_settings.load()
    if auto and settings.ship != "auto":
        return
    database.make_directory(db)
    if first is not None:
        _ask_again(db, first)
    with _ended_by_signals():
        try:
            while not _ships(db, settings, once=once, auto=auto, as_json=as_json, may_wait=once or first is not None):
                continue
        except KeyboardInterrupt:  # what was sent and not noted is sent again
            if not auto:
                click.echo("Stopped.", err=True)


def _ships(db: str, settings: FleetSettings, *, once: bool, auto: bool, as_json: bool, may_wait: bool) -> bool:
    """Ship, or wait until another process has done it; False if that ended before. Raises ShipperRunningError."""
    try:
        with locked(db):
            atomic_write.remove_stale_drafts(os.path.dirname(db))
            if once:
                _ship_once(db, settings, as_json=as_json)
            else:
                _follow(db, settings, auto=auto)
    except ShipperRunningError as error:
        if not may_wait:
            raise
        state = _shipped_by_other(db)
        if state is None:
            return False
        _print_sent(f"Everything is sent; {error}.", 0, state, 0, as_json=as_json)
    return True


def _ask_again(db: str, first: int) -> None:
    """Ask the shipper of the log, which may be this process, to send again from a sequence on."""
    with closing(Outbox(db)) as outbox:
        try:
            rewound(outbox, resumed(outbox, ShipState.load(db)), first)
        except ValueError as error:
            raise click.UsageError(f"--from {first}: {error}") from error
    atomic_write.write(shipped.request_path(db), b"%d" % first, 0o600)


def _shipped_by_other(db: str) -> ShipState | None:
    """Wait until another process has shipped what is logged by now; its state, None if it ends before. Raises SendError."""
    with closing(Outbox(db)) as outbox:
        _, head = outbox.ends()
    while (state := ShipState.load(db)).seq < head or shipped.requested(db):
        if state.fault:
            raise SendError("log", state.fault.message)
        if not shipped.is_running(db):
            return None
        time.sleep(_LOOK_S)
    return state


@contextmanager
def _shipper(db: str, settings: FleetSettings) -> Iterator[Shipper]:
    """The shipper of a log; what keeps it from starting is noted in the log's state too."""
    state = ShipState.load(db)
    try:
        with extra.needed():
            from hooktui.fleet.otlp_sender import OtlpSender
    except MissingExtraError as error:
        note_failure(state, SendError("configuration", str(error))).save(db)
        raise
    with closing(OtlpSender(settings)) as sender:
        yield Shipper(db, settings, sender.send, state)


def _ship_once(db: str, settings: FleetSettings, *, as_json: bool) -> None:
    """Send what waits. Raises Refused if the collector took none of it."""
    with _shipper(db, settings) as shipper:
        rejected = shipper.state.rejected
        count = shipper.ship()
        state, rejected = shipper.state, shipper.state.rejected - rejected
    sentence = "Nothing new to send." if not (count or rejected) else f"{counted(count, 'record')} sent."
    _print_sent(sentence, count, state, rejected, as_json=as_json)
    if rejected:
        sentence = f"{counted(rejected, 'record')} rejected by the collector: {state.rejection or 'no reason given'}"
        if not count:
            raise Refused(sentence)
        click.echo(f"hooktui: {one_line(sentence)}", err=True)


def _print_sent(sentence: str, count: int, state: ShipState, rejected: int, *, as_json: bool) -> None:
    if as_json:
        print_json({"sent": count, "shipped": state.seq, "rejected": rejected})
    else:
        click.echo(sentence)


def _follow(db: str, settings: FleetSettings, *, auto: bool) -> None:
    """Ship until nothing is left (`auto`) or for ever; begin again when the configuration changes."""

    def report(sentence: str) -> None:
        click.echo(f"hooktui: {one_line(sentence)}", err=True)

    while True:
        if not auto:
            click.echo(f"Shipping to {settings.shown_endpoint} at level {settings.level}; ctrl+c stops.", err=True)
        changes = LogChanges(db, _IDLE_S if auto else None)
        with _shipper(db, settings) as shipper:
            shipper.is_outdated = changes.is_reconfigured
            follow(shipper, changes.wait, report)
            if not changes.is_reconfigured():
                return
        settings = fleet_settings.load()
        if auto and settings.ship != "auto":
            return


@contextmanager
def _ended_by_signals() -> Iterator[None]:
    """End a block in good order on SIGTERM and SIGHUP, as on ctrl+c."""
    before = {number: signal.signal(number, _interrupt) for number in (signal.SIGTERM, signal.SIGHUP)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _interrupt(_number: int, _frame: FrameType | None) -> None:
    raise KeyboardInterrupt
