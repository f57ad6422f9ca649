"""Hooks with unsaved edits, made ready to run without touching the person's files.

Only approved content and the person's own edits run: the saved hook must be approved, the file must be the one that was opened,
and a script that the edited text names must be approved or edited, too.
"""

from __future__ import annotations

import os
import shlex
import shutil
from hashlib import sha256
from typing import TYPE_CHECKING, NamedTuple

from hooktui.catalog import catalog
from hooktui.core.model import HookDirectory
from hooktui.edit.document import in_its_place
from hooktui.edit.file_entries import parse
from hooktui.formats import documents
from hooktui.formats.agenthooks import hook_directories, hook_file
from hooktui.formats.json_hooks import json_command
from hooktui.runner import trust
from hooktui.trials.payload_templates import NotApprovedError, TrialError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from hooktui.catalog.catalog import Catalog
    from hooktui.core.model import Hook

    Contents = Mapping[str, bytes]  # of edited files, by path

COPY_LIMIT = 64 << 20  # bytes of a hook's directory


class Edit(NamedTuple):
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
