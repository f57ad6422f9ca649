"""Buttons that show their key, and radio buttons that show their state by a sign."""

from __future__ import annotations

from textual.content import Content
from textual.widgets import Button, RadioButton


class KeyedButton(Button, can_focus=False):
    """Does by mouse what a key does. It takes no focus: keys still go to the list or text beside it."""

    def __init__(self, key: str, does: str, action: str, *, id: str | None = None) -> None:  # noqa: A002  # Textual's name
        """`action` is a Textual action, such as `screen.dismiss(None)`."""
        super().__init__(keyed(key, does), id=id, action=action, compact=True)

    def says(self, key: str, does: str) -> None:
        """Change the label."""
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
