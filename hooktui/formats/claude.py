"""Claude Code: `settings.json` of the user, the project, and `settings.local.json` (seed 003, formats.md §3)."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from hooktui import paths
from hooktui.formats import Parsed, dialects, json_files, json_hooks
from hooktui.formats.json_edit import edit
from hooktui.formats.json_form import fields

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hooktui.formats.json_hooks import File
    from hooktui.model import Scope

__all__ = ["discover", "edit", "fields", "parse"]


def discover(project: str) -> Parsed:
    """All hooks in Claude's files: user, project, local. Never raises for what a file holds."""
    places = _places(project)
    loaded = [file for scope, path in places if (file := json_hooks.load(path, scope))]
    found = [json_hooks.hooks(file, dialects.CLAUDE, project) for file in loaded]
    whole = json_files.merged(found, [path for _, path in places])
    return _all_off(whole) if _switched_off(loaded) else whole


def parse(text: str, file: str, scope: Scope) -> Parsed:
    """The hooks that `text` would be if it stood in `file`, an absolute path: what an editor checks as one types."""
    project = paths.home() if scope == "user" else os.path.dirname(os.path.dirname(file))
    loaded = json_hooks.parse(text, file, scope)
    parsed = json_hooks.hooks(loaded, dialects.CLAUDE, project)
    return _all_off(parsed) if _switched_off([loaded]) else parsed


def _places(project: str) -> tuple[tuple[Scope, str], ...]:
    """Where settings may stand, the least specific first; a project that is the home has no settings of its own beside them."""
    own = os.path.join(paths.home(), ".claude", "settings.json")
    shared = os.path.join(project, ".claude", "settings.json")
    local = os.path.join(project, ".claude", "settings.local.json")
    is_home = os.path.realpath(own) == os.path.realpath(shared)
    return (("user", own), *(() if is_home else (("project", shared),)), ("local", local))


def _switched_off(loaded: Sequence[File]) -> bool:
    """The most specific file that sets `disableAllHooks` decides for all; one that Claude skips sets nothing."""
    said = (json_hooks.switched_off(file) for file in reversed(loaded) if not file.notes.skipped)
    return next((off for off in said if off is not None), False)


def _all_off(parsed: Parsed) -> Parsed:
    return parsed.replace(hooks=tuple(hook.replace(enabled=False) for hook in parsed.hooks))
