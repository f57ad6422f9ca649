"""Workarounds for Textual, each needed as of version 8.0.

`highlight_panes`: `:focus-within` restyles every widget in a pane each time the focus moves.
`Terminal`: the writer thread ends with an OSError when the terminal closes, and the app waits for it forever; without a SIGHUP
(after `setsid`), the input thread reads the end of the file again and again. A SIGCONT, which the kernel also sends when a
terminal closes, starts another input thread beside the first: one of them keeps the process after the app's end.
`_RestingSelector`: the input thread wakes ten times a second even when nobody types, a third of what the app takes at rest.
`CachedStylesheet`: each screen's first display parses all sheets again and restyles every widget; a class that a widget gets
while it is made styles it for nothing; each widget, and each part of one, is matched with all rules, though one like it was.
`KEY_DISPLAY_ALIASES`: its sign for enter is also that of a line break.
`KEY_TO_UNICODE_NAME`: without the slash, a text input does not know that it takes the key, and the footer offers it.
`paint_soon`: Textual paints at the next tick but one of 60 a second: after a rest, a key shows 17 to 33 ms later.
`RuleSet`: its hash is a function in Python that returns the identity; each styled widget asks all 400 rules.
`TypeAhead`: a key goes to the widget that has the focus at that moment, even if the key before it is about to open a dialog or
move the focus.
"""

from __future__ import annotations

import asyncio
import select
import selectors
import threading
import time
from collections import deque
from collections.abc import Awaitable, Callable, Hashable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from types import SimpleNamespace
from typing import IO, Any, NamedTuple
from weakref import WeakSet

from textual import screen as textual_screen
from textual.app import App
from textual.cache import LRUCache
from textual.css.model import RuleSet
from textual.css.styles import RulesMap
from textual.css.stylesheet import Stylesheet
from textual.dom import DOMNode
from textual.drivers import linux_driver
from textual.drivers.linux_driver import LinuxDriver
from textual.events import Event, Key
from textual.keys import KEY_DISPLAY_ALIASES, KEY_TO_UNICODE_NAME
from textual.message import Message
from textual.timer import Timer
from textual.widget import Widget

KEY_DISPLAY_ALIASES["enter"] = "enter"
KEY_TO_UNICODE_NAME["slash"] = "SOLIDUS"
_PAINT_S = 1 / 120  # between ticks; nothing is painted at a tick without a change
_CACHE_SIZE = 256  # more sheets than all widgets bring along
_MATCHED_SIZE = 4096  # widgets that differ for selectors
_parsed: dict[frozenset[tuple[str, str]], LRUCache[tuple[object, ...], list[RuleSet]]] = {}  # by a theme's variables
_DIALOG_GROUPS = ("dialog", "leave")  # groups of workers that change something or open a dialog
_ROUNDS = 2  # trips from the focused widget up to the app: one for the key, one for the messages it caused
_POLL_S = 0.02
_REST_S = 0.5
_WAITS = 3  # of Textual's 0.1 s, longer than it waits for the rest of an escape sequence
_PATIENCE_S = 5.0  # after which keys go on, whatever they wait for


def paint_soon() -> None:
    """Make screens check for changes twice as often; applies to those shown from now on."""
    textual_screen.UPDATE_PERIOD = _PAINT_S  # type: ignore[misc]


def highlight_panes(app: App[Any], widget: Widget) -> None:
    """Restyle just the panes around a widget that got or lost the focus."""
    panes = [node for node in widget.ancestors if isinstance(node, Widget) and node.has_class("pane")]
    for pane in panes:
        pane.set_class(pane.has_focus_within, "-within", update=False)
    app.stylesheet.update_nodes(panes)


