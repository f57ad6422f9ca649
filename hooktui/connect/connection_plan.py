"""The file changes of `connect` and `disconnect`: planned, shown, then written, all files or none."""

from __future__ import annotations

import contextlib
import json
import os
import sys
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import partial
from typing import NamedTuple

from hooktui.catalog import catalog
from hooktui.catalog.hook_states import counted
from hooktui.config import git
from hooktui.connect import command_wrapping, connection_places, disconnection, git_exclude, json_text, launcher
from hooktui.connect.connection_places import SITES, ConnectionSite, Scope
from hooktui.connect.disconnection import Touched, taken_back
from hooktui.connect.json_text import RefusedError
from hooktui.core import atomic_write, events, paths
from hooktui.formats import documents, own_plugin
from hooktui.formats.files import UnreadableFileError
from hooktui.formats.json_hooks import file_syntax
from hooktui.formats.node import find
from hooktui.hosts import Host
from hooktui.scripts import hooktui_commands

_FOR_EVERYONE = 0o644


class ConnectionChange(NamedTuple):
    """The text of a file before and after (None: no file), and what to remember about it, None for nothing.

    `made` are the directories that are created and deleted with the file, the outermost first. `summary` is the change in a
    few words, `observed` the number of commands that are observed in the file afterwards, and `was_observed` whether any is
    now. `is_tracked`: git tracks the file. `is_launcher`: it is the launcher for everyone on the machine.
    """

    path: str
    now: str | None
    then: str | None
    touched: Touched | None = None
    made: tuple[str, ...] = ()
    summary: str = ""
    observed: int = 0
    was_observed: bool = False
    is_tracked: bool = False
    is_launcher: bool = False

    @property
    def starts_observing(self) -> bool:
        return bool(self.observed) and not self.was_observed


class ConnectionPlan(NamedTuple):
    """The changes of a host's files; some of them change only what is remembered. `connects`: they call hooktui afterwards.

    `calls`: they have entries of ours for events, and not only observed commands. `scopes` are those of the files, that of
    the connection first.
    """

    site: ConnectionSite
    changes: tuple[ConnectionChange, ...]
    scopes: tuple[Scope, ...]
    connects: bool = False
    calls: bool = False

    @property
    def visible(self) -> tuple[ConnectionChange, ...]:
        return tuple(change for change in self.changes if change.now != change.then)

    @property
    def observed(self) -> int:
        """The number of commands that are observed afterwards in the changed files."""
        return sum(change.observed for change in self.visible)

    @property
    def needs_launcher(self) -> bool:
        """Whether the plan connects with the user's launcher, and that does not call this Python yet."""
        return self.connects and self.scopes != ("managed",) and not launcher.is_current()

    @property
    def obstacle(self) -> str:
        """Why the user may not write the files of everyone on the machine, and what to do; "" if nothing is known."""
        directories = (os.path.dirname(change.path) for change in self.visible if "managed" in self.scopes)
        closed = (path for path in directories if not os.access(paths.nearest_directory(path), os.W_OK))
        return next((f"you may not write to {path}: run the command as root, for example with sudo" for path in closed), "")


class _File(NamedTuple):
    """A file of the host: its text, the text without our entries, and what is remembered about it."""

    path: str
    now: str | None
    bare: str | None
    touched: Touched | None


def connect(
    host: str,
    scope: Scope,
    project: str,
    events: Sequence[str],
    *,
    observe: bool = False,
    beside: Sequence[Scope] = (),
    spared: Collection[str] = (),
) -> ConnectionPlan:
    """Plan entries that call hooktui for `events`, in the host's spelling, instead of our other entries in the scope.

    `project` is the absolute path of the project's root. `observe` also wraps the host's own commands in the scope's files, as
    they stay wrapped if one of them is, and in those of the scopes `beside`, but not in the `spared` files. Raises
    RefusedError.
    """
    site = SITES[host]
    read = {chosen: list(_files(site, chosen, project)) for chosen in dict.fromkeys((scope, *(beside if observe else ())))}
    open_files = {file.path for files in read.values() for file in files if file.path not in spared}
    changes: list[ConnectionChange] = []
    for chosen, files in read.items():
        texts = {file.path: file.bare for file in files if file.bare is not None}
        if observe or any(_observes(file, host) for file in files):
            where = (path for path in texts if path == site.file(chosen, project) or site.has_own_file(chosen))
            own = {path: texts[path] for path in where if path in open_files}
            texts |= command_wrapping.with_observed(site, chosen, project, own, open_files)
        texts = _called(site, chosen, project, events if chosen == scope else _events(files, host), texts)
        changes += filter(None, (_connected(file, texts.get(file.path), host) for file in files))
        if chosen == "local" and site.file(chosen, project) in texts:
            changes += _hidden(site.file(chosen, project))
    if scope == "managed":
        changes += _managed_launcher(host, launcher.text())
    return ConnectionPlan(site, tuple(changes), tuple(read), connects=bool(events) or observe, calls=bool(events))


