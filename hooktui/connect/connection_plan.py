"""What `connect` and `disconnect` change, file by file: planned and shown first, then written, all files or none."""

from __future__ import annotations

import contextlib
import json
import os
import shlex
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hooktui import formats, hosts
from hooktui.catalog import catalog
from hooktui.connect import command_wrapping, connection_places, disconnection, json_text
from hooktui.connect.connection_places import SCOPES, SITES
from hooktui.connect.disconnection import Touched, taken_back
from hooktui.core import atomic_write, events, own_commands, paths
from hooktui.formats import files
from hooktui.formats.files import Unreadable
from hooktui.security import documents

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from hooktui.connect.connection_places import ConnectionSite, Scope
    from hooktui.core.model import Hook


class RefusedError(Exception):
    """A file cannot be changed safely; the message names it and says why. Nothing was changed."""


@dataclass(frozen=True, slots=True)
class ConnectionChange:
    """One file: its text now and as it shall be (None: no file), and what to remember of it, None for nothing.

    `made` are the directories that come and go with the file, the outermost first.
    """

    path: str
    now: str | None
    then: str | None
    touched: Touched | None = None
    made: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ConnectionPlan:
    """The changes for one host in one scope; some of them concern only our memory."""

    place: ConnectionSite
    scope: Scope
    changes: tuple[ConnectionChange, ...]

    @property
    def visible(self) -> tuple[ConnectionChange, ...]:
        """The changes that a person would see in files."""
        return tuple(change for change in self.changes if change.now != change.then)


@dataclass(frozen=True, slots=True)
class _File:
    """A file of the host: its text now, without anything of ours, and what we remember of it."""

    path: str
    now: str | None
    bare: str | None
    touched: Touched | None


def connect(host: str, scope: Scope, project: str, events: Sequence[str], *, observe: bool = False) -> ConnectionPlan:
    """Plan entries that call hooktui for `events`, spelled as the host does; our other entries in the scope are removed.

    `project` is absolute. Raises RefusedError.
    """
    place = SITES[host]
    found = list(_files(place, scope, project))
    texts = {file.path: file.bare for file in found if file.bare is not None}
    if observe:
        try:
            texts |= command_wrapping.with_observed(place, scope, project, texts)
        except ValueError as error:
            raise RefusedError(str(error)) from error
    own = place.file(scope, project)
    if events:
        texts[own] = _added(own, texts.get(own, place.spec.entry.blank), place, events)
    changes = (_connected(file, texts.get(file.path), host) for file in found)
    return ConnectionPlan(place, scope, tuple(change for change in changes if change))


def disconnect(host: str, scope: Scope, project: str) -> ConnectionPlan:
    """Take all that `connect` put there out of the scope's files. Raises RefusedError."""
    place = SITES[host]
    changes = (
        ConnectionChange(file.path, file.now, file.bare, made=file.touched.made if file.touched else ())
        for file in _files(place, scope, project)
        if file.now != file.bare or file.touched
    )
    return ConnectionPlan(place, scope, tuple(changes))


def _files(place: ConnectionSite, scope: Scope, project: str) -> Iterator[_File]:
    own = place.file(scope, project)
    remembered = disconnection.recall(place.host)
    gone = [path for path in remembered if os.path.dirname(path) == os.path.dirname(own)]
    for path in dict.fromkeys((*place.files(scope, project), *gone)):
        touched = remembered.get(path)
        try:
            now = json_text.read(path)
            bare = _bare(now, place, touched, named=place.wiring.named and path == own)
        except files.Unreadable as error:
            if path == own or touched:
                raise RefusedError(f"{paths.short(path)}: {error}") from error
            continue
        except ValueError as error:
            raise RefusedError(f"{paths.short(path)} cannot be read as JSON: {error}") from error
        yield _File(path, now, bare, touched)


def _bare(now: str | None, place: ConnectionSite, touched: Touched | None, *, named: bool) -> str | None:
    """A file's text without anything of ours: to the byte what it was, if nobody else has changed it since."""
    if now is not None and touched and now == touched.after:
        return touched.before
    if now is None or "hooktui" not in now:
        return now
    before = touched.before if touched else None
    text = connection_places.removed(command_wrapping.unwrapped(now, place.host), place.host, before)
    if touched and before is not None:
        return _exactly(text, taken_back(before, touched.after, now))
    empty = json_text.is_bare(text) and json_text.root(text).value in ({}, json_text.root(place.spec.entry.blank).value)
    return None if empty and (touched or named) else text


def _exactly(text: str, wanted: str | None) -> str:
    """The text in which not even white space of ours is left, provided that it says the same."""
    try:
        same = wanted is not None and json_text.root(wanted).value == json_text.root(text).value
    except ValueError:
        same = False
    return wanted if same and wanted is not None else text


def _added(path: str, text: str, place: ConnectionSite, events: Sequence[str]) -> str:
    try:
        json_text.root(text)
        return connection_places.added(text, place, events)
    except ValueError as error:
        raise RefusedError(f"{paths.short(path)} cannot be changed: {error}") from error


