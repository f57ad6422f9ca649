"""A hook's entry where it stands in its file now, whatever has happened to the file since the hook was read."""

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
    """The text of a hook's file now, and the hook as it is read from that."""

    text: str
    hook: Hook

    @property
    def path(self) -> Path:
        """Leads from the file's root (of a YAML file: its documents) to the entry."""
        return self.hook.entry_path


def locate(hook: Hook) -> LocatedEntry:
    """An entry in its file now. Raises CannotChange when it is not there any more as it was read."""
    now = file_steps.text(hook.file)
    same = [] if now is None else [one for one in read(now, hook) if identity(one) == identity(hook)]
    if now is None or not same:
        raise CannotChange(f"{paths.short(hook.file)} was changed by somebody else: {hook.name} is not there as it was.")
    return LocatedEntry(now, next((one for one in same if one.id == hook.id), same[0]))


def read(text: str, like: Hook) -> Sequence[Hook]:
    """The hooks of a hook's file if it held this text."""
    hooks = formats.load(like.format).parse(text, like.file, like.scope).hooks
    return [one.replace(root=like.root) for one in hooks]  # the text does not say which project it belongs to


def identity(hook: Hook) -> tuple[object, ...]:
    """What makes an entry the same one in another version of its file, where it may have another number."""
    return (hook.event_as_written, hook.tool, hook.text)


def require_not_connection(hook: Hook) -> None:
    """Raises CannotChange for what `hooktui connect` wrote, and knows how to take out again."""
    if hook.calls_hooktui:
        raise CannotChange(f"`hooktui connect` put this there: `hooktui disconnect {hook.format}` takes it out.")
