"""The directories of JSON hook files that VS Code and Copilot CLI share, and whose each file is (formats.md §3)."""

from __future__ import annotations

import os
import re
from functools import partial
from typing import TYPE_CHECKING

from hooktui.core import paths
from hooktui.formats import Parsed, merged
from hooktui.formats.json_hooks import dialects, json_hooks
from hooktui.formats.json_hooks.json_fields import pairs

if TYPE_CHECKING:
    from collections.abc import Iterator

    from hooktui.core.model import Scope
    from hooktui.formats.json_hooks.dialects import Dialect
    from hooktui.formats.json_hooks.json_hooks import File
    from hooktui.formats.source_cache import Sources

_CAMEL_CASE = re.compile(r"[a-z]+(?:[A-Z][a-z]*)+")
_COPILOTS = frozenset(name for name in dialects.COPILOT.events if name[0].islower())
# What makes a file Copilot's, for one that cannot be read as JSON.
_COPILOT_SIGN = re.compile(rf'"(?:version|{"|".join(_COPILOTS)})"\s*:')


def discover(dialect: Dialect, project: str, sources: Sources) -> Parsed:
    """The hooks of all files that belong to a dialect: the user's, then the project's, each directory by file name."""
    found: list[Parsed] = []
    for scope, directory in directories(project):
        found.append(Parsed(watched=(directory,)))
        own = partial(_own, scope, dialect, project)
        found.extend(sources.keep((dialect.name, path), partial(own, path)) for path in _paths(directory))
    return merged(found)


def _own(scope: Scope, dialect: Dialect, project: str, path: str) -> Parsed:
    """The hooks of a file if it belongs to a dialect."""
    file = json_hooks.load(path, scope)
    if file is None or dialect_of(file) is not dialect:
        return Parsed(watched=(path,))
    return read(file, dialect, project)


def parse(text: str, file: str, scope: Scope, dialect: Dialect) -> Parsed:
    """The hooks of a file as they would be with `text` in it."""
    project = paths.home() if scope == "user" else os.path.dirname(os.path.dirname(os.path.dirname(file)))
    return read(json_hooks.parse(text, file, scope), dialect, project)


def read(file: File, dialect: Dialect, project: str) -> Parsed:
    """One file's hooks; Copilot switches off a file at a time, VS Code none of these."""
    parsed = json_hooks.hooks(file, dialect, project)
    if dialect is dialects.COPILOT and json_hooks.switched_off(file):
        return parsed.replace(hooks=tuple(hook.replace(enabled=False) for hook in parsed.hooks))
    return parsed


def dialect_of(file: File) -> Dialect:
    """Copilot's for a `version` or any camelCase event, else VS Code's."""
    if file.root is None:
        return dialects.COPILOT if _COPILOT_SIGN.search(file.notes.text) else dialects.VSCODE
    events = pairs(file.root).get("hooks", (None, None))[1]
    camel_case = events is not None and _is_camel_case([key.value for key, _ in events.entries])
    return dialects.COPILOT if camel_case or "version" in file.root.value else dialects.VSCODE


def _is_camel_case(keys: list[str]) -> bool:
    """Whether events are Copilot's; a word that is no event decides only where nothing else does."""
    if any(key[:1].isupper() for key in keys):
        return not _COPILOTS.isdisjoint(keys)
    return any(_CAMEL_CASE.fullmatch(key) for key in keys)


def directories(project: str) -> tuple[tuple[Scope, str], ...]:
    """Whose files stand where."""
    return (
        ("user", os.path.join(paths.home(), ".copilot", "hooks")),
        ("project", os.path.join(project, ".github", "hooks")),
    )


def json_files(directory: str, scope: Scope) -> Iterator[File]:
    """The JSON files of a directory, by name."""
    return (file for path in _paths(directory) if (file := json_hooks.load(path, scope)))


def _paths(directory: str) -> list[str]:
    try:
        names = sorted(os.listdir(directory))
    except OSError:
        return []
    return [os.path.join(directory, name) for name in names if name.endswith(".json") and not name.startswith(".")]
