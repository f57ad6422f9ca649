"""Hooks in the frontmatter of a Markdown file: an agent, a command or a skill (formats.md §3)."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import frontmatter
from frontmatter.default_handlers import YAMLHandler

from hooktui.formats import files, yaml_source
from hooktui.formats.diagnostic_collector import DiagnosticCollector
from hooktui.formats.json_hooks import json_file
from hooktui.formats.json_hooks.json_file import JsonHookFile

if TYPE_CHECKING:
    from typing import Any

    from hooktui.core.model import Scope
    from hooktui.formats.node import Node, ParseError, Span

_HOOKS = re.compile(r"^hooks[ \t]*:", re.MULTILINE)


class _LocatedYaml(YAMLHandler):
    """Frontmatter in YAML whose values keep their positions, with the limits of `yaml_source`."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.text = text
        self.span: Span = (0, 0)
        self.root: Node | None = None
        self.fault: ParseError | None = None

    def split(self, text: str) -> tuple[str, str]:
        """Split the text and remember where its frontmatter is. Raises ValueError if it has none."""
        assert self.FM_BOUNDARY is not None
        before = len(self.text) - len(self.text.lstrip())
        opening = self.FM_BOUNDARY.match(self.text, before)
        closing = self.FM_BOUNDARY.search(self.text, opening.end()) if opening else None
        if opening is None or closing is None:
            raise ValueError("no frontmatter")
        self.span = (opening.end(), closing.start())
        return self.text[slice(*self.span)], self.text[closing.end() :]

    def load(self, fm: str, **_options: object) -> Any:
        """The values of a frontmatter with hooks, None for any other."""
        if not _HOOKS.search(fm):
            return None
        composed = yaml_source.compose(self.text, *self.span)
        self.fault = next(iter(composed.faults), None)
        if not composed.broken and composed.roots and isinstance(composed.roots[0].value, dict):
            self.root = composed.roots[0]
        return self.root.value if self.root else None


def load(path: str, scope: Scope) -> JsonHookFile | None:
    """Load the hooks of a Markdown file; None if it has none. Content never raises."""
    try:
        return parse(files.read_text(path, json_file.LIMIT), path, scope)
    except files.UnreadableFileError:
        return None  # its host reports it


def parse(text: str, path: str, scope: Scope) -> JsonHookFile | None:
    """Parse the text of a Markdown file; None if it has no hooks."""
    handler = _LocatedYaml(text)
    values, _ = frontmatter.parse(text, handler=handler)
    notes = DiagnosticCollector(path, text)
    if handler.fault is not None:
        notes.fault(handler.fault)
        return JsonHookFile(path, scope, notes)
    return JsonHookFile(path, scope, notes, handler.root) if "hooks" in values else None
