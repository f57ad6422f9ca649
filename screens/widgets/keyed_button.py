"""Buttons that show the key that does the same."""

from __future__ import annotations

from textual.content import Content
from textual.widgets import Button


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
