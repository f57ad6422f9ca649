"""A home and a project in a temporary directory, and HOOK.md texts in which «…» marks the faulty value."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from hooktui.diagnostics.codes import CODES
from hooktui.formats.agenthooks import hook_directories

if TYPE_CHECKING:
    from pathlib import Path

    from hooktui.core.model import Diagnostic, Hook, Scope
    from hooktui.formats import Parsed

GOOD = "name: guard\ndescription: Guards the shell\ntrigger: pre-tool-call\n"
SCRIPT = "#!/bin/sh\nexit 0\n"


def head(fields: str = GOOD) -> str:
    """The text of a HOOK.md with this frontmatter."""
    return f"---\n{fields}---\n\nBody.\n"


def changed(**fields: str) -> str:
    """The valid frontmatter with some top-level values replaced or added, as written."""
    lines = dict(line.split(": ", 1) for line in GOOD.splitlines()) | fields
    return head("".join(f"{key.rstrip('_')}: {value}\n" for key, value in lines.items()))


def unmarked(text: str) -> tuple[str, tuple[int, int, int, int]]:
    """The text without its «» marks, and the range between them: line, column, end line, end column."""
    before, marked, after = text.replace("»", "«").split("«")
    return before + marked + after, (*_place(before), *_place(before + marked))


def place_of(found: Diagnostic) -> tuple[int, int, int, int]:
    """The range of a diagnostic, as `unmarked` gives it."""
    return found.line, found.column, found.end_line, found.end_column


@dataclass(frozen=True)
class World:
    """A home and a project in which to write and discover hooks."""

    home: Path
    project: Path

    def root(self, scope: Scope) -> Path:
        """The hook root of a scope."""
        return self.home / ".config/agents/hooks" if scope == "user" else self.project / ".agents/hooks"

    def hook(
        self,
        name: str = "guard",
        text: str | bytes = "",
        *,
        scope: Scope = "project",
        entry: str | None = "run",
        script: str | bytes = SCRIPT,
        mode: int = 0o755,
    ) -> Path:
        """Write a hook directory, by default a valid hook with the directory's name."""
        directory = self.root(scope) / name
        directory.mkdir(parents=True)
        text = text or changed(name=name)
        (directory / "HOOK.md").write_bytes(text.encode() if isinstance(text, str) else text)
        if entry:
            path = directory / "scripts" / entry
            path.parent.mkdir()
            path.write_bytes(script.encode() if isinstance(script, str) else script)
            path.chmod(mode)
        return directory

    def found(self) -> Parsed:
        """Everything that is discovered."""
        return hook_directories.discover(str(self.project))

    def only(self) -> Hook:
        """The only hook that is discovered."""
        (hook,) = self.found().hooks
        return hook

    def codes(self) -> list[tuple[str, str]]:
        """(severity, code) of every problem."""
        return [(one.severity, one.code) for one in self.found().diagnostics]

    def problem(self, code: str) -> Diagnostic:
        """The only problem with this code."""
        (found,) = [one for one in self.found().diagnostics if one.code == code]
        return found


def parsed(text: str) -> tuple[Hook, tuple[Diagnostic, ...]]:
    """The hook of a text as if in a directory `guard`, which does not exist; without the problem of a missing script."""
    found = hook_directories.parse(text, "/nowhere/guard/HOOK.md", "project")
    return found.hooks[0], tuple(one for one in found.diagnostics if one.code != "missing-entry")


def skip_of(hook: Hook) -> str:
    """Why a hook does not run, in a word; empty if it may run."""
    return hook.obstacle.skip if hook.obstacle else ""


def wrong(marked: str, severity: str, code: str) -> tuple[Hook, Diagnostic]:
    """Assert that the text has one problem with this code, at the marked place."""
    text, place = unmarked(marked)
    hook, diagnostics = parsed(text)
    (found,) = [one for one in diagnostics if one.code == code]
    assert (found.severity, place_of(found)) == (severity, place)
    assert severity in (CODES[code].severity, CODES[code].also)
    assert found.hook == hook.id
    assert code in hook.problems
    return hook, found


def _place(text: str) -> tuple[int, int]:
    return text.count("\n") + 1, len(text) - (text.rfind("\n") + 1) + 1
