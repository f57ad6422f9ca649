"""Copilot CLI: the files of `.github/hooks` and `~/.copilot/hooks` with a `version` or camelCase events (formats.md §3)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hooktui.formats.json_hooks import dialects, json_files
from hooktui.formats.json_hooks.json_edit import edit
from hooktui.formats.json_hooks.json_form import fields
from hooktui.formats.source_cache import Sources

if TYPE_CHECKING:
    from hooktui.core.model import Scope
    from hooktui.formats import Parsed

__all__ = ["discover", "edit", "fields", "parse"]


def discover(project: str, sources: Sources | None = None) -> Parsed:
    """All hooks in Copilot's files: the user's, then the project's. Never raises for what a file holds."""
    return json_files.discover(dialects.COPILOT, project, sources or Sources())


def parse(text: str, file: str, scope: Scope) -> Parsed:
    """The hooks that `text` would be if it stood in `file`, an absolute path: what an editor checks as one types."""
    return json_files.parse(text, file, scope, dialects.COPILOT)