def _connected(file: _File, then: str | None, host: str) -> ConnectionChange | None:
    """How a file changes; None when there is nothing to do."""
    made = file.touched.made if file.touched else paths.missing_directories(os.path.dirname(file.path))
    if then is None or then == file.bare:
        known = file.touched is not None or file.now != then
        return ConnectionChange(file.path, file.now, then, made=made) if known else None
    if file.now is not None and _ours(file.now, host) == _ours(then, host):
        return None
    return ConnectionChange(file.path, file.now, then, Touched(file.bare, then, made), made)


def _ours(text: str, host: str) -> tuple[list[str], list[str]]:
    """What of a text is ours, whatever stands around it."""
    return sorted(json.dumps(entry) for entry in connection_places.found(text, host)), sorted(
        command_wrapping.found(text, host)
    )


def needed(host_events: tuple[str, ...], project: str) -> tuple[str, ...]:
    """Those of a host's events to which a hook listens that `run` runs; with a gate, also those with which a turn begins."""
    found = catalog.load(project)
    wanted = {hook.event for hook in found.hooks if hook.format in found.settings.formats and hook.enabled}
    if events.GATE in wanted:
        wanted.update(events.TURN_STARTS)  # gate_limit counts within a turn (formats.md §2)
    return tuple(name for name in host_events if events.canonical(name) in wanted)


def carry_out(plan: ConnectionPlan) -> None:
    """Write what a plan says, and remember it.

    Raises saving.ChangedError when a file is no longer what the plan was made from, OSError when one cannot be written; then
    every file is as it was.
    """
    for change in plan.changes:
        _check(change)
    done: list[ConnectionChange] = []
    try:
        for change in plan.changes:
            done.append(change)
            _write(change.path, change.then, change.made)
        disconnection.remember(plan.place.host, {change.path: change.touched for change in plan.changes})
    except OSError:
        for change in reversed(done):
            with contextlib.suppress(OSError):  # what could not be written is as it was
                _write(change.path, change.now, change.made)
        raise


def _check(change: ConnectionChange) -> None:
    """That a file is still what was read, and may be written: replacing it would go over its head."""
    try:
        with open(change.path, "rb") as file:
            now = file.read()
    except FileNotFoundError:
        now = None
    if now != (None if change.now is None else change.now.encode()):
        raise documents.ChangedError(f"{change.path} was changed meanwhile")
    if now is not None and not os.access(change.path, os.W_OK):
        raise PermissionError(13, "it is read-only", change.path)


def _write(path: str, text: str | None, made: tuple[str, ...]) -> None:
    """Give a file its text; without one, it goes, and the directories that came with it if they are empty."""
    if text is not None:
        os.makedirs(os.path.dirname(path), exist_ok=True)
        atomic_write.write(os.path.realpath(path), text.encode())
        return
    with contextlib.suppress(FileNotFoundError):
        os.unlink(path)
    for directory in reversed(made):
        with contextlib.suppress(OSError):  # somebody else's file is in it, or it is gone
            os.rmdir(directory)


@dataclass(frozen=True, slots=True)
class Connection:
    """A host that calls hooktui: from which file, for how many events, with which interpreter."""

    place: ConnectionSite
    scope: Scope
    file: str
    events: int
    interpreter: str

    @property
    def problem(self) -> str:
        """Why the host's calls do not reach hooktui, in words; empty when they do."""
        gone = not os.access(self.interpreter, os.X_OK)
        return f"{paths.short(self.interpreter)} cannot be run" if gone else ""


def connections(project: str) -> list[Connection]:
    """The hosts that are connected for a project, by its own files or the user's. A file that cannot be read connects none."""
    return [one for place in SITES.values() for scope in SCOPES for one in _connection(place, scope, project)]


def notes(place: ConnectionSite, scope: Scope, project: str) -> Iterator[str]:
    """What a person should know about a host that is connected now."""
    own = place.file(scope, project)
    hooks = formats.load(place.host).discover(project).hooks
    ours = next((hook for hook in hooks if hook.file == own and own_commands.runs(hook.command, place.host)), None)
    if ours:
        yield from _obstacles(ours, place)
    if scope == "project":
        yield f"the file names this machine's Python: keep {paths.short(own)} out of version control, or use --scope user"
    for other in connections(project):
        if other.file != own:
            readers = _both(place.host, other.place.host)
            if readers:
                yield f"{paths.short(other.file)} is connected too: {readers} read both files and run each hook twice"


def _both(host: str, other: str) -> str:
    """The hosts that read the files of both, as a list in words; empty when none does."""
    titles = [spec.title for spec in hosts.readers(host) if spec in hosts.readers(other)]
    return " and ".join(titles)


def _obstacles(hook: Hook, place: ConnectionSite) -> Iterator[str]:
    if hook.obstacle:
        yield f"{place.title} will not call it: {hook.obstacle.why}"
    elif not hook.enabled:
        yield f"{place.title} will not call it while disableAllHooks is set"


def _connection(place: ConnectionSite, scope: Scope, project: str) -> Iterator[Connection]:
    file = place.file(scope, project)
    try:
        text = json_text.read(file)
        found = connection_places.found(text, place.host) if text is not None else []
    except (Unreadable, ValueError):
        return
    if found:
        command = connection_places.commands(found[0][1], place.host)[0]
        yield Connection(place, scope, file, len({event for event, _ in found}), shlex.split(command)[0])
