"""Which hook to show: after a reload, and for an event of the log."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    from hooktui.core.model import Hook


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
    from hooktui.catalog.log_links import keys

    ran = {run["id"] for run in report["hooks"] if run["state"] != "skipped"}
    return min(listeners, key=lambda hook: (hook != edited, wanted not in keys(hook), ran.isdisjoint(keys(hook))))


def to_try_on_past(report: Mapping[str, Any], listeners: Sequence[Hook], shown: Hook | None) -> Hook:
    """The listener to try on past events: the one shown, else the first one considered for the report's event."""
    from hooktui.catalog.log_links import keys

    considered = {run["id"] for run in report["hooks"]}
    return min(listeners, key=lambda hook: (hook != shown, considered.isdisjoint(keys(hook))))
