"""What a pane shows when it has nothing to show: why, and the key to press."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.content import Content
from textual.widgets import Static

from hooktui.screens.hints import hint

if TYPE_CHECKING:
    from collections.abc import Sequence


class Empty(Static):
    """A few lines in the middle of a pane, keys below."""

    def __init__(self, text: str = "", keys: Sequence[tuple[str, str]] = (), *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id, classes="empty")
        self.tell(text, keys)

    def tell(self, text: str, keys: Sequence[tuple[str, str]] = ()) -> None:
        """Say something else; each key stands with what it does. A key in braces is an action's."""
        lines = [Content(text)]
        if keys:
            keys = [(hint(key), does) for key, does in keys]
            key_width, width = (max(len(key[part]) for key in keys) for part in (0, 1))
            aligned = ((f"{key:>{key_width}}", f"  {does:<{width}}") for key, does in keys)
            styled = (Content.assemble((key, "$footer-key-foreground bold"), does) for key, does in aligned)
            lines += [Content(""), *styled]
        self.update(Content("\n").join(lines))
