"""The JSON hook files of one host: where they stand, which of a shared directory are its own, and what they hold."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from hooktui import hosts
from hooktui.core import paths
from hooktui.core.records import Record
from hooktui.formats import Parsed, merged
from hooktui.formats.json_hooks import json_edit, json_form, json_hooks
from hooktui.formats.json_hooks.entry_fields import pairs
from hooktui.formats.source_cache import Sources

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from hooktui.core.model import Hook, Scope
    from hooktui.formats.form_fields import FormField
    from hooktui.formats.json_hooks.json_hooks import JsonHookFile
    from hooktui.hosts import HostSpec

_CAMEL_CASE = re.compile(r"[a-z]+(?:[A-Z][a-z]*)+")


class _FileHooks(Record):
    """What one file holds; `off` is what its `disableAllHooks` says, None where it decides nothing."""

    parsed: Parsed
    off: bool | None = None

    @property
    def watched(self) -> tuple[str, ...]:
        return self.parsed.watched


@dataclass(frozen=True, slots=True, eq=False)
class JsonFormat:
    """The hook files of one host."""

    spec: HostSpec

    def discover(self, project: str, sources: Sources | None = None) -> Parsed:
        """All hooks in the host's files, the least specific scope first. Never raises for what a file holds."""
        sources = sources or Sources()
        directories = [Parsed(watched=(path,)) for _, path, is_directory in places(self.spec, project) if is_directory]
        read = [
            sources.keep((self.spec.name, path), partial(self._load, path, scope, project))
            for scope, path in _paths(self.spec, project)
        ]
        return self._switched(merged([*directories, *(one.parsed for one in read)]), read)

    def parse(self, text: str, file: str, scope: Scope) -> Parsed:
        """The hooks of `file`, an absolute path, if it held `text`: what an editor checks as one types."""
        project = paths.home() if scope == "user" else _project_of(self.spec, file, scope)
        read = self._read(json_hooks.parse(text, file, scope), project)
        return self._switched(read.parsed, [read])

    def fields(self, text: str, hook: Hook) -> tuple[FormField, ...]:
        """The form of a hook's entry in `text`. Raises ValueError when that cannot be read, or the entry is not there."""
        return json_form.fields(text, hook)

    def edit(self, text: str, field: str, value: object) -> str:
        """The text with one field changed and no other byte. Raises ValueError when it cannot be edited safely."""
        return json_edit.edit(text, field, value)

    def kept_off(self, project: str) -> str:
        """The file whose `disableAllHooks` turns all of the host's hooks off; empty when none does."""
        for scope, path in reversed(_paths(self.spec, project)):
            off = self._load(path, scope, project).off
            if off is not None:
                return path if off else ""
        return ""

    def _load(self, path: str, scope: Scope, project: str) -> _FileHooks:
        file = json_hooks.load(path, scope)
        if file is None or owner(file) not in (None, self.spec):
            return _FileHooks(parsed=Parsed(watched=(path,)))
        return self._read(file, project)

    def _read(self, file: JsonHookFile, project: str) -> _FileHooks:
        parsed = json_hooks.hooks(file, self.spec, project)
        off = None if file.notes.skipped else json_hooks.switched_off(file)
        return _FileHooks(parsed=_disabled(parsed) if off and self.spec.entry.switch == "file" else parsed, off=off)

    def _switched(self, whole: Parsed, read: Sequence[_FileHooks]) -> Parsed:
        """The most specific file that sets `disableAllHooks` decides for all files; one that the host skips sets nothing."""
        off = next((one.off for one in reversed(read) if one.off is not None), False)
        return _disabled(whole) if off and self.spec.entry.switch == "all files" else whole


def of(spec: HostSpec) -> JsonFormat:
    """The format of a host."""
    return JsonFormat(spec)


def _disabled(parsed: Parsed) -> Parsed:
    return parsed.replace(hooks=tuple(hook.replace(enabled=False) for hook in parsed.hooks))


def places(spec: HostSpec, project: str) -> Iterator[tuple[Scope, str, bool]]:
    """Scope, absolute path, and whether it is a directory, the least specific first; each place once."""
    known = set()
    for files in spec.files:
        for base in _bases(files.path, project, upward=files.upward):
            path = os.path.join(base, files.path.removeprefix("~/"))
            if os.path.realpath(path) not in known:  # a project that is the home has no files of its own beside the user's
                known.add(os.path.realpath(path))
                yield files.scope, path, files.is_directory


def _bases(path: str, project: str, *, upward: bool) -> list[str]:
    """The directories that a path is looked for in."""
    if path.startswith("~/"):
        return [paths.home()]
    return [*_repository_above(project), project] if upward else [project]


def _repository_above(project: str) -> list[str]:
    """The directories above a project up to its repository's root, that first; none outside of a repository."""
    above: list[str] = []
    directory = project
    while not os.path.lexists(os.path.join(directory, ".git")):
        directory, below = os.path.dirname(directory), directory
        if directory == below:
            return []
        above.insert(0, directory)
    return above


def _paths(spec: HostSpec, project: str) -> list[tuple[Scope, str]]:
    found = []
    for scope, path, is_directory in places(spec, project):
        found += [(scope, name) for name in json_paths(path)] if is_directory else [(scope, path)]
    return found


def json_paths(directory: str) -> list[str]:
    """The JSON files of a directory, by name."""
    try:
        names = sorted(os.listdir(directory))
    except OSError:
        return []
    return [os.path.join(directory, name) for name in names if name.endswith(".json") and not name.startswith(".")]


def _project_of(spec: HostSpec, file: str, scope: Scope) -> str:
    """The project that a file of a scope belongs to."""
    files = next((files for files in spec.files if files.scope == scope), spec.files[-1])
    for _ in range(files.path.count("/") + 1 + files.is_directory):
        file = os.path.dirname(file)
    return file


def owner(file: JsonHookFile) -> HostSpec | None:
    """The host that a file in a shared directory belongs to; None where the directory has one host only."""
    sharing = _sharing(file)
    if len(sharing) < 2:
        return None
    claimed = [spec for spec in sharing if spec.claims_version and _is_claimed(file, spec)]
    return (claimed or [spec for spec in sharing if not spec.claims_version])[0]


def _sharing(file: JsonHookFile) -> list[HostSpec]:
    """The hosts that keep hooks in the directory of a file."""
    directory = os.path.dirname(file.path)
    return [
        spec
        for spec in hosts.json_specs()
        if any(one.is_directory and directory.endswith(f"/{one.path.removeprefix('~/')}") for one in spec.files)
    ]


def _is_claimed(file: JsonHookFile, spec: HostSpec) -> bool:
    """Whether a file has a `version` or an event in camelCase."""
    camel = frozenset(name for name in spec.events if name[0].islower())
    if file.root is None:
        return bool(re.search(rf'"(?:version|{"|".join(sorted(camel))})"\s*:', file.notes.text))
    events = pairs(file.root).get("hooks", (None, None))[1]
    keys = [key.value for key, _ in events.entries] if events is not None else []
    return "version" in file.root.value or _is_camel_case(keys, camel)


def _is_camel_case(keys: list[str], known: frozenset[str]) -> bool:
    """Whether events are in camelCase; a word that is no event decides only where nothing else does."""
    if any(key[:1].isupper() for key in keys):
        return not known.isdisjoint(keys)
    return any(_CAMEL_CASE.fullmatch(key) for key in keys)