def _called(site: ConnectionSite, scope: Scope, project: str, events: Sequence[str], texts: dict[str, str]) -> dict[str, str]:
    """The texts of a scope's files with our entries for events. Raises RefusedError."""
    own = site.file(scope, project)
    if site.has_plugin and own in texts:
        raise RefusedError(f"{paths.short(own)} is not hooktui's: rename it")
    with json_text.refusing(own, "cannot be edited"):
        for path, names in site.by_file(scope, project, events, texts).items() if events else ():
            texts[path] = connection_places.added(texts.get(path, site.spec.entry.blank), site, path, names, scope)
    return texts


def _events(files: Iterable[_File], host: str) -> tuple[str, ...]:
    named = (event for file in files if file.now for event, _ in connection_places.entries(file.now, file.path, host))
    return tuple(dict.fromkeys(named))


def disconnect(host: str, project: str, *scopes: Scope) -> ConnectionPlan:
    """Remove what `connect` added to the files of scopes, by default to those of the project. Raises RefusedError."""
    site = SITES[host]
    scopes = scopes or site.scopes_of_project(project)
    changes = [
        ConnectionChange(file.path, file.now, file.bare, None, file.touched.made if file.touched else (), _count(file, host))
        for chosen in scopes
        for file in _files(site, chosen, project)
        if file.now != file.bare or file.touched
    ]
    if "local" in scopes:
        changes += _shown_again(host, site.file("local", project))
    if "managed" in scopes:
        changes += _managed_launcher(host, None)
    return ConnectionPlan(site, tuple(changes), scopes)


def summary(plan: ConnectionPlan, project: str = "") -> tuple[str, ...]:
    """What a plan does, a line for each file; files inside `project` by their path there."""
    place = partial(paths.near, project=project) if project else paths.short
    tracked = " (git tracks this file)"
    lines = [f"{place(change.path)}{tracked * change.is_tracked}: {change.summary}" for change in plan.visible]
    if lost := [command for change in plan.visible for command in _untrusted_by(change, plan.site.spec)]:
        title = plan.site.spec.title
        lines.append(f"{title} will not run these until you trust them there again: {', '.join(lost)}")
    if plan.needs_launcher:
        lines.append(f"{paths.short(paths.launcher())}: start {paths.short(sys.executable)}")
    return tuple(lines)


def trust_steps(plan: ConnectionPlan) -> tuple[str, ...]:
    """What the user has to do in the host itself after connecting, in a sentence; empty if nothing."""
    host = plan.site.spec
    if not host.has_own_trust or not plan.connects:
        return ()
    trusted = [state for change in plan.visible for state in host.own_trust(change.path, change.then or "").values()]
    if trusted and not any(state.why for state in trusted):
        return ()
    why = next((state.why for state in trusted if state.why), host.runs_new_hooks)
    what = f"hooktui and {counted(plan.observed, 'observed hook')}" if plan.observed else "hooktui"
    return (f"{host.title} runs {what} only once you trust {'them' if plan.observed else 'it'} there: {why}",)


def _untrusted_by(change: ConnectionChange, host: Host) -> list[str]:
    """The user's commands that the host trusts now, but no longer after a change: of another text or at another place."""
    now, then = (Counter(_trusted(change.path, text, host)) for text in (change.now, change.then))
    return list((now - then).elements())


def _trusted(path: str, text: str | None, host: Host) -> Iterator[str]:
    for place, trust in host.own_trust(path, text or "").items():
        node = find(json_text.root(text or host.entry.blank, path), (*place, "command"))
        if trust.state == "trusted" and node and not hooktui_commands.runs(node.value, host.name):
            yield hooktui_commands.original(node.value, host.name) or str(node.value)


