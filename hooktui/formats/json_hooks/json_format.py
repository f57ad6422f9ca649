"""The JSON hook files of one host: their locations, which files of a shared directory are its own, and their hooks."""

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

    from hooktui.core.model import Scope
    from hooktui.formats.json_hooks.json_hooks import JsonHookFile
    from hooktui.hosts import HostSpec

_CAMEL_CASE = re.compile(r"[a-z]+(?:[A-Z][a-z]*)+")


class _FileHooks(Record):
    """The hooks of one file. `off` is its `disableAllHooks`, None if it is not set."""

    parsed: Parsed
    off: bool | None = None

    @property
    def watched(self) -> tuple[str, ...]:
        return self.parsed.watched


@dataclass(frozen=True, slots=True, eq=False)
class JsonFormat:
    """The hook files of one host."""

    spec: HostSpec
    fields = staticmethod(json_form.fields)
    edit = staticmethod(json_edit.edit)

    def discover(self, project: str, sources: Sources | None = None) -> Parsed:
        """All hooks in the host's files, the least specific scope first. File content never raises."""
        sources = sources or Sources()
        directories = [Parsed(watched=(path,)) for _, path, is_directory in places(self.spec, project) if is_directory]
        read = [
            sources.keep((self.spec.name, path), partial(self._load, path, scope, project))
            for scope, path in _paths(self.spec, project)
        ]
        return self._switched(merged([*directories, *(file.parsed for file in read)]), read)

    def parse(self, text: str, file: str, scope: Scope) -> Parsed:
        """Read the hooks of `text` as if it were `file`, an absolute path."""
        project = paths.home() if scope == "user" else _project_of(self.spec, file, scope)
        read = self._read(json_hooks.parse(text, file, scope), project)
        return self._switched(read.parsed, [read])

    def kept_off(self, project: str) -> str:
        """The file whose `disableAllHooks` disables all of the host's hooks; empty if none does."""
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
        """Apply `disableAllHooks` of the most specific file that sets it. Files that the host ignores do not count."""
        off = next((file.off for file in reversed(read) if file.off is not None), False)
        return _disabled(whole) if off and self.spec.entry.switch == "all files" else whole


def of(spec: HostSpec) -> JsonFormat:
    """The format of a host."""
    return JsonFormat(spec)


def _disabled(parsed: Parsed) -> Parsed:
    return parsed.replace(hooks=tuple(hook.replace(enabled=False) for hook in parsed.hooks))


def places(spec: HostSpec, project: str) -> Iterator[tuple[Scope, str, bool]]:
    """Scope, absolute path and whether it is a directory, the least specific first, without duplicates."""
    known: set[str] = set()
    for files in spec.files:
        for base in _bases(files.path, project, upward=files.upward):
            path = spec.in_home(files.path) if files.path.startswith("~/") else os.path.join(base, files.path)
            if os.path.realpath(path) not in known:  # if the project is the home directory, its files are the user's
                known.add(os.path.realpath(path))
                yield files.scope, path, files.is_directory


def _bases(path: str, project: str, *, upward: bool) -> list[str]:
    """The base directories of a path."""
    if path.startswith("~/"):
        return [paths.home()]
    return [*_repository_above(project), project] if upward else [project]


def _repository_above(project: str) -> list[str]:
    """The directories above a project, from its repository's root down; empty outside a repository."""
    above: list[str] = []
    directory = project
    while not os.path.lexists(os.path.join(directory, ".git")):
        directory, below = os.path.dirname(directory), directory
        if directory == below:
            return []
        above.insert(0, directory)
    return above


def _paths(spec: HostSpec, project: str) -> list[tuple[Scope, str]]:
    named_paths = []
    for scope, path, is_directory in places(spec, project):
        named_paths += [(scope, name) for name in json_paths(path)] if is_directory else [(scope, path)]
    return named_paths


def json_paths(directory: str) -> list[str]:
    """The JSON files of a directory, by name."""
    try:
        names = sorted(os.listdir(directory))
    except OSError:
        return []
    return [os.path.join(directory, name) for name in names if name.endswith(".json") and not name.startswith(".")]


def _project_of(spec: HostSpec, file: str, scope: Scope) -> str:
    """The project of a file in a scope."""
    files = next((files for files in spec.files if files.scope == scope), spec.files[-1])
    for _ in range(files.path.count("/") + 1 + files.is_directory):
        file = os.path.dirname(file)
    return file


def owner(file: JsonHookFile) -> HostSpec | None:
    """The host of a file in a shared directory; None if only one host uses the directory."""
    sharing = _sharing(file)
    if len(sharing) < 2:
        return None
    claimed = [spec for spec in sharing if spec.claims_version and _is_claimed(file, spec)]
    return (claimed or [spec for spec in sharing if not spec.claims_version])[0]


def _sharing(file: JsonHookFile) -> list[HostSpec]:
    """The hosts that read hooks from the directory of a file."""
    directory = os.path.dirname(file.path)
    return [
        spec
        for spec in hosts.json_specs()
        if any(location.is_directory and directory.endswith(f"/{location.path.removeprefix('~/')}") for location in spec.files)
    ]


def _is_claimed(file: JsonHookFile, spec: HostSpec) -> bool:
    """Whether a file has a `version` or camelCase events."""
    camel = frozenset(name for name in spec.events if name[0].islower())
    if file.root is None:
        return bool(re.search(rf'"(?:version|{"|".join(sorted(camel))})"\s*:', file.notes.text))
    events = pairs(file.root).get("hooks", (None, None))[1]
    keys = [key.value for key, _ in events.entries] if events is not None else []
    return "version" in file.root.value or _is_camel_case(keys, camel)


def _is_camel_case(keys: list[str], known: frozenset[str]) -> bool:
    """Whether events are in camelCase. Unknown names decide only if all names are unknown."""
    if any(key[:1].isupper() for key in keys):
        return not known.isdisjoint(keys)
    return any(_CAMEL_CASE.fullmatch(key) for key in keys)
