"""Buttons that say which key does the same."""

from __future__ import annotations

from textual.content import Content
from textual.widgets import Button


class KeyedButton(Button, can_focus=False):
    """Does by mouse what a key does. It takes no focus, so that the keys still go to the list or the text beside it."""

    def __init__(self, key: str, does: str, action: str, *, id: str | None = None) -> None:  # noqa: A002  # Textual's name
        """`action` is one of Textual's, like `screen.dismiss(None)`."""
        super().__init__(keyed(key, does), id=id, action=action, compact=True)

    def says(self, key: str, does: str) -> None:
        """Another thing to do, and as wide as that is."""
        self.label = keyed(key, does)
        self.refresh(layout=True)


def keyed(key: str, does: str) -> Content:
    """What a key does, in the colours of the footer."""
    return Content.assemble((f"{key} ", "$footer-key-foreground"), does)
