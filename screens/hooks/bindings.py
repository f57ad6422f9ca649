"""The keys of the Hooks screen."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.binding import Binding

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    from textual.binding import BindingType

    from hooktui.core.model import Hook

HOOK_BINDINGS: list[BindingType] = [
    Binding("ctrl+s", "save", "Save", tooltip="Save your edits", id="save"),
    Binding("a", "new", "New", tooltip="Create a hook", id="new"),
    Binding("A", "gallery", "Gallery", show=False, tooltip="Install a popular rule", id="gallery"),
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
    Binding("M", "detail('match')", "Match", tooltip="Test the matcher on typed and logged events", show=False, id="match"),
    Binding("T", "past", "Try on past events", tooltip="Try the hook on past events", show=False, id="try-past"),
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


def same_hook(known: Hook, hooks: Sequence[Hook]) -> Hook | None:
    """The hook of a fresh catalog that was `known` before, even if its entry has moved within its file."""
    criteria: tuple[Callable[[Hook], bool], ...] = (
        lambda hook: (hook.id, hook.text) == (known.id, known.text),
        lambda hook: (hook.file, hook.event, hook.text) == (known.file, known.event, known.text),
        lambda hook: hook.id == known.id,
        lambda hook: hook.file == known.file,
    )
    return next((hook for matches in criteria for hook in hooks if matches(hook)), None)


def to_try_again(report: Mapping[str, Any], listeners: Sequence[Hook], edited: Hook | None, wanted: str | None) -> Hook:
    """The listener to try a logged event on: the one being edited, else the wanted one, else one that ran then."""
    ran = {run["id"] for run in report["hooks"] if run["state"] != "skipped"}
    return min(listeners, key=lambda hook: (hook != edited, wanted != hook.identity, hook.identity not in ran))


def to_try_on_past(report: Mapping[str, Any], listeners: Sequence[Hook], shown: Hook | None) -> Hook:
    """The listener to try on past events: the one shown, else the first one considered for the report's event."""
    considered = {run["id"] for run in report["hooks"]}
    return min(listeners, key=lambda hook: (hook != shown, hook.identity not in considered))
