"""AgentHooks: `HOOK.md` directories of the user and of a project (seeds 000 and 001, formats.md §2)."""

from __future__ import annotations

import os
from functools import partial
from typing import TYPE_CHECKING

from hooktui.core import paths
from hooktui.core.model import Hook
from hooktui.formats import Parsed, as_run, merged
from hooktui.formats.agenthooks import directories, entry_script, hook_file
from hooktui.formats.agenthooks.agenthooks_edit import edit
from hooktui.formats.agenthooks.agenthooks_form import fields
from hooktui.formats.agenthooks.hook_file import FORMAT
from hooktui.formats.source_cache import Sources

if TYPE_CHECKING:
    from collections.abc import Iterator

    from hooktui.core.model import Scope
    from hooktui.formats.agenthooks.hook_file import Draft

__all__ = ["discover", "edit", "fields", "parse", "read"]


def discover(project: str, sources: Sources | None = None) -> Parsed:
    """All hooks of the user and of one project, by scope and directory name. Never raises for what a file holds."""
    sources = sources or Sources()
    roots: tuple[tuple[Scope, str], ...] = (
        ("user", os.path.abspath(paths.agenthooks_user_root())),
        ("project", os.path.abspath(paths.agenthooks_project_root(project))),
    )
    found: dict[str, Parsed] = {}  # by the id of the hook
    scans: list[directories.Scan] = []
    for scope, root in roots:
        scans.append(sources.keep((FORMAT, root), partial(directories.scan, root)))
        for file in scans[-1].hooks:
            parsed = sources.keep((FORMAT, file), partial(read, file, scope))
            while (key := parsed.hooks[0].id) in found:
                key = f"{key}@{os.path.basename(os.path.dirname(file))}"
                parsed = sources.keep((FORMAT, file, key), partial(read, file, scope, key))
            found[key] = parsed
    looked = Parsed(
        diagnostics=tuple(note for scan in scans for note in scan.diagnostics),
        watched=tuple(path for scan in scans for path in scan.watched),
    )
    return merged((looked, *found.values()))


def read(file: str, scope: Scope, key: str = "") -> Parsed:
    """The hook in one HOOK.md, an absolute path; `key` is its id when its own is taken. Never raises for what it holds."""
    return _finished(hook_file.load(file, scope), key)


def parse(text: str, file: str, scope: Scope) -> Parsed:
    """The hook that `text` would be if it stood in `file`, an absolute path."""
    return _finished(hook_file.draft(text.removeprefix("\ufeff"), file, scope))


def _finished(draft: Draft, key: str = "") -> Parsed:
    """Give a hook its id, and stamp it on what is wrong with it."""
    values = {**draft.values, "scripts_text": _scripts_text(draft)}
    key = key or f"{FORMAT}:{values['scope']}:{values['name']}"
    identity = (key, values["file"], values["text"], "")
    problems = tuple(dict.fromkeys(found.code for found in draft.diagnostics))
    hook = Hook(**values, id=key, version=as_run.version(identity, [draft.content]), problems=problems)
    return Parsed(
        hooks=(hook,),
        diagnostics=tuple(found.replace(hook=key) for found in draft.diagnostics),
        watched=(*_watched(hook.root), *([draft.interpreter] if draft.interpreter else [])),
        files=(hook.file,),
    )


def _watched(directory: str) -> Iterator[str]:
    """Whatever comes or goes changes the directory that it is in; what is there may change by itself, or lead elsewhere."""
    beside = (os.path.join(directory, name) for name in (directories.HOOK_FILE, directories.OFF_FILE))
    yield directory
    yield os.path.join(directory, "scripts")
    yield from filter(os.path.lexists, (*beside, *entry_script.candidates(directory)))


def _scripts_text(draft: Draft) -> str:
    path = draft.values["command"]
    return as_run.text([(os.path.relpath(path, draft.values["root"]), draft.content)] if draft.content else ())
