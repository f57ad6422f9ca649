"""What a pane shows when it has nothing to show: why, and the key to press, or to click on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.content import Content
from textual.style import Style
from textual.widgets import Static

from hooktui.screens.keys.hints import hint, key_in

if TYPE_CHECKING:
    from collections.abc import Sequence


class Empty(Static):
    """A few lines in the middle of a pane, keys below."""

    auto_links = False  # keys look like keys everywhere

    def __init__(self, text: str = "", keys: Sequence[tuple[str, str]] = (), *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id, classes="empty")
        self.tell(text, keys)

    def tell(self, text: str, keys: Sequence[tuple[str, str]] = ()) -> None:
        """Say something else; each key stands with what it does. A key in braces is an action's."""
        lines = [Content(text)]
        if keys:
            said = [(key, hint(key), does) for key, does in keys]
            key_width, width = (max(len(one[part]) for one in said) for part in (1, 2))
            aligned = ((key, f"{spelled:>{key_width}}", f"  {does:<{width}}") for key, spelled, does in said)
            lines += [Content(""), *(_line(*one) for one in aligned)]
        self.update(Content("\n").join(lines))


def _line(key: str, spelled: str, does: str) -> Content:
    """A key and what it does; a click on it is that key."""
    line = Content.assemble((spelled, "$footer-key-foreground bold"), does)
    hit = key_in(key)
    return line.stylize(Style.from_meta({"@click": f"app.simulate_key({hit!r})"})) if hit else line
