"""What `connect` and `disconnect` change, file by file: planned and shown first, then written, all files or none."""

from __future__ import annotations

import contextlib
import json
import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hooktui.catalog import catalog
from hooktui.connect import command_wrapping, connection_places, disconnection, json_text
from hooktui.connect.connection_places import SITES
from hooktui.connect.disconnection import Touched, taken_back
from hooktui.core import atomic_write, events, paths
from hooktui.formats import files
from hooktui.security import documents

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from hooktui.connect.connection_places import ConnectionSite, Scope


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
    """Have the host call hooktui for `events`, in its own spelling; what else of ours stands in the scope's files goes.

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