def _files(site: ConnectionSite, scope: Scope, project: str) -> Iterator[_File]:
    """The host's files in a scope, including deleted ones that are remembered."""
    own = site.file(scope, project)
    remembered = disconnection.recall(site.spec.name)
    named = site.has_own_file(scope)
    gone = [path for path in remembered if named and os.path.dirname(path) == os.path.dirname(own)]
    for path in dict.fromkeys((*site.files(scope, project), *gone)):
        touched = remembered.get(path)
        try:
            now = json_text.read(path)
        except UnreadableFileError as error:
            if path == own or touched:
                raise RefusedError(f"{paths.short(path)}: {error}") from error
            continue
        with json_text.refusing(path, f"cannot be read as {file_syntax.of(path).name}"):
            bare = _bare(now, path, site, touched, named=named and path == own)
        yield _File(path, now, bare, touched)


def _bare(now: str | None, path: str, site: ConnectionSite, touched: Touched | None, *, named: bool) -> str | None:
    """A file's text without our entries: the original bytes if nobody else has changed it since."""
    if now is not None and touched and now == touched.after:
        return touched.before
    host = site.spec
    if site.has_plugin and now is not None:
        return None if own_plugin.command(now, host.name) else now
    if now is None or "hooktui" not in now:
        return now
    before = touched.before if touched else None
    text = connection_places.removed(command_wrapping.unwrapped(now, path, host.name), path, host.name, before)
    if touched and before is not None:
        return _exactly(text, taken_back(before, touched.after, now), path)
    value = json_text.root(text, path).value
    empty = json_text.is_bare(text, path) and value in ({}, json_text.root(host.entry.blank, path).value)
    return None if empty and (touched or named) else text


def _exactly(text: str, wanted: str | None, path: str) -> str:
    """`wanted`, in which none of our white space is left, if it has the same values and is as strict; else the text."""
    if wanted is None:
        return text
    try:
        same = json_text.root(wanted, path).value == json_text.root(text, path).value
    except ValueError:
        return text
    return wanted if same and json_text.dangling_commas(wanted, path) <= json_text.dangling_commas(text, path) else text


def _connected(file: _File, then: str | None, host: str) -> ConnectionChange | None:
    """The change of a file; None if there is none."""
    made = file.touched.made if file.touched else paths.missing_directories(os.path.dirname(file.path))
    if then is None or then == file.bare:
        known = file.touched is not None or file.now != then
        return ConnectionChange(file.path, file.now, then, None, made, _count(file, host)) if known else None
    if file.now is not None and _ours(file.now, file.path, host) == _ours(then, file.path, host):
        return None
    entries, observed = _ours(then, file.path, host)
    added = [f"call hooktui for {counted(len(entries), 'event')}"] if entries else []
    added += [f"observe {counted(len(observed), 'command')}"] if observed else []
    return ConnectionChange(
        *(file.path, file.now, then, Touched(file.bare, then, made), made, " and ".join(added), len(observed)),
        was_observed=_observes(file, host),
        is_tracked=file.now is not None and git.is_tracked(file.path),
    )


def _observes(file: _File, host: str) -> bool:
    return file.now is not None and file.now != file.bare and bool(_ours(file.now, file.path, host)[1])


def _count(file: _File, host: str) -> str:
    """What disconnecting takes out of a file, in a few words."""
    entries, observed = _ours(file.now, file.path, host)
    removed = [f"remove {counted(len(entries), 'entry', 'entries')}"] if entries else []
    removed += [f"restore {counted(len(observed), 'command')}"] if observed else []
    return " and ".join(removed) or "restore the file"


def _hidden(path: str) -> Iterator[ConnectionChange]:
    """The change that hides a file from git, if git sees it."""
    if place := git_exclude.file_for(path):
        exclude, line = place
        now = _text(exclude)
        then, made = git_exclude.with_line(now, line), paths.missing_directories(os.path.dirname(exclude))
        yield ConnectionChange(exclude, now, then, Touched(now, then, made), made, f"keep {line[1:]} out of git")


