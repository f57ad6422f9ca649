"""An entry taken out of its file, in any format whose hooks are entries."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hooktui.core import paths
from hooktui.edit import azure_entries, json_entries
from hooktui.edit.file_steps import CannotChange, Write, write
from hooktui.edit.locate_entry import locate

if TYPE_CHECKING:
    from hooktui.core.model import Hook


def taken_out(hook: Hook) -> Write:
    """The step that takes a hook's entry out of its file as it is now. Raises CannotChange."""
    stands = locate(hook)
    try:
        without = azure_entries.taken_out if hook.format == "azure" else json_entries.taken_out
        return write(hook.file, without(stands.text, stands.path))
    except ValueError as error:
        raise CannotChange(f"{paths.short(hook.file)}: {error}.") from error
