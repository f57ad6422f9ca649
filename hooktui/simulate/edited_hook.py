"""A hook with unsaved edits, made ready to run without touching a person's files.

What runs is what has been approved, and what the person has typed here, and nothing else: the saved hook must be approved as it
stands, the file must be the one that was opened, and a script that the edited text names must be one of those, or edited too.
"""

from __future__ import annotations

import os
import shlex
import shutil
from dataclasses import dataclass
from functools import partial
from hashlib import sha256
from typing import TYPE_CHECKING

from hooktui import formats
from hooktui.catalog import catalog
from hooktui.core.model import HookDirectory
from hooktui.edit import form_edit
from hooktui.formats.agenthooks import hook_directories, hook_file
from hooktui.formats.azure import azure_files
from hooktui.formats.json_hooks import json_command
from hooktui.security import documents, trust
from hooktui.simulate import payload_templates

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from hooktui.catalog.catalog import Catalog
    from hooktui.core.model import Hook

    Contents = Mapping[str, bytes]  # of edited files, by path

COPY_LIMIT = 64 << 20  # bytes of a hook's directory


@dataclass(frozen=True, slots=True)
class Edit:
    """Unsaved text of one of a hook's files; `stamp` is that of the file which was opened (saving.Document)."""

    path: str
    stamp: str
    text: str


def in_text(hook: Hook, text: str, project: str) -> Hook | None:
    """The hook as an edited text of its own file has it, for looking at; None when it is not in there any more."""
    parse = formats.load(hook.format).parse
    if hook.format == "azure":
        parse = partial(azure_files.parse, project=project)
    return form_edit.in_its_place(hook, parse(text, hook.file, hook.scope).hooks)


def version(found: Catalog, hook: Hook, edits: Iterable[Edit], place: str) -> Hook:
    """The hook as it would be with these edits, ready to run. `place` is an empty directory, for copies that must last as long.

    Raises CannotTry.
    """
    contents = {edit.path: _content(edit) for edit in edits}
    made = (_of_directory if isinstance(hook.source, HookDirectory) else _of_entry)(found, hook, contents, place)
    require_approval(hook, trust.state(hook, trust.approvals(found.project)))  # whatever was copied, it is approved
    known = "\0".join(f"{path}\0{sha256(content).hexdigest()}" for path, content in sorted(contents.items()))
    own = sha256(f"{hook.id}\0{known}".encode(errors="surrogatepass")).hexdigest()
    return made.replace(id=hook.id, file=hook.file, root=hook.root, version=own)


def require_approval(hook: Hook, state: str) -> None:
    """Raises NotApproved when nobody has approved a project's hook as it stands."""
    if state not in ("user", "trusted"):
        what = "has changed since it was approved" if state == "changed" else "is not approved"
        raise payload_templates.NotApproved(f"{hook.name} {what}")


def _content(edit: Edit) -> bytes:
    document = documents.read(edit.path)
    if document.problem or document.stamp != edit.stamp:
        raise payload_templates.CannotTry(
            f"{document.name} was changed by somebody else since it was opened: settle that first"
        )
    return documents.content(document, edit.text)


# A directory: a copy of all that trust covers, with the edited files in place of theirs


def _of_directory(_found: Catalog, hook: Hook, contents: Contents, place: str) -> Hook:
    root = os.path.join(place, os.path.basename(hook.root))
    try:
        _copy(trust.covered(hook), root)
        for path, content in contents.items():
            with open(os.path.join(root, os.path.relpath(path, hook.root)), "wb") as file:
                file.write(content)
    except OSError as error:
        raise payload_templates.CannotTry(f"{hook.name} cannot be copied to be tried: {error.strerror or error}") from error
    [made] = hook_directories.read(os.path.join(root, hook_file.HOOK_FILE), hook.scope).hooks
    return made.replace(command=made.command and made.command.replace(root, hook.root, 1))


def _copy(covered: Iterable[tuple[str, str]], root: str) -> None:
    left = COPY_LIMIT
    for name, path in covered:
        if not os.path.isfile(path):  # a link to a directory, whose files come by themselves; a pipe
            continue
        left -= os.path.getsize(path)
        if left < 0:
            raise OSError(0, f"its directory holds more than {COPY_LIMIT >> 20} MiB; save it first")
        os.makedirs(os.path.dirname(os.path.join(root, name)), exist_ok=True)
        shutil.copy(path, os.path.join(root, name))


# An entry of a JSON or YAML file: it is run as the text has it, on edited copies of the scripts that it names


def _of_entry(found: Catalog, hook: Hook, contents: Contents, place: str) -> Hook:
    own = contents.get(hook.file)
    text = documents.read(hook.file).text if own is None else own.decode()
    made = in_text(hook, text, found.project)
    if made is None:
        raise payload_templates.CannotTry(f"{hook.name} is not in the text any more")
    known = {path for _, path in trust.covered(hook)} | contents.keys()
    strange = [name for name, path in trust.covered(made) if path not in known]
    if strange and hook.scope != trust.OWN_SCOPE:
        raise payload_templates.CannotTry(f"it would run {strange[0]}, which nobody has approved: save the hook and approve it")
    copies = dict(_copies({path: content for path, content in contents.items() if path != hook.file}, place))
    return _pointed(catalog.switched(made, found.settings), copies)


def _copies(contents: Contents, place: str) -> Iterator[tuple[str, str]]:
    """Each edited script and its copy, which finds beside it what stands beside the script."""
    for number, (path, content) in enumerate(contents.items()):
        directory = os.path.join(place, str(number))
        copy = os.path.join(directory, os.path.basename(path))
        os.mkdir(directory)
        for one in os.scandir(os.path.dirname(path)):
            if one.name != os.path.basename(path):
                os.symlink(one.path, os.path.join(directory, one.name))
        with open(copy, "wb") as file:
            file.write(content)
        shutil.copymode(path, copy)
        yield path, copy


def _pointed(hook: Hook, copies: Mapping[str, str]) -> Hook:
    """The hook with the paths of scripts exchanged for those of their copies."""
    if not copies or not hook.argv:
        return hook
    if hook.argv[-1] == hook.command:
        return hook.replace(argv=(*hook.argv[:-1], _exchanged(hook, hook.argv[-1], copies)))
    base = hook.cwd or hook.root
    words = hook.arguments(hook.root)
    return hook.replace(argv=tuple(copies.get(os.path.normpath(os.path.join(base, word)), word) for word in words))


def _exchanged(hook: Hook, command: str, copies: Mapping[str, str]) -> str:
    """A shell command with the words that name scripts exchanged, the last one first."""
    for script in sorted(json_command.scripts(hook), key=lambda script: script.span, reverse=True):
        start, end = script.span
        if script.path in copies:
            command = command[:start] + shlex.quote(copies[script.path]) + command[end:]
    return command