class Terminal(LinuxDriver):
    """A driver that drops output once the terminal is gone, and ends the app then."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._file: Any = ForgivingFile(self._file)
        self._watch: threading.Thread | None = None
        self.exit_event = _InputEnd()

    def start_application_mode(self) -> None:
        if self._key_thread is not None and self._key_thread.is_alive():  # a SIGCONT to an app that was not suspended
            self.suspend_application_mode()
            self._must_signal_resume = True
        super().start_application_mode()  # type: ignore[no-untyped-call]
        if self._watch is None:
            self._watch = threading.Thread(target=self._end_without_terminal, args=(asyncio.get_running_loop(),), daemon=True)
            self._watch.start()

    def _end_without_terminal(self, loop: asyncio.AbstractEventLoop) -> None:
        hangup = select.poll()
        hangup.register(self.fileno, 0)  # no input, only its end
        if any(happened & select.POLLHUP for _, happened in hangup.poll()):
            with suppress(RuntimeError):  # the loop has ended by itself
                loop.call_soon_threadsafe(self._app.exit)


class _RestingSelector(selectors.SelectSelector):
    """Uses the given timeout only just after input, when an escape sequence may be incomplete, and else waits longer."""

    _soon = 0  # short waits left

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        found = super().select(timeout if self._soon else _REST_S)
        self._soon = _WAITS if found else max(self._soon - 1, 0)
        return found


class _InputEnd(threading.Event):
    """Ends the input thread: when it is set, and with the main thread, however that ends."""

    def is_set(self) -> bool:
        return super().is_set() or not threading.main_thread().is_alive()


class ForgivingFile:
    """A terminal's file that ignores failed writes."""

    def __init__(self, file: IO[str]) -> None:
        self._file = file

    def write(self, text: str) -> None:
        with suppress(OSError):
            self._file.write(text)

    def flush(self) -> None:
        with suppress(OSError):
            self._file.flush()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._file, name)


linux_driver.selectors = SimpleNamespace(SelectSelector=_RestingSelector, EVENT_READ=selectors.EVENT_READ)  # type: ignore[attr-defined, assignment]
RuleSet.__hash__ = object.__hash__  # type: ignore[method-assign]


class _MatchedRules:
    """The rules of widgets by what selectors see of them and their ancestors, as a cache for `Stylesheet.apply`.

    Its own cache lasts for one update, and is keyed by a widget's parent.
    """

    def __init__(self) -> None:
        self._rules: LRUCache[Hashable, RulesMap] = LRUCache(_MATCHED_SIZE)

    def get(self, key: tuple[Any, ...]) -> RulesMap | None:
        return self._rules.get(self._path(key))

    def __setitem__(self, key: tuple[Any, ...], rules: RulesMap) -> None:
        self._rules[self._path(key)] = rules

    def _path(self, key: tuple[Any, ...]) -> Hashable:
        """The key with what selectors see of the parent and all above it, in place of the parent."""
        node, *path = key
        while node is not None:
            state = node.app_focus if isinstance(node, App) else node._pseudo_classes_cache_key
            path.append((type(node), node.id, node.classes, state))
            node = node._parent
        return tuple(path)


_matched: dict[tuple[frozenset[str], frozenset[tuple[str, str]]], _MatchedRules] = {}  # by sheets and a theme's variables


class CachedStylesheet(Stylesheet):
    """The app's sheets, all known from its start."""

    def __init__(self, *, variables: dict[str, str], paths: Iterable[object]) -> None:
        """`paths` of the sheets: other sheets match other rules."""
        super().__init__(variables=variables)
        self._paths = frozenset(map(str, paths))
        self._stale = False
        self._styled: WeakSet[DOMNode] = WeakSet()
        self._use_cache()

    def set_variables(self, variables: dict[str, str]) -> None:
        if variables != self._variables:
            self._parse_cache = LRUCache(1)  # the superclass empties the current cache
            super().set_variables(variables)
            self._use_cache()
            self._stale = True

    def _use_cache(self) -> None:
        theme = frozenset(self._variables.items())
        self._parse_cache = _parsed.setdefault(theme, LRUCache(_CACHE_SIZE))
        self._matched: Any = _matched.setdefault((self._paths, theme), _MatchedRules())

    def reparse(self) -> None:
        """Parse again only after a change of theme."""
        if self._stale:
            self.parse()
            self._stale = False
            self._styled.clear()

    def apply(self, node: DOMNode, *, animate: bool = False, cache: Any = None) -> None:
        super().apply(node, animate=animate, cache=self._matched)
        self._styled.add(node)

    def update(self, root: DOMNode, animate: bool = False) -> None:
        """Style the widgets that have not been styled since the sheets were parsed."""
        self.update_nodes((node for node in root.walk_children(with_self=True) if node not in self._styled), animate=animate)

    def update_nodes(self, nodes: Iterable[DOMNode], animate: bool = False) -> None:
        """Style widgets again; not those that are being made: they are styled once they are mounted."""
        super().update_nodes((node for node in nodes if node.parent is not None or isinstance(node, App)), animate=animate)


