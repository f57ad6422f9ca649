"""AgentHooks: `HOOK.md` directories of the user and of a project (seeds 000 and 001, formats.md §2)."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from hooktui import paths
from hooktui.formats import Parsed, as_run, directories, entry, hook_file
from hooktui.formats.agenthooks_edit import edit
from hooktui.formats.agenthooks_form import fields
from hooktui.model import Hook

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from hooktui.formats.hook_file import Draft
    from hooktui.model import Diagnostic, Scope

__all__ = ["discover", "edit", "fields", "parse", "read"]


def discover(project: str) -> Parsed:
    """All hooks of the user and of one project, by scope and directory name. Never raises for what a file holds."""
    roots: tuple[tuple[Scope, str], ...] = (
        ("user", os.path.abspath(paths.agenthooks_user_root())),
        ("project", os.path.abspath(paths.agenthooks_project_root(project))),
    )
    drafts: list[Draft] = []
    diagnostics: list[Diagnostic] = []
    watched: list[str] = []
    for scope, root in roots:
        scan = directories.scan(root)
        diagnostics.extend(scan.diagnostics)
        watched.append(root)
        watched.extend(path for directory in scan.directories for path in _watched(directory))
        watched.extend(scan.passed_over)
        drafts.extend(hook_file.load(file, scope) for file in scan.hooks)
    hooks, found = _finish(drafts)
    read_files = tuple(hook.file for hook in hooks)
    return Parsed(hooks=hooks, diagnostics=(*diagnostics, *found), watched=tuple(watched), files=read_files)


def read(file: str, scope: Scope) -> Parsed:
    """The hook in one HOOK.md, an absolute path. Never raises for what it holds."""
    return _alone(hook_file.load(file, scope))


def parse(text: str, file: str, scope: Scope) -> Parsed:
    """The hook that `text` would be if it stood in `file`, an absolute path: what an editor checks as one types."""
    return _alone(hook_file.draft(text.removeprefix("\ufeff"), file, scope))


def _alone(draft: Draft) -> Parsed:
    hooks, diagnostics = _finish([draft])
    return Parsed(hooks=hooks, diagnostics=diagnostics, watched=tuple(_watched(draft.values["root"])), files=(hooks[0].file,))


def _watched(directory: str) -> Iterator[str]:
    yield directory
    yield from (os.path.join(directory, name) for name in (directories.HOOK_FILE, directories.OFF_FILE))
    yield os.path.join(directory, "scripts")
    yield from entry.candidates(directory)


def _finish(drafts: Iterable[Draft]) -> tuple[tuple[Hook, ...], tuple[Diagnostic, ...]]:
    """Give each hook its id, and stamp it on what is wrong with it."""
    hooks: list[Hook] = []
    diagnostics: list[Diagnostic] = []
    taken: set[str] = set()
    for draft in drafts:
        key = f"{hook_file.FORMAT}:{draft.values['scope']}:{draft.values['name']}"
        while key in taken:
            key += "@" + os.path.basename(draft.values["root"])
        taken.add(key)
        problems = tuple(dict.fromkeys(found.code for found in draft.diagnostics))
        values = {**draft.values, "extra": {**draft.values.get("extra", {}), "as_run": _as_run(draft)}}
        identity = (key, draft.values["file"], draft.values["text"], "")
        hooks.append(Hook(**values, id=key, version=as_run.version(identity, [draft.content]), problems=problems))
        diagnostics.extend(found.replace(hook=key) for found in draft.diagnostics)
    return tuple(hooks), tuple(diagnostics)


def _as_run(draft: Draft) -> str:
    """What the log keeps of what ran: HOOK.md and the script that it starts."""
    own, path = str(draft.values["text"]), draft.values["command"]
    return as_run.text(own, [(os.path.relpath(path, draft.values["root"]), draft.content)] if draft.content else ())
