"""What a pane shows when it has nothing to show: why, and the key to press."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.content import Content
from textual.widgets import Static

if TYPE_CHECKING:
    from collections.abc import Sequence


class Empty(Static):
    """A few lines in the middle of a pane, keys below."""

    def __init__(self, text: str = "", keys: Sequence[tuple[str, str]] = (), *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id, classes="empty")
        self.tell(text, keys)

    def tell(self, text: str, keys: Sequence[tuple[str, str]] = ()) -> None:
        """Say something else; each key stands with what it does."""
        lines = [Content.assemble((key, "$footer-key-foreground bold"), f"  {does}") for key, does in keys]
        self.update(Content("\n").join([Content(text), *([Content("")] if lines else []), *lines]))
