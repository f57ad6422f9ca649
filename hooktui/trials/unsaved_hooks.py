"""Unsaved versions of a hook, made ready to run without touching the person's files: with edits, or as a planned copy.

Only approved content and the person's own edits run: the saved hook must be approved, the file must be the one that was opened,
and a script that the edited text names must be approved or edited, too.

The files of a planned copy go into a mirror of the project or home: a directory with links to everything else there, so that
the copy's command and its relative paths work as they would in place.
"""

from __future__ import annotations

import json
import os
import shlex
import shutil
from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from hooktui import formats, hosts
from hooktui.catalog import catalog
from hooktui.catalog.hook_files import CatalogFiles
from hooktui.core import paths
from hooktui.core.model import HookDirectory, JsonEntry
from hooktui.edit.change_plan import is_made
from hooktui.edit.copy_plan import copy
from hooktui.edit.document import in_its_place
from hooktui.edit.file_entries import parse
from hooktui.edit.file_steps import ChangeRefusedError, written_files
from hooktui.formats import documents, host_tools
from hooktui.formats.agenthooks import hook_directories, hook_file
from hooktui.formats.json_hooks import json_command
from hooktui.runner import pipeline, trust
from hooktui.runner.dispatch_report import report_json
from hooktui.trials.payload_templates import NotApprovedError, TrialError, event_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from hooktui.catalog.catalog import Catalog
    from hooktui.core.model import Event, Hook
    from hooktui.core.report import RunReport
    from hooktui.edit.change_plan import ChangePlan
    from hooktui.edit.copy_targets import Target

    Contents = Mapping[str, bytes]  # of edited files, by path

COPY_LIMIT = 64 << 20  # bytes of a hook's directory
_MIRROR = "mirror"


@dataclass(frozen=True, slots=True)
class Edit:
    """Unsaved text of one of a hook's files; `stamp` is the stamp of the document that was opened."""

    path: str
    stamp: str
    text: str


def in_text(hook: Hook, text: str, project: str) -> Hook | None:
    """Return the hook as in an edited text of its file, to look at; None if it is no longer there."""
    return in_its_place(hook, parse(text, hook, project))


def edited_version(project_catalog: Catalog, hook: Hook, edits: Iterable[Edit], place: str) -> Hook:
    """Return the hook with edits, ready to run. `place` is an empty directory for its files. Raises TrialError."""
    contents = {edit.path: _content(edit) for edit in edits}
    made = (_of_directory if isinstance(hook.source, HookDirectory) else _of_entry)(project_catalog, hook, contents, place)
    require_approval(hook, trust.state(hook, trust.approvals(project_catalog.project)))  # after copying, not before
    contents_key = "\0".join(f"{path}\0{sha256(content).hexdigest()}" for path, content in sorted(contents.items()))
    own = sha256(f"{hook.id}\0{contents_key}".encode(errors="surrogatepass")).hexdigest()
    return made.replace(id=hook.id, identity=hook.identity, file=hook.file, root=hook.root, version=own)


def require_approval(hook: Hook, state: str) -> None:
    """Raise NotApprovedError if a project hook is not approved, or has changed since."""
    if state not in ("user", "trusted"):
        problem = "has changed since it was approved" if state == "changed" else "is not approved"
        raise NotApprovedError(f"{hook.label} {problem}")


def _content(edit: Edit) -> bytes:
    document = documents.read(edit.path)
    if document.problem or document.stamp != edit.stamp:
        raise TrialError(f"{document.name} was changed by another program since it was opened: resolve that first")
    return documents.content(document, edit.text)


# A hook directory: a copy of all files that trust covers, with the edits


def _of_directory(_catalog: Catalog, hook: Hook, contents: Contents, place: str) -> Hook:
    root = os.path.join(place, os.path.basename(hook.root))
    try:
        _copy(trust.covered(hook), root)
        for path, content in contents.items():
            with open(os.path.join(root, os.path.relpath(path, hook.root)), "wb") as file:
                file.write(content)
    except OSError as error:
        raise TrialError(f"{hook.label} cannot be copied for a try: {error.strerror or error}") from error
    [made] = hook_directories.read(os.path.join(root, hook_file.HOOK_FILE), hook.scope).hooks
    return made.replace(command=made.command and made.command.replace(root, hook.root, 1))


