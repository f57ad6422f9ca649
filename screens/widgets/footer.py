"""The bottom line of every screen: the keys of the focused pane."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rich.cells import cell_len
from textual import widgets
from textual.app import ComposeResult
from textual.content import Content
from textual.screen import Screen
from textual.widgets import Button, RadioButton
from textual.widgets._footer import FooterKey

_HELP = "help"  # shows all other keys


class Footer(widgets.Footer):
    """Recomposed only for other keys, since it consists of a dozen widgets. Keys that do not fit are left out."""

    def __init__(self) -> None:
        super().__init__(show_command_palette=False)
        self._shown: list[tuple[str, str, bool]] = []
        self._width = 0

    def compose(self) -> ComposeResult:
        self._width = self.app.size.width
        keys = [key for key in super().compose() if isinstance(key, FooterKey)]
        yield from fitting(keys, self._width)

    def on_resize(self) -> None:
        if self._width != self.app.size.width:
            self.call_after_refresh(self.recompose)

    def bindings_changed(self, screen: Screen[Any]) -> None:
        if not (self.is_attached and screen is self.screen and screen.app.app_focus):
            return
        active = screen.active_bindings.values()
        keys = [(bound.binding.key, bound.binding.description, bound.enabled) for bound in active if bound.binding.show]
        if keys != self._shown:
            self._shown = keys
            super().bindings_changed(screen)


def fitting(keys: Sequence[FooterKey], width: int) -> list[FooterKey]:
    """The keys that fit: disabled ones are dropped first, then the last ones, never the help."""
    kept = list(keys)
    dropped = sorted(enumerate(keys), key=lambda item: (not item[1].has_class("-disabled"), -item[0]))
    for _, key in dropped:
        if sum(map(_columns, kept)) <= width:
            break
        if key.action != _HELP:
            kept.remove(key)
    return kept


def _columns(key: FooterKey) -> int:
    """A key's width: a space on either side, and one after its description."""
    return cell_len(key.key_display) + 2 + cell_len(key.description) + bool(key.description)


class KeyedButton(Button, can_focus=False):
    """Does by mouse what a key does. It takes no focus: keys still go to the list or text beside it."""

    def __init__(self, key: str, does: str, action: str, *, id: str | None = None) -> None:  # noqa: A002  # Textual's name
        """`action` is a Textual action, such as `screen.dismiss(None)`."""
        super().__init__(keyed(key, does), id=id, action=action, compact=True)

    def says(self, key: str, does: str) -> None:
        self.label = keyed(key, does)
        self.refresh(layout=True)


def keyed(key: str, does: str) -> Content:
    """A key and what it does, in the footer's colours."""
    return Content.assemble((f"{key} ", "$footer-key-foreground"), does)


class SignedRadioButton(RadioButton):
    """One of several choices."""

    BUTTON_INNER = "○"

    def watch_value(self) -> None:
        self.BUTTON_INNER = "●" if self.value else "○"
        super().watch_value()
