"""AgentHooks: find and read the `HOOK.md` directories of the user and of a project (seeds 000 and 001, formats.md §2)."""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

from hooktui.core import events, paths
from hooktui.core import project as projects
from hooktui.core.model import Diagnostic, Fix, Hook
from hooktui.formats import Parsed, files, form_fields, hook_dependencies, hook_version, merged
from hooktui.formats.agenthooks import entry_script, frontmatter, hook_file
from hooktui.formats.agenthooks.frontmatter import FIELDS
from hooktui.formats.agenthooks.hook_file import FORMAT, HOOK_FILE, OFF_FILE
from hooktui.formats.diagnostic_collector import DiagnosticCollector
from hooktui.formats.form_fields import FormField
from hooktui.formats.source_cache import Sources
from hooktui.scripts import analysis_budget

if TYPE_CHECKING:
    from collections.abc import Iterator

    from hooktui.core.model import Scope
    from hooktui.formats.agenthooks.hook_file import ParsedHookFile

__all__ = ["discover", "fields", "parse", "read"]
_TIMEOUT, _PRIORITY = FIELDS["timeout"], FIELDS["priority"]
_ALWAYS = (
    FormField(
        "Name",
        ("name",),
        required=True,
        help="1 to 64 characters; other hosts require a-z, 0-9, hyphens and the directory's name",
    ),
    FormField("Event", ("trigger",), "choice", choices=events.TRIGGERS, required=True, help="when the hook runs"),
    FormField("About", ("description",), required=True, help="what it does, for people and agents; 1 to 1024 characters"),
)
_TOOL = (
    FormField("Tool", ("matcher", "tool"), "regex", "any tool", help="regex, searched in the tool's name"),
    FormField("Pattern", ("matcher", "pattern"), "regex", "any input", help="regex, searched in the tool's input"),
)
_REST = (
    FormField(
        *("Timeout", ("timeout",), "number", str(_TIMEOUT.default), "ms"),
        whole=True,
        help=f"milliseconds, {_TIMEOUT.low} to {_TIMEOUT.high}; then the hook is stopped",
    ),
    FormField(
        *("Priority", ("priority",), "number", str(_PRIORITY.default)),
        whole=True,
        help=f"{_PRIORITY.low} to {_PRIORITY.high}; higher runs first",
    ),
    FormField(
        *("Async", ("async",), "flag", "false"),
        help="the agent does not wait; the hook cannot block or rewrite",
        rare=True,
    ),
)


def discover(directory: str, sources: Sources | None = None) -> Parsed:
    """All hooks of the machine, of the user, and of the project from its root down to a directory, by directory name.

    File content never raises.
    """
    sources = sources or Sources()
    levels = projects.between(projects.root(paths.canonical(directory)), paths.canonical(directory))
    roots: tuple[tuple[Scope, str], ...] = (
        ("managed", paths.managed_hooks()),
        ("user", os.path.abspath(paths.agenthooks_user_root())),
        *(("project", paths.agenthooks_project_root(level)) for level in levels),
    )
    hooks: dict[str, Parsed] = {}  # by the id of the hook
    scans: list[RootScan] = []
    for scope, root in roots:
        scans.append(sources.keep((FORMAT, root), partial(scan, root)))
        for file in scans[-1].hooks:
            parsed = sources.keep((FORMAT, file), partial(read, file, scope))
            while (key := parsed.hooks[0].id) in hooks:
                key = f"{key}@{os.path.basename(os.path.dirname(file))}"
                parsed = sources.keep((FORMAT, file, key), partial(read, file, scope, key))
            hooks[key] = parsed
    listing = Parsed(
        diagnostics=tuple(note for scan in scans for note in scan.diagnostics),
        watched=tuple(path for scan in scans for path in scan.watched),
    )
    return merged((listing, *hooks.values()))


def read(file: str, scope: Scope, key: str = "") -> Parsed:
    """Read the hook in a HOOK.md, an absolute path. `key` is its ID if its own is taken. Content never raises."""
    return _finished(hook_file.load(file, scope), key)


def parse(text: str, file: str, scope: Scope) -> Parsed:
    """Read the hook of `text` as if it were `file`, an absolute path."""
    return _finished(hook_file.draft(text.removeprefix("\ufeff"), file, scope))


def _finished(draft: ParsedHookFile, key: str = "") -> Parsed:
    """Create the hook with its ID, and add the ID to its diagnostics."""
    key = key or f"{FORMAT}:{draft.values['scope']}:{draft.values['name']}"
    problems = tuple(dict.fromkeys(note.code for note in draft.diagnostics))
    hook = Hook(**draft.values, id=key, problems=problems)
    loaded = [os.path.join(hook.root, name) for name in _helpers(hook)]
    scripts = [(hook.command, draft.content)] if hook.command and draft.content else []
    scripts += [(path, hook_version.read_or_nothing(path)) for path in loaded]
    below = [(path[len(hook.root) + 1 :], covered) for path, covered in scripts]
    versioned = hook_version.with_content(hook, (FORMAT, hook.text), below)
    return Parsed(
        hooks=(hook_version.placed(versioned, is_unread=analysis_budget.is_unread(hook)),),
        diagnostics=tuple(note.replace(hook=key) for note in draft.diagnostics),
        watched=(*_watched(hook), *([draft.interpreter] if draft.interpreter else []), *loaded, *map(os.path.dirname, loaded)),
        files=(hook.file,),
    )