def _shown_again(host: str, path: str) -> Iterator[ConnectionChange]:
    """The change that no longer hides a file from git, unless another worktree needs that."""
    place, remembered = git_exclude.place_of(path), disconnection.recall(host)
    touched = remembered.get(place[0]) if place else None
    others = (other for other in remembered if other != path and os.path.lexists(other))
    if place is None or touched is None or place in map(git_exclude.place_of, others):
        return
    exclude, line = place
    now = _text(exclude)
    then = touched.before if now == touched.after else now and git_exclude.without_line(now, line)
    yield ConnectionChange(exclude, now, then, None, touched.made, f"remove the line {line}")


def _managed_launcher(host: str, then: str | None) -> Iterator[ConnectionChange]:
    """The change of the launcher for everyone on the machine, which only its administrator writes."""
    path = paths.managed_launcher()
    now, touched = _text(path), disconnection.recall(host).get(path)
    made = touched.made if touched else paths.missing_directories(os.path.dirname(path))
    kept = None if then is None else Touched(None, then, made)
    if now != then or kept != touched:
        does = "remove the launcher" if then is None else f"start {paths.short(sys.executable)}"
        yield ConnectionChange(path, now, then, kept, made, does, is_launcher=True)


def _text(path: str) -> str | None:
    with json_text.refusing(path, "cannot be read"):
        try:
            return json_text.read(path)
        except UnreadableFileError as error:
            raise ValueError(str(error)) from error


def _ours(text: str | None, path: str, host: str) -> tuple[list[str], list[str]]:
    if text is None:
        return [], []
    if SITES[host].has_plugin:
        return [text] * len(connection_places.entries(text, path, host)), []
    entries = sorted(json.dumps(entry) for entry in connection_places.entries(text, path, host))
    return entries, sorted(command_wrapping.observed_commands(text, path, host))


def needed(host_events: tuple[str, ...], project: str) -> tuple[str, ...]:
    """The host's events that an enabled hook of `run` listens to; with a gate, also those that begin a turn."""
    loaded = catalog.load(project)
    wanted = {hook.event for hook in loaded.hooks if hook.format in loaded.settings.formats and hook.enabled}
    if events.GATE in wanted:
        wanted.update(events.TURN_STARTS)  # gate_limit counts within a turn (formats.md §2)
    return tuple(name for name in host_events if events.canonical(name) in wanted)


def carry_out(plan: ConnectionPlan) -> None:
    """Apply a plan and remember it.

    Raises documents.ChangedError if a file has changed since the plan was made, OSError if one cannot be written. Then
    every file is restored.
    """
    for change in plan.changes:
        _check(change)
    if plan.needs_launcher:
        launcher.write()
    done: list[ConnectionChange] = []
    try:
        for change in plan.changes:
            done.append(change)
            _put(change, change.then, for_everyone="managed" in plan.scopes)
        for change in plan.changes:  # a directory made for one of them may have held another
            if change.then is None:
                atomic_write.remove_empty(change.made)
        disconnection.remember(plan.site.spec.name, {change.path: change.touched for change in plan.changes})
    except OSError:
        for change in reversed(done):
            with contextlib.suppress(OSError):  # a file that could not be written is unchanged
                _put(change, change.now)
        raise


def _put(change: ConnectionChange, text: str | None, *, for_everyone: bool = False) -> None:
    """Write a file's text or delete it (None). `for_everyone`: all users can read it whatever the umask. Raises OSError."""
    if change.is_launcher and text is None:
        launcher.remove_bundle(change.path)
    atomic_write.replace(change.path, _encoded(text), launcher.MODE if change.is_launcher else None, change.made)
    for directory in change.made if for_everyone and text is not None else ():
        os.chmod(directory, paths.SHARED)
    if change.is_launcher and text is not None:
        launcher.write_bundle(change.path, _FOR_EVERYONE)


def _check(change: ConnectionChange) -> None:
    """Raise if a file has changed since it was read, or is read-only, which replacing it would ignore."""
    try:
        with open(change.path, "rb") as file:
            now = file.read()
    except FileNotFoundError:
        now = None
    if now != _encoded(change.now):
        raise documents.ChangedError(f"{change.path} has changed in the meantime")
    if now is not None and not os.access(change.path, os.W_OK):
        raise PermissionError(13, "it is read-only", change.path)


def _encoded(text: str | None) -> bytes | None:
    return None if text is None else text.encode()
