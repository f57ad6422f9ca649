"""Claude Code: `settings.json` of the user, the project, and `settings.local.json` (seed 003, formats.md §3)."""

from __future__ import annotations

import os
from functools import partial
from typing import TYPE_CHECKING

from hooktui.core import paths
from hooktui.core.records import Record
from hooktui.formats import Parsed, merged
from hooktui.formats.json_hooks import dialects, json_hooks
from hooktui.formats.json_hooks.json_edit import edit
from hooktui.formats.json_hooks.json_form import fields
from hooktui.formats.source_cache import Sources

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hooktui.core.model import Scope
    from hooktui.formats.json_hooks.json_hooks import File

__all__ = ["discover", "edit", "fields", "parse"]


class _Settings(Record):
    """What one file holds; `off` is what its `disableAllHooks` says, None where it decides nothing."""

    parsed: Parsed
    off: bool | None

    @property
    def watched(self) -> tuple[str, ...]:
        return self.parsed.watched


def discover(project: str, sources: Sources | None = None) -> Parsed:
    """All hooks in Claude's files: user, project, local. Never raises for what a file holds."""
    sources = sources or Sources()
    read = [sources.keep(("claude", path), partial(_load, path, scope, project)) for scope, path in _places(project)]
    return _switched(merged(one.parsed for one in read), read)


def parse(text: str, file: str, scope: Scope) -> Parsed:
    """The hooks that `text` would be if it stood in `file`, an absolute path: what an editor checks as one types."""
    project = paths.home() if scope == "user" else os.path.dirname(os.path.dirname(file))
    settings = _read(json_hooks.parse(text, file, scope), project)
    return _switched(settings.parsed, [settings])


def kept_off(project: str) -> str:
    """The file whose `disableAllHooks` keeps all of Claude's hooks off; empty when none does."""
    for scope, path in reversed(_places(project)):
        off = _load(path, scope, project).off
        if off is not None:
            return path if off else ""
    return ""


def _load(path: str, scope: Scope, project: str) -> _Settings:
    file = json_hooks.load(path, scope)
    return _read(file, project) if file else _Settings(parsed=Parsed(watched=(path,)), off=None)


def _read(file: File, project: str) -> _Settings:
    parsed = json_hooks.hooks(file, dialects.CLAUDE, project)
    return _Settings(parsed=parsed, off=None if file.notes.skipped else json_hooks.switched_off(file))


def _places(project: str) -> tuple[tuple[Scope, str], ...]:
    """Where settings may stand, the least specific first; a project that is the home has no settings of its own beside them."""
    own = os.path.join(paths.home(), ".claude", "settings.json")
    shared = os.path.join(project, ".claude", "settings.json")
    local = os.path.join(project, ".claude", "settings.local.json")
    is_home = os.path.realpath(own) == os.path.realpath(shared)
    return (("user", own), *(() if is_home else (("project", shared),)), ("local", local))


def _switched(whole: Parsed, read: Sequence[_Settings]) -> Parsed:
    """The most specific file that sets `disableAllHooks` decides for all; one that Claude skips sets nothing."""
    if next((one.off for one in reversed(read) if one.off is not None), False):
        return whole.replace(hooks=tuple(hook.replace(enabled=False) for hook in whole.hooks))
    return whole