def _copy(covered: Iterable[tuple[str, str]], root: str) -> None:
    left = COPY_LIMIT
    for name, path in covered:
        if not os.path.isfile(path):  # a link to a directory, whose files are listed, too; a pipe
            continue
        left -= os.path.getsize(path)
        if left < 0:
            raise OSError(0, f"its directory is larger than {COPY_LIMIT >> 20} MiB; save it first")
        os.makedirs(os.path.dirname(os.path.join(root, name)), exist_ok=True)
        shutil.copy(path, os.path.join(root, name))


# An entry of a JSON or YAML file: it runs as in the text, with copies of the edited scripts


def _of_entry(project_catalog: Catalog, hook: Hook, contents: Contents, place: str) -> Hook:
    own = contents.get(hook.file)
    text = documents.read(hook.file).text if own is None else own.decode()
    made = in_text(hook, text, project_catalog.project)
    if made is None:
        raise TrialError(f"{hook.label} is no longer in the text")
    approved = {path for _, path in trust.covered(hook)} | contents.keys()
    unapproved = [name for name, path in trust.covered(made) if path not in approved]
    if unapproved and not trust.is_own(hook):
        raise TrialError(f"it would run {unapproved[0]}, which is not approved: save the hook and approve it")
    copies = dict(_copies({path: content for path, content in contents.items() if path != hook.file}, place))
    return _with_copies(catalog.switched(made, project_catalog.settings), copies)


def _copies(contents: Contents, place: str) -> Iterator[tuple[str, str]]:
    """Copy each edited script, with links to the files beside it; yield both paths."""
    for number, (path, content) in enumerate(contents.items()):
        directory = os.path.join(place, str(number))
        copy = os.path.join(directory, os.path.basename(path))
        os.mkdir(directory)
        for entry in os.scandir(os.path.dirname(path)):
            if entry.name != os.path.basename(path):
                os.symlink(entry.path, os.path.join(directory, entry.name))
        with open(copy, "wb") as file:
            file.write(content)
        shutil.copymode(path, copy)
        yield path, copy


def _with_copies(hook: Hook, copies: Mapping[str, str]) -> Hook:
    if not copies or not hook.argv:
        return hook
    if hook.argv[-1] == hook.command:
        return hook.replace(argv=(*hook.argv[:-1], _replaced_words(hook, hook.argv[-1], copies)))
    base = hook.cwd or hook.root
    words = hook.arguments(hook.root)
    return hook.replace(argv=tuple(copies.get(os.path.normpath(os.path.join(base, word)), word) for word in words))


def _replaced_words(hook: Hook, command: str, copies: Mapping[str, str]) -> str:
    """Replace the words of a shell command that name scripts, the last first so that offsets stay valid."""
    for script in sorted(json_command.scripts(hook), key=lambda script: script.span, reverse=True):
        start, end = script.span
        if script.path in copies:
            command = command[:start] + shlex.quote(copies[script.path]) + command[end:]
    return command


