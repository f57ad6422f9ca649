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
    from hooktui.formats.yaml_composer import Composed

_HOOKS = re.compile(r"^hooks[ \t]*:", re.MULTILINE)
_FIRST_LEVEL = re.compile(r"^([a-zA-Z_-]+:[ \t]+)(\S[^\r\n]*)$", re.MULTILINE)
_QUOTED = re.compile(r"\".*\"|'.*'")
_LOSSY = re.compile(r"[{}\[\]*&#!|>%@`]|: ")
_TABS = re.compile(r"^\t+", re.MULTILINE)


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
        self.root = _mapping(composed)
        self.fault = next(filter(self._is_about_hooks, composed.faults), None)
        if composed.broken:
            self._read_again(fm)
        return self.root.value if self.root else None

    def _is_about_hooks(self, fault: ParseError) -> bool:
        """Whether a fault may change the hooks: not a key elsewhere that is there twice."""
        hooks = self.root and self.root.entry("hooks")
        if not hooks:
            return True
        key, value = hooks
        return key.start <= fault.span[0] < value.end or self.text[slice(*fault.span)] == key.value

    def _read_again(self, fm: str) -> None:
        """Read the frontmatter as Claude Code does after an error, if that saves its hooks."""
        start, end = self.span
        text = _second_reading(fm)
        root = _mapping(yaml_source.compose(whole := self.text[:start] + text + self.text[end:], start, start + len(text)))
        if root and isinstance(root.value.get("hooks"), dict):
            self.text, self.root, self.fault = whole, root, None


def _mapping(composed: Composed) -> Node | None:
    root = composed.roots[0] if composed.roots and not composed.broken else None
    return root if root and isinstance(root.value, dict) else None


def _second_reading(fm: str) -> str:
    """What Claude Code makes of a frontmatter that is not YAML: it quotes values of the first level, and indents with spaces
    (run, 2.1.197 and 2.1.332)."""
    return _TABS.sub(lambda tabs: "  " * len(tabs[0]), _FIRST_LEVEL.sub(_quoted, fm))


def _quoted(line: re.Match[str]) -> str:
    key, value = line.groups()
    if _QUOTED.fullmatch(value) or not _LOSSY.search(value) or (value[0] == "[" and value[-1] == "]" and _is_list(value)):
        return line[0]
    return key + '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _is_list(value: str) -> bool:
    composed = yaml_source.compose(value)
    return not composed.broken and isinstance(composed.roots[0].value, list)


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
    notes = DiagnosticCollector(path, handler.text)
    if handler.fault is not None:
        notes.fault(handler.fault)
        return JsonHookFile(path, scope, notes)
    return JsonHookFile(path, scope, notes, handler.root) if "hooks" in values else None
