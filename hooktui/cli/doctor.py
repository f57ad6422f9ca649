"""Checks of the installation: SQLite, log and spool, trust, configuration, cache, hook roots, connections."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import sqlite3
import stat
import tempfile
from collections import Counter
from typing import TYPE_CHECKING, Literal, NamedTuple
from urllib.parse import quote

import click

from hooktui import config, connect
from hooktui.catalog import catalog, required_hooks
from hooktui.catalog.hook_states import counted
from hooktui.cli import warm_client
from hooktui.cli.console import columns, db_option, directory_argument, json_option, print_json
from hooktui.cli.progress import ProgressLine
from hooktui.cli.text_layout import wrapped
from hooktui.cli.warm import warm_state
from hooktui.core import ids, paths
from hooktui.core import project as projects
from hooktui.core.model import HookDirectory
from hooktui.core.text_sanitizer import one_line
from hooktui.hook_tests import host_versions
from hooktui.log.read import verify
from hooktui.log.read.connection import default_path
from hooktui.log.read.rows import iso
from hooktui.log.read.verify import HeadError
from hooktui.log.store import database, import_journal
from hooktui.log.store.retention import Pruned, read_notes
from hooktui.runner import trust
from hooktui.runner.journal import spool

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from hooktui.catalog.catalog import Catalog

    _Check = Callable[[str], Iterator["Finding"]]

_OLDEST_SQLITE = (3, 35, 0)  # RETURNING
_OTHERS = 0o077  # permission bits of everybody but the owner


class Finding(NamedTuple):
    """The result of one check. A `note` needs no action; `remedy` says what to do about a problem."""

    about: str
    state: Literal["ok", "note", "problem"]
    detail: str
    remedy: str = ""

    def as_json(self) -> dict[str, str]:
        """An element of `checks` in `doctor --json` (contract.md)."""
        return {**self._asdict(), "message": self.detail}


def examine(directory: str) -> list[Finding]:
    """Run all checks for a directory. A failing check is a finding, not an exception."""
    return [finding for check in _CHECKS for finding in check(directory)]


def _sqlite(_directory: str) -> Iterator[Finding]:
    version = sqlite3.sqlite_version
    if sqlite3.sqlite_version_info < _OLDEST_SQLITE:
        wanted = ".".join(map(str, _OLDEST_SQLITE))
        yield Finding("sqlite", "problem", f"SQLite {version} is too old", f"use a Python with SQLite {wanted} or newer")
    elif not _has_full_text_search():
        yield Finding("sqlite", "problem", f"SQLite {version} has no FTS5", "use a Python whose SQLite has FTS5")
    else:
        yield Finding("sqlite", "ok", f"SQLite {version} with FTS5")


def verified(db: str, head: str = "") -> list[Finding]:
    """Verify every session of the log, against a saved `head` if given. Raises verify.HeadError."""
    short = paths.short(db)
    import_journal.take(db)
    if not os.path.exists(db):
        return [Finding("chain", "note", f"nothing to verify: no log at {short}")]
    try:
        with ProgressLine() as line:
            verdict = verify.log(db, head, lambda done, total: line.show(f"Verified {done:,} of {counted(total, 'session')}…"))
        current_head = verify.head_of(db)
        names = verify.names(db)
    except sqlite3.Error as error:
        return [Finding("chain", "problem", f"cannot verify {short}: {error}")]
    findings = [
        Finding("chain", "problem", _fault(fault, names), "compare it with a backup or an export") for fault in verdict.faults
    ]
    if verdict.intact:
        count = f"{counted(verdict.records, 'record')} in {counted(len(names), 'session')}"
        findings.append(Finding("chain", "ok", f"log intact ({count})"))
    if verdict.unchained:
        count = counted(verdict.unchained, "event is", "events are")
        findings.append(Finding("chain", "note", f"{count} older than the hash chain and cannot be verified"))
    if verdict.head_pruned:
        findings.append(Finding("chain", "note", "the record of this head was pruned: the head no longer proves anything"))
    if current_head:
        hint = "save it elsewhere: `hooktui doctor --verify --head …` then detects changed and missing records"
        findings.append(Finding("head", "note", current_head, hint))
    return findings


def _fault(fault: verify.ChainFault, names: Mapping[int, str]) -> str:
    session = f"session {names.get(fault.session) or fault.session}: " if fault.session else ""
    event = f"{ids.text(fault.record)} of {iso(ids.seconds(fault.record))}: " if fault.record else ""
    return f"{fault.kind}: {session}{event}{fault.message}"


def _has_full_text_search() -> bool:
    connection = sqlite3.connect(":memory:")
    try:
        connection.execute("CREATE VIRTUAL TABLE words USING fts5 (body)")
    except sqlite3.OperationalError:
        return False
    finally:
        connection.close()
    return True


def _configuration(_directory: str) -> Iterator[Finding]:
    path = paths.short(paths.config_file())
    _, faults = config.load_with_faults()
    for fault in faults:
        yield Finding("configuration", "problem", str(fault), "fix the file; until then, the default applies")
    if not faults:
        exists = os.path.exists(paths.config_file())
        yield Finding("configuration", "ok", path if exists else f"{path} does not exist: using defaults")


def _log(_directory: str) -> Iterator[Finding]:
    settings, _ = config.load_or_defaults()
    db = paths.log_path(settings.log_path)
    waiting = _waiting(db)  # first: what it takes in counts as logged
    if not os.path.exists(db):
        fresh = Finding("log", "ok", f"{paths.short(db)} is created with the first event")
        yield _unwritable("log", os.path.dirname(os.path.abspath(db))) or fresh
        yield waiting
        return
    yield from _private("log", db)
    if os.path.dirname(db) == paths.state_dir():
        yield from _private("log", paths.state_dir())
    yield from _readable_log(db)
    yield waiting


def _readable_log(db: str) -> Iterator[Finding]:
    short = paths.short(db)
    away = f"move {short} away; the next event creates a new one"
    if os.path.exists(db) and not os.path.isfile(db):
        yield Finding("log", "problem", f"{short} is not a file", away)
        return
    try:
        connection = sqlite3.connect(f"file:{quote(os.path.abspath(db))}?mode=ro", uri=True, timeout=database.BUSY_S)
        try:
            foreign = connection.execute(database.FOREIGN).fetchone()[0]
            schema = connection.execute("PRAGMA user_version").fetchone()[0]
            verdict = connection.execute("PRAGMA quick_check(1)").fetchone()[0]
            events = connection.execute("SELECT count(*) FROM dispatch").fetchone()[0] if not foreign and schema else 0
            removed = read_notes(connection).pruned if not foreign and schema == database.SCHEMA else Pruned()
        finally:
            connection.close()
    except sqlite3.Error as error:
        yield Finding("log", "problem", f"{short}: {error}", away)
        return
    if foreign:
        yield Finding("log", "problem", f"{short} belongs to another program", "move it away, or configure another path")
    elif schema > database.SCHEMA:
        yield Finding("log", "problem", f"{short} was written by a newer hooktui (schema {schema})", "update hooktui")
    elif verdict != "ok":
        yield Finding("log", "problem", f"{short} is damaged: {verdict}", away)
    elif not os.access(db, os.W_OK):
        yield Finding("log", "problem", f"{short} is not writable", f"chmod u+w {short}")
    else:
        total = f"; {removed.earlier + removed.dispatches:,} pruned, last on {iso(ids.seconds(removed.at))[:10]}"
        yield Finding("log", "ok", f"{short}: {counted(events, 'event')}{total if removed.at else ''}")


def _waiting(db: str) -> Finding:
    if spool.is_empty(db):
        return Finding("spool", "ok", "empty")
    trouble = import_journal.take(db)
    if trouble is None:
        return Finding("spool", "ok", "imported into the log")
    waiting = counted(len(spool.entries(db)), "event waits", "events wait")
    return Finding("spool", "problem", f"{waiting}: {trouble}", "fix the log; hooktui then imports them")


def _trust(_directory: str) -> Iterator[Finding]:
    path = trust.store_path()
    if not os.path.exists(path):
        yield Finding("trust", "ok", "no approvals yet")
        return
    yield from _private("trust", path)
    try:
        with open(path, encoding="utf-8") as file:
            store = json.load(file)
        count = len(store) if isinstance(store, dict) else None
    except (OSError, ValueError, RecursionError) as error:
        count, detail = None, str(error)
    else:
        detail = "not a JSON object"
    if count is None:
        remedy = "move it away and approve the hooks again"
        yield Finding("trust", "problem", f"{paths.short(path)} is invalid, so nothing is approved: {detail}", remedy)
    else:
        yield Finding("trust", "ok", f"approvals in {counted(count, 'project')}")


def _cache(_directory: str) -> Iterator[Finding]:
    index = os.path.join(paths.cache_dir(), "index")
    if problem := _unwritable("index", index):
        yield problem
        return
    count = len(os.listdir(index)) if os.path.isdir(index) and os.access(index, os.R_OK) else 0
    yield Finding("index", "ok", f"{counted(count, 'compiled index', 'compiled indexes')} in {paths.short(index)}")


def _roots(directory: str) -> Iterator[Finding]:
    for root in (paths.managed_hooks(), paths.agenthooks_user_root(), paths.agenthooks_project_root(projects.root(directory))):
        short = paths.short(root)
        if not os.path.lexists(root):
            yield Finding("hooks", "ok", f"{short} does not exist: no hooks")
        elif not os.path.isdir(root):
            yield Finding("hooks", "problem", f"{short} is not a directory", "move it away; hooks are directories below it")
        elif not os.access(root, os.R_OK | os.X_OK):
            yield Finding("hooks", "problem", f"{short} cannot be read", f"chmod u+rx {short}")
        else:
            yield Finding("hooks", "ok", short)


def _loaded(directory: str) -> Catalog:
    loaded = catalog.load(directory)
    return catalog.with_connections(loaded, (), connect.called(connect.states(directory, loaded.hooks)))


def _files(directory: str) -> Iterator[Finding]:
    loaded = _loaded(directory)
    entries = [hook for hook in loaded.own_hooks if not isinstance(hook.source, HookDirectory)]
    for file, count in Counter(hook.file for hook in entries).items():
        yield Finding("hooks", "ok", f"{paths.short(file)}: {counted(count, 'hook')}")
    for settings in loaded.managed:
        yield Finding("managed", "note", settings.sentence)
    for required in required_hooks.states(loaded):
        if required.sentence:
            yield Finding("required", "problem", required.sentence, "install what your administrator rolls out again")
        else:
            yield Finding("required", "ok", f"{required.name} {required.found}".rstrip())


def _command(_directory: str) -> Iterator[Finding]:
    if path := shutil.which("hooktui"):
        yield Finding("command", "ok", f"on PATH: {paths.short(path)}")
    else:
        yield Finding("command", "note", "hooktui is not on PATH: agents must call it by its full path")


def _private(about: str, path: str) -> Iterator[Finding]:
    try:
        mode = stat.S_IMODE(os.stat(path).st_mode)
    except OSError as error:
        yield Finding(about, "problem", f"{paths.short(path)}: {error.strerror}")
        return
    if mode & _OTHERS:
        remedy = f"chmod go= {paths.short(path)}"
        yield Finding(about, "problem", f"{paths.short(path)} is readable by other users (mode {mode:o})", remedy)


def _unwritable(about: str, directory: str) -> Finding | None:
    """Report a directory that cannot be written or created. Tests by writing, because root passes permission checks."""
    place = directory
    while not os.path.exists(place):
        place = os.path.dirname(place)
    try:
        with tempfile.TemporaryFile(dir=place):
            return None
    except OSError:
        return Finding(about, "problem", f"{paths.short(place)} is not writable", f"make {paths.short(directory)} writable")


def _connections(directory: str) -> Iterator[Finding]:
    states = connect.states(directory)
    if not states:
        yield Finding("connections", "note", "none; connect an agent program with `hooktui connect`")
    for state in states:
        yield Finding("connections", "problem" if state.why else "ok", state.sentence, connect.remedy(state))


def _hook_tests(directory: str) -> Iterator[Finding]:
    for title, version in host_versions.newer(projects.root(directory)):
        yield Finding("hook tests", "note", f"{title} {version} since your last test: run `hooktui test`")


def _warm_runner(_directory: str) -> Iterator[Finding]:
    """Check the warm runner if one was started, or may be by an event."""
    if not (warm_client.is_compiled() or config.load_or_defaults()[0].warm):
        return
    try:
        yield Finding("warm runner", "ok", warm_state().sentence)
    except OSError as error:
        yield Finding("warm runner", "problem", str(error), "remove it; until then, each event starts a process")


def _secrets(_directory: str) -> Iterator[Finding]:
    """Check that only the user can read the files with secrets of the fleet: a token, a password, a key."""
    fleet = config.fleet_values()
    own = {name: str(value) for name, value in fleet.values.items() if name not in fleet.managed}
    has_secret = "headers" in own or any("@" in own.get(name, "") for name in ("endpoint", "url", "proxy"))
    for path in (paths.config_file() if has_secret else "", own.get("key", "")):
        if os.path.exists(path) and os.stat(path).st_mode & _OTHERS:
            detail = f"others can read {paths.short(path)}, which has a secret"
            yield Finding("fleet", "problem", detail, f"run `chmod 600 {shlex.quote(path)}`")


def _shipping(_directory: str) -> Iterator[Finding]:
    """Check the shipping of the log if it is configured, or was."""
    db = paths.log_path(config.load_or_defaults()[0].log_path)
    values = config.fleet_values()
    if not (values.values.get("endpoint") or values.fault or os.path.exists(paths.ship_state(db))):
        return
    from hooktui.fleet import ship_status

    try:
        status = ship_status.load(db)
    except OSError as error:
        yield Finding("fleet", "problem", f"the shipper's state cannot be read: {error}")
        return
    if status.settings is None:
        yield Finding("fleet", "problem" if values.fault or values.own_fault else "note", f"not shipping: {status.why_not}")
    elif status.state.fault:
        yield Finding("fleet", "problem", f"{status.state.fault.message}; {status.waiting}", status.remedy)
    else:
        started = "; a shipper was started" if status.is_starting else ""
        detail = f"{status.settings.shown_endpoint}: {status.waiting}{started}"
        yield Finding("fleet", "note" if status.is_late else "ok", detail)
    if status.state.rejected:
        yield Finding("fleet", "note", status.rejected)
    if status.state.lost:
        yield Finding("fleet", "note", status.lost)


_CHECKS: tuple[_Check, ...] = (
    _sqlite,
    _configuration,
    _log,
    _trust,
    _cache,
    _roots,
    _files,
    _connections,
    _hook_tests,
    _warm_runner,
    _secrets,
    _shipping,
    _command,
)
_DETAIL = 24  # columns before a finding's text
_SIGNS = {"ok": ("✔", "green"), "note": ("·", None), "problem": ("✖", "red")}


@click.command("doctor")
@directory_argument
@json_option
@click.option("--verify", is_flag=True, help="Verify the log's hash chain instead.")
@click.option("--head", metavar="HEAD", default="", help="With --verify: compare with a chain head that you kept.")
@db_option
def doctor_command(directory: str, as_json: bool, verify: bool, head: str, db: str | None) -> None:
    """Check the installation and suggest fixes.

    Exits with code 1 if there is a problem.
    """
    try:
        findings = verified(db or default_path(), head) if verify or head else examine(directory)
    except HeadError as error:
        raise click.UsageError(str(error)) from error
    problems = sum(finding.state == "problem" for finding in findings)
    if as_json:
        checks = [finding.as_json() for finding in findings]
        loaded = _loaded(directory)
        required = [state.as_json() for state in required_hooks.states(loaded)]
        print_json({"problems": problems, "checks": checks, "managed": loaded.managed_json, "required": required})
    else:
        width = columns()
        room = width and width - _DETAIL
        for finding in findings:
            sign, colour = _SIGNS[finding.state]
            first, *rest = wrapped(one_line(finding.detail), room)
            rest += wrapped(f"  → {one_line(finding.remedy)}", room) if finding.remedy else []
            click.echo(f"{click.style(f'{sign} {finding.state:<7}', fg=colour)} {finding.about:<13} {first}")
            for line in rest:
                click.echo(f"{'':<{_DETAIL}}{line}")
    if problems:
        raise click.exceptions.Exit(1)
