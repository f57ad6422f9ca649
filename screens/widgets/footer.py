"""The bottom line of every screen: the keys of the focused pane."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import Any, NamedTuple

from rich.cells import cell_len
from textual import events
from textual.content import Content
from textual.reactive import reactive
from textual.screen import Screen
from textual.widget import Widget
from textual.widgets import Button

_HELP = "help"  # shows all other keys


class FooterKey(NamedTuple):
    """A key that may be pressed now: how it is spelled, and what it does."""

    key: str
    display: str
    description: str
    action: str
    enabled: bool = True
    tooltip: str = ""

    @property
    def width(self) -> int:
        """A space on either side of the key, and one after its description."""
        return cell_len(self.display) + 2 + cell_len(self.description) + bool(self.description)


class Footer(Widget):
    """One widget for all keys, as they change with the focus. Keys that do not fit are left out."""

    ALLOW_SELECT = False

    keys: reactive[Sequence[FooterKey]] = reactive((), init=False)
    hovered: reactive[FooterKey | None] = reactive(None, init=False)

    def on_mount(self) -> None:
        self.screen.bindings_updated_signal.subscribe(self, self._take_keys)

    def _take_keys(self, screen: Screen[Any]) -> None:
        if self.is_attached and screen is self.screen and screen.app.app_focus:
            self.keys = list(self._active(screen))

    def _active(self, screen: Screen[Any]) -> Iterator[FooterKey]:
        """The first key of each action, as far as it is shown."""
        seen = set[str]()
        for _, binding, enabled, tooltip in screen.active_bindings.values():
            if binding.show and binding.action not in seen:
                seen.add(binding.action)
                display = self.app.get_key_display(binding)
                yield FooterKey(binding.key, display, binding.description, binding.action, enabled, tooltip)

    def render(self) -> Content:
        return Content.assemble(*map(self._painted, self._shown))

    def _painted(self, key: FooterKey) -> Content:
        dim, ground = "" if key.enabled else " dim", " on $block-hover-background" if key == self.hovered else ""
        told = f"{key.description} " if key.description else ""
        return Content.assemble((f" {key.display} ", f"bold $footer-key-foreground{dim}{ground}"), (told, f"{dim}{ground}"))

    @property
    def _shown(self) -> Sequence[FooterKey]:
        return fitting(self.keys, self.size.width)

    def _key_at(self, x: int) -> FooterKey | None:
        ends = accumulate(key.width for key in self._shown)
        return next((key for key, end in zip(self._shown, ends, strict=True) if x < end), None)

    def on_mouse_move(self, event: events.MouseMove) -> None:
        self.hovered = self._key_at(event.x)

    def on_leave(self) -> None:
        self.hovered = None

    def watch_hovered(self, key: FooterKey | None) -> None:
        self.tooltip = key.tooltip or None if key else None

    def on_mouse_down(self, event: events.MouseDown) -> None:
        key = self._key_at(event.x)
        if key is not None and key.enabled:
            self.app.simulate_key(key.key)
        elif key is not None:
            self.app.bell()


def fitting(keys: Sequence[FooterKey], width: int) -> list[FooterKey]:
    """The keys that fit: disabled ones are dropped first, then the last ones, never the help."""
    kept = list(keys)
    dropped = sorted(enumerate(keys), key=lambda item: (item[1].enabled, -item[0]))
    for _, key in dropped:
        if sum(one.width for one in kept) - 1 <= width:  # the last one's blank may be cut
            break
        if key.action != _HELP:
            kept.remove(key)
    return kept


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
