"""What a JSON or Azure hook runs, as text: its command or inline script, and the script files that it names."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hooktui.diagnostics.script_rules import Script, without_comments
from hooktui.formats import files
from hooktui.formats.json_hooks import json_command
from hooktui.formats.problems import Notes

if TYPE_CHECKING:
    import re
    from collections.abc import Iterator

    from hooktui.core.model import Diagnostic, Hook
    from hooktui.diagnostics.json_places import HostPlaces

LIMIT = 64 * files.KIB


@dataclass(frozen=True, slots=True)
class OwnText(Script):
    """A command or script that stands in the hook file itself."""

    places: HostPlaces

    def warn(self, code: str, message: str, match: re.Match[str], hint: str, meant: str = "") -> Diagnostic:
        """A warning where a pattern was found; the fix writes what was `meant` there."""
        node, inside = self.places.command(self.hook, self.hook.command or "", match.span())
        found = self.places.at(self.hook, node, "warning", code, message, hint=hint, inside=inside)
        fix = self.places.correction(self.hook, node, inside, match.group(), meant) if meant else None
        return found.replace(fix=fix)


def texts(hook: Hook, places: HostPlaces) -> Iterator[Script]:
    """The texts of a hook, its own first."""
    own = hook.command
    if own and len(own) <= LIMIT:
        yield OwnText(hook, Notes(hook.file, own), without_comments(own), places)
    for path in dict.fromkeys(script.path for script in json_command.scripts(hook)):
        if os.path.isfile(path):
            yield from _file(hook, path)


def _file(hook: Hook, path: str) -> Iterator[Script]:
    try:
        text = files.read_text(path, LIMIT)
    except files.Unreadable:
        return
    if "\0" not in text:
        yield Script(hook, Notes(path, text), without_comments(text))
