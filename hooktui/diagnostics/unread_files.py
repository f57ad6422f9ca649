"""Hook files that nobody reads here: in directories below the project's root, and of agents that hooktui does not support."""

from __future__ import annotations

import os
from collections.abc import Iterator

from hooktui import hosts
from hooktui.core.model import Diagnostic
from hooktui.core.paths import near
from hooktui.formats import files
from hooktui.formats.diagnostic_collector import DiagnosticCollector
from hooktui.formats.json_hooks import file_syntax

_CODE = "no-hook-file"
_LIMIT = 256 * files.KIB
_MOST = 500  # directories of one level
# Directories whose own directories are parts of the project, each perhaps with hooks.
_PARTS = ("apps", "crates", "examples", "libs", "modules", "packages", "plugins", "projects", "services")
_IGNORED = ("build", "dist", "node_modules", "target", "vendor", "venv")
_OF_WINDSURF = ".windsurf/hooks.json"  # below a project's root


def unread_files(project: str, directory: str) -> Iterator[Diagnostic]:
    """A note for each file with hooks that no host reads when it is started in a directory of a project."""
    message = "hooktui does not support Windsurf yet: it neither lists nor checks these hooks"
    yield from _noted(os.path.join(project, _OF_WINDSURF), message)
    for spec in hosts.json_specs():
        own = [place.path for place in spec.files if place.scope in ("project", "local") and place.below == "start"]
        for part in _parts(project) if own else ():
            if not f"{directory}{os.sep}".startswith(f"{part}{os.sep}"):
                where = near(part, project)
                message = f"{spec.title} reads this file only when it is started in {where}"
                for path in dict.fromkeys(own):
                    yield from _noted(os.path.join(part, path), message, f"`hooktui check {where}` checks its hooks")


def _parts(project: str) -> list[str]:
    """The directories that may be projects of their own: one level below the root, two below those of `_PARTS`."""
    parts = list(_directories(project))
    for name in _PARTS:
        parts += _directories(os.path.join(project, name))
    return parts


def _directories(directory: str) -> Iterator[str]:
    try:
        names = sorted(os.listdir(directory))[:_MOST]
    except OSError:
        return
    for name in names:
        if not name.startswith(".") and name not in _IGNORED:
            yield os.path.join(directory, name)


def _noted(path: str, message: str, hint: str = "") -> Iterator[Diagnostic]:
    if not os.path.isfile(path):
        return
    try:
        text = files.read_text(path, _LIMIT)
    except files.UnreadableFileError:
        return
    root = file_syntax.of(path).read(text).root
    found = root.entry("hooks") if root is not None and isinstance(root.value, dict) else None
    if found is not None and found[1].value:
        yield DiagnosticCollector(path, text).diagnostic("info", _CODE, message, found[0].span, hint=hint)
