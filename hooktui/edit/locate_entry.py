"""Find a hook's entry in its file as it is now, which may have changed since the hook was read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from hooktui import formats, hosts
from hooktui.core import paths
from hooktui.edit import file_steps
from hooktui.edit.file_steps import CannotChange

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hooktui.core.model import Hook

    Path = tuple[str | int, ...]

HOSTS = {spec.name: spec.title for spec in hosts.specs()}


@dataclass(frozen=True, slots=True)
class LocatedEntry:
    """The present text of a hook's file, and the hook as read from it."""

    text: str
    hook: Hook

    @property
    def path(self) -> Path:
        """The path from the file's root (in YAML from its list of documents) to the entry."""
        return self.hook.entry_path


def locate(hook: Hook) -> LocatedEntry:
    """Find an entry in its file. Raises CannotChange if it is no longer there as it was read."""
    now = file_steps.text(hook.file)
    same = [] if now is None else [other for other in read(now, hook) if identity(other) == identity(hook)]
    if now is None or not same:
        raise CannotChange(f"{paths.short(hook.file)} was changed by another program: {hook.name} is no longer as it was.")
    return LocatedEntry(now, next((other for other in same if other.id == hook.id), same[0]))


def read(text: str, like: Hook) -> Sequence[Hook]:
    """Parse a text as the file of a hook."""
    hooks = formats.load(like.format).parse(text, like.file, like.scope).hooks
    return [hook.replace(root=like.root) for hook in hooks]  # the text does not tell the project


def identity(hook: Hook) -> tuple[object, ...]:
    """Return what identifies an entry in another version of its file, where its number may differ."""
    return (hook.event_as_written, hook.tool, hook.text)


def require_not_connection(hook: Hook) -> None:
    """Raise CannotChange for an entry of `hooktui connect`, which `hooktui disconnect` removes."""
    if hook.calls_hooktui:
        raise CannotChange(f"`hooktui connect` added this entry: `hooktui disconnect {hook.format}` removes it.")
