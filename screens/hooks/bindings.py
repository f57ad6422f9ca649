"""The keys of the Hooks screen."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.binding import Binding

if TYPE_CHECKING:
    from textual.binding import BindingType

HOOK_BINDINGS: list[BindingType] = [
    Binding("ctrl+s", "save", "Save", tooltip="Save your edits", id="save"),
    Binding("a", "new", "New", tooltip="Create a hook", id="new"),
    Binding("i", "detail('fill')", "Form", tooltip="Edit the hook's form", id="form"),
    Binding("t,ctrl+t", "detail('try')", "Try", tooltip="Try the hook on an event, unsaved edits included", id="try"),
    Binding("ctrl+r", "detail('run')", "Run the hook", tooltip="Run the hook on this event", id="run"),
    Binding("space", "change('switch')", "On/off", key_display="␣", tooltip="Turn the hook off or on", id="switch"),
    Binding("d", "change('delete')", "Delete", tooltip="Delete the hook", id="delete"),
    Binding("c", "change('copy')", "Copy", show=False, tooltip="Copy, move or convert the hook", id="copy-hook"),
    Binding("u", "undo", "Undo", tooltip="Undo the last change, or restore a deleted hook", id="take-back"),
    Binding("u", "restore", show=False, id="take-back"),
    Binding("ctrl+z", "undo_typed", "Undo", show=False, tooltip="Undo unsaved edits", id="undo"),
    Binding("f", "detail('fix')", "Fix", tooltip="Apply the fix shown below", id="fix"),
    Binding("f", "explain('fix')", show=False, id="fix"),
    Binding("F", "fix_all", "Fix all", show=False, tooltip="Review and apply all safe fixes", id="fix-all"),
    Binding("m", "detail('match')", "Match", tooltip="Test the matcher on typed and logged events", show=False, id="match"),
    Binding("T", "past", "Try on the past", tooltip="Try the hook on past events", show=False, id="try-past"),
    Binding("H", "detail('history')", "History", tooltip="Show the hook's history", show=False, id="history"),
    Binding("p", "permit", "Approve", tooltip="Review and approve the hook", id="approve"),
    Binding("p", "explain('permit')", show=False, id="approve"),
    Binding("e", "external_editor", "$EDITOR", show=False, tooltip="Edit the file in your own editor", id="editor"),
    Binding("v", "arrange", "Group by", show=False, tooltip="Group by event, file, scope or host", id="group"),
    Binding("slash", "filter", "Filter", key_display="/", tooltip="Filter the hooks", id="filter"),
    Binding("y", "copy", "Copy path", show=False, id="copy"),
    Binding("left_square_bracket", "tab('previous')", "Previous tab", key_display="[", show=False, id="previous-tab"),
    Binding("right_square_bracket", "tab('next')", "Next tab", key_display="]", show=False, id="next-tab"),
    Binding("escape", "browse", "Back to the hooks", show=False, tooltip="Back to the hooks; there, clear the filter"),
]