class TrialPair:
    """An approved hook and its planned copy, ready to run. Nothing is recorded. Raises TrialError if it cannot be copied."""

    def __init__(self, project_catalog: Catalog, hook: Hook, target: Target, place: str) -> None:
        """`place` is an empty directory for the copy's files."""
        self._catalog = project_catalog
        self._hook = hook
        self._mirror = os.path.join(place, _MIRROR)
        try:
            plan = copy(hook, target)
            self._base = _write_mirror(plan, target, self._mirror)
        except (ChangeRefusedError, OSError) as error:
            raise TrialError(f"the copy of {hook.label} cannot be prepared: {error}") from error
        self._copy = self._read_copy(plan)
        self.linger = hook.is_async

    def run(self, request: Mapping[str, Any]) -> dict[str, RunReport]:
        """Run both on an event's payload, each on its own host's version of it. Raises TrialError."""
        require_approval(self._hook, trust.state(self._hook, trust.approvals(self._catalog.project)))
        event = event_of(self._hook, request["payload"], self._catalog.project)
        original = self._run(self._hook.replace(rivals=(), enabled=True), event, self._catalog.project, os.environ)
        env = {**os.environ, "HOME": self._mirror} if self._base == paths.home() else os.environ
        project = self._mirror if self._base == self._catalog.project else self._catalog.project
        return {"original": original, "copy": self._in_place(self._run(self._copy, self._in_mirror(event), project, env))}

    def _in_mirror(self, event: Event) -> Event:
        """The event in the mirror, for a host that starts relative commands in the session's directory."""
        spec = hosts.spec(self._copy.format)
        is_relative = spec.runs_in_session_dir and not spec.entry.project_variable
        if not (is_relative and isinstance(self._copy.source, JsonEntry) and self._base == self._catalog.project):
            return event
        inside = event.work_dir == self._base or event.work_dir.startswith(self._base + os.sep)
        return event.replace(work_dir=self._mirror + event.work_dir[len(self._base) :]) if inside else event

    def _run(self, hook: Hook, event: Event, project: str, env: Mapping[str, str]) -> RunReport:
        context = pipeline.dispatch_context(
            project, [hook], self._catalog.settings, CatalogFiles, denials_in_a_row=lambda: 0, on_async_end=lambda *_: None
        )
        context = context.replace(env=env, synthetic=True)
        context = pipeline.in_place(context) if hook is self._copy else context
        report = report_json(pipeline.decide(event_for(hook, event), [hook], context))
        return report["hooks"][0]

    def _in_place(self, run: RunReport) -> RunReport:
        """The report with the mirror's paths replaced by the real ones."""
        mirror, base = (json.dumps(path)[1:-1] for path in (self._mirror, self._base))
        replaced: RunReport = json.loads(json.dumps(run).replace(mirror, base))
        return replaced

    def _read_copy(self, plan: ChangePlan) -> Hook:
        result = plan.result
        assert result is not None
        file = os.path.join(self._mirror, os.path.relpath(result.file, self._base))
        with open(file, encoding="utf-8-sig", newline="") as stream:
            hooks = formats.load(result.format).parse(stream.read(), file, result.scope).hooks
        copies = [hook for hook in hooks if is_made(hook, result.replace(file=file))]
        if not copies:
            raise TrialError(f"the copy of {self._hook.label} cannot be read back from {paths.short(result.file)}")
        root = copies[-1].root if isinstance(result.source, HookDirectory) else self._mirror
        names = {"name": self._hook.name, "label": self._hook.label}  # default reasons name the hook
        return copies[-1].replace(**names, root=root, enabled=True)


def event_for(hook: Hook, event: Event) -> Event:
    """The event with the tool and its input named as the hook's own host names them."""
    twins = host_tools.twins(event.host, hook.format)
    if event.tool_name not in twins or event.host == hook.format:
        return event
    tool, tool_input = twins[event.tool_name], event.tool_input
    if isinstance(tool_input, dict):
        tool_input = host_tools.renamed_input(tool_input, event.host, hook.format)
    fields = {**event.fields, "tool_name": tool, "tool_input": tool_input}
    return event.replace(tool_name=tool, tool_input=tool_input, fields=fields)


def _write_mirror(plan: ChangePlan, target: Target, mirror: str) -> str:
    """Write the plan's files below the mirror; return the directory that it mirrors. Raises OSError."""
    files = {file.name: file for file in written_files(plan.steps)}
    bases = (target.project, paths.home(), os.path.dirname(os.path.dirname(target.file)))
    base = next(base for base in bases if all(path.startswith(base + os.sep) for path in files))
    _link(base, mirror, [os.path.relpath(path, base).split(os.sep) for path in files])
    for file in files.values():
        path = os.path.join(mirror, os.path.relpath(file.name, base))
        if file.link is not None:
            os.symlink(file.link, path)
            continue
        with open(path, "wb") as stream:
            stream.write(file.content)
        os.chmod(path, file.mode)
    return base


def _link(real: str, mirror: str, written: list[list[str]]) -> None:
    """Make a directory with links to everything in a real one, except for the paths that are to be written."""
    os.makedirs(mirror)
    inside: dict[str, list[list[str]]] = {}
    for first, *rest in written:
        inside.setdefault(first, []).extend([rest] if rest else [])
    if os.path.isdir(real):
        for entry in os.scandir(real):
            if entry.name not in inside:
                os.symlink(entry.path, os.path.join(mirror, entry.name))
    for name, below in inside.items():
        if below:
            _link(os.path.join(real, name), os.path.join(mirror, name), below)