def _helpers(hook: Hook) -> tuple[str, ...]:
    """The files below a hook's directory that its script loads, by name. Most hooks have no other file."""
    scripts = os.path.join(hook.root, "scripts")
    try:
        found = {os.path.join(place, name) for place in (hook.root, scripts) for name in files.names(place)}
    except OSError:
        return ()
    return hook_dependencies.loaded(hook) if hook.command and found - {hook.file, hook.command, scripts} else ()


def _watched(hook: Hook) -> Iterator[str]:
    """New and deleted files change their directory; existing ones can change themselves or, as links, their target.

    Only scripts preferred to the hook's own can replace it.
    """
    yield from (hook.root, os.path.join(hook.root, "scripts"), hook.file)
    for path in entry_script.candidates(hook.root):
        if path == hook.command:
            yield path
            return
        if os.path.lexists(path):
            yield path


@dataclass(slots=True)
class RootScan:
    """The content of `root`: directories by name, their HOOK.md files (OFF_FILE if disabled), and diagnostics.

    `passed_over` are links and files, which can become directories without a change of the root.
    """

    root: str
    directories: list[str] = field(default_factory=list)
    hooks: list[str] = field(default_factory=list)
    passed_over: list[str] = field(default_factory=list)
    diagnostics: list[Diagnostic] = field(default_factory=list)

    @property
    def watched(self) -> tuple[str, ...]:
        return (self.root, *self.directories, *self.passed_over)

    def error(self, code: str, message: str, path: str, fix: Fix | None = None) -> None:
        notes = DiagnosticCollector(path, "")
        notes.error(code, message, fix=fix)
        self.diagnostics.extend(notes.collected)

    def refuse(self, path: str, error: OSError) -> None:
        refused = files.unreadable(path, error)
        self.error(refused.code, str(refused), path)


def scan(root: str) -> RootScan:
    """List the directories in `root`, which need not exist. Opens no file."""
    result = RootScan(root)
    try:
        names, identity = os.listdir(root), _identity(os.stat(root))
    except OSError as error:
        if not isinstance(error, FileNotFoundError) or os.path.islink(root):
            result.refuse(root, error)
        return result
    result.directories = _once(root, names, {identity}, result)
    for directory in result.directories:
        _look_into(directory, result)
    return result


def _once(root: str, names: list[str], seen: set[tuple[int, int]], result: RootScan) -> list[str]:
    """The directories by name, each real directory once. A directory is preferred to a link to it."""
    kept: list[str] = []
    visible = (os.path.join(root, name) for name in names if not name.startswith("."))
    for path in sorted(visible, key=lambda path: (os.path.islink(path), path)):
        status = _status(path, result)
        if status is None or not stat.S_ISDIR(status.st_mode) or _identity(status) in seen:
            result.passed_over.append(path)
            _report_oddity(path, root, status, result)
            continue
        seen.add(_identity(status))
        kept.append(path)
    return sorted(kept)


def _report_oddity(path: str, root: str, status: os.stat_result | None, result: RootScan) -> None:
    """Ignore files and repeated links; report what looks like a hook but cannot be one."""
    if status is None or stat.S_ISREG(status.st_mode):
        return
    if stat.S_ISDIR(status.st_mode):
        if os.path.realpath(path) == os.path.realpath(root):
            result.error("broken-link", "links back to its own directory: not followed", path)
    else:
        result.error("unreadable-file", "is neither a directory nor a file: ignored", path)


def _look_into(directory: str, result: RootScan) -> None:
    try:
        names = files.names(directory)
    except OSError as error:
        result.refuse(directory, error)
        return
    for name in (HOOK_FILE, OFF_FILE):
        if name in names:
            result.hooks.append(os.path.join(directory, name))
            return
    for name in sorted(names):
        if name.lower() == HOOK_FILE.lower():
            path, right = os.path.join(directory, name), os.path.join(directory, HOOK_FILE)
            fix = Fix(label=f"rename it to {HOOK_FILE}", kind="rename", path=path, new_path=right)
            result.error("misnamed-file", f"{name} is not loaded: the file must be named {HOOK_FILE}", path, fix)
            return


def _status(path: str, result: RootScan) -> os.stat_result | None:
    try:
        path.encode()
    except UnicodeEncodeError:
        shown = os.fsencode(path).decode("utf-8", "backslashreplace")
        result.error("unreadable-file", "the name is not UTF-8: not loaded", shown)
        return None
    try:
        return files.status(path)
    except OSError as error:
        result.refuse(path, error)
        return None


def _identity(status: os.stat_result) -> tuple[int, int]:
    return status.st_dev, status.st_ino


def fields(text: str, hook: Hook) -> tuple[FormField, ...]:
    """The form of the HOOK.md in `text`. Raises ValueError if its frontmatter cannot be read."""
    head, faults = frontmatter.read(text)
    if head is None or faults:
        raise ValueError(f"fix the frontmatter first: {faults[0].message}")
    has_matcher = hook.event in events.TOOL_EVENTS or head.root.entry("matcher") is not None
    return tuple(form_fields.filled((*_ALWAYS, *(_TOOL if has_matcher else ()), *_REST), head.root))