class _Hold(NamedTuple):
    """A reason to hold keys: whether it still applies, and which keys it lets through."""

    pending: Callable[[], bool]
    passes: Callable[[str], bool]


@dataclass
class KeyHandled(Message):
    """Follows a key through the same queues: when the app receives it, the key has been handled."""

    rounds: int


class TypeAhead:
    """A queue between the terminal and an app. The app hands it every event, and each `KeyHandled` it receives."""

    def __init__(self, app: App[Any], forward: Callable[[Event], Awaitable[None]]) -> None:
        """`forward` handles an event as Textual does."""
        self._app = app
        self._forward = forward
        self._keys: deque[Key] = deque()
        self._target: DOMNode | None = None  # where the last key went, until it is known to be handled
        self._holds: list[_Hold] = []
        self._deadline = 0.0
        self._poll: Timer | None = None

    @property
    def is_idle(self) -> bool:
        return not self._keys and self._target is None

    def hold(self, pending: Callable[[], bool], passes: Callable[[str], bool] = lambda _key: False) -> None:
        """Hold keys while something is `pending`, for a few seconds at most; keys that it `passes` go on."""
        self._holds.append(_Hold(pending, passes))
        self._deadline = time.monotonic() + _PATIENCE_S

    async def take(self, event: Event) -> None:
        """Forward an event, or queue it if it is a key that must wait."""
        if not isinstance(event, Key) or event.is_forwarded:
            await self._forward(event)
        elif self._keys or self._must_wait(event):
            self._keys.append(event)
            self._poll = self._poll or self._app.set_interval(_POLL_S, self._resume)
        else:
            await self._send(event)

    async def handled(self, message: KeyHandled) -> None:
        """Send the next key once the last one has made its rounds."""
        self._follow(message.rounds - 1)
        if self._keys:
            await self._resume()

    def _must_wait(self, key: Key) -> bool:
        self._holds = [hold for hold in self._holds if hold.pending()]
        if self._target is not None and not self._target.is_running:
            self._target = None  # it was closed along with its dialog
        if time.monotonic() > self._deadline:
            self._target = None
            self._holds.clear()
            return False
        return self._target is not None or self._dialog_opens() or not all(hold.passes(key.key) for hold in self._holds)

    def _dialog_opens(self) -> bool:
        """Whether the screen is about to open a dialog, or one has just opened and has no focus yet."""
        screen = self._app.screen
        if screen.is_modal and screen.focused is None:
            return not screen.is_mounted or (screen.AUTO_FOCUS != "" and bool(screen.focus_chain))
        workers = (worker for worker in self._app.workers if worker.node is screen and worker.group in _DIALOG_GROUPS)
        return any(not worker.is_finished for worker in workers)

    async def _send(self, key: Key) -> None:
        self._target = self._app.focused or self._app.screen
        self._deadline = time.monotonic() + _PATIENCE_S
        await self._forward(key)
        self._follow(_ROUNDS)

    def _follow(self, rounds: int) -> None:
        if self._target is None or not rounds or not self._target.post_message(KeyHandled(rounds)):
            self._target = None

    async def _resume(self) -> None:
        if self._keys and not self._must_wait(self._keys[0]):
            await self._send(self._keys.popleft())
        if not self._keys and self._poll is not None:
            self._poll.stop()
            self._poll = None
