"""Entries of hook files: find one as it was read, read back what a change adds, and remove it."""

from __future__ import annotations

import os
from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from hooktui import formats, hosts
from hooktui.core import paths
from hooktui.core.model import AzureEntry
from hooktui.edit import file_steps
from hooktui.edit.document import Document
from hooktui.edit.file_steps import ChangeRefusedError, FileTree, Write, write
from hooktui.formats.azure import azure_files
from hooktui.formats.text_edit import BOM

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hooktui.core.model import EntryPath, Hook

HOSTS = {spec.name: spec.title for spec in hosts.specs()}


class LocatedEntry(NamedTuple):
    """A hook's file as it is now, and the hook as read from it."""

    document: Document
    hook: Hook

    @property
    def path(self) -> EntryPath:
        """The path from the file's root (in YAML from its list of documents) to the entry."""
        return self.hook.entry_path


def locate(hook: Hook) -> LocatedEntry:
    """Find an entry in its file. Raises ChangeRefusedError if it is no longer there as it was read."""
    now = file_steps.text(hook.file)
    same = [] if now is None else [other for other in read(now, hook) if identity(other) == identity(hook)]
    if now is None or not same:
        raise ChangeRefusedError(
            f"{paths.short(hook.file)} was changed by another program: {hook.label} is no longer as it was."
        )
    return LocatedEntry(Document.of(hook, now), next((other for other in same if other.id == hook.id), same[0]))


def remove_entry(hook: Hook) -> Write:
    """Plan the step that removes a hook's entry from its file. Raises ChangeRefusedError."""
    located = locate(hook)
    try:
        return write(hook.file, located.document.remove_entry(located.path).text or None)
    except ValueError as error:
        raise ChangeRefusedError(f"{paths.short(hook.file)}: {error}.") from error


def read(text: str, like: Hook) -> Sequence[Hook]:
    """Parse a text as the file of a hook."""
    return [hook.replace(root=like.root) for hook in parse(text, like, like.root)]  # the text does not contain the project


def parse(text: str, like: Hook, project: str) -> Sequence[Hook]:
    """Parse a text as the file of a hook in a project, as the catalog would."""
    if isinstance(like.source, AzureEntry):
        return azure_files.parse(text, like.file, like.scope, project).hooks
    return formats.load(like.format).parse(text, like.file, like.scope).hooks


def read_back(step: Write | FileTree, like: Hook, agent: str = "") -> Hook:
    """Return the hook that a planned step adds, as its format reads it; `like` has its file and event.

    Raises ChangeRefusedError if there is none.
    """
    if isinstance(step, Write):
        before, content = step.before or b"", step.after or b""
    else:
        before, content = b"", next(file.content for file in step.files if file.name == os.path.basename(like.file))
    old, new = ([*read(text.decode().removeprefix(BOM), like)] if text else [] for text in (before, content))
    more = Counter(map(identity, new)) - Counter(map(identity, old))
    added = [hook for hook in new if identity(hook) in more and hook.event == like.event and (hook.agent or "") == agent]
    if not added:
        raise ChangeRefusedError(f"{paths.short(like.file)} would not contain the hook: its host reads the file differently.")
    return added[-1]


def identity(hook: Hook) -> tuple[object, ...]:
    """Return what identifies an entry in another version of its file, where its number may differ."""
    return (hook.event_as_written, hook.tool, hook.text)


def require_editable(hook: Hook) -> None:
    """Raise ChangeRefusedError for an entry that hooktui does not edit, such as one of `hooktui connect`."""
    if hook.read_only:
        raise ChangeRefusedError(f"{hook.label} cannot be changed or copied here: {hook.read_only}.")
    if hook.calls_hooktui:
        raise ChangeRefusedError(f"`hooktui connect` added this entry: `hooktui disconnect {hook.format}` removes it.")
