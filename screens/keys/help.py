"""Every key by name: the help overlay and the palette's commands, both made from the bindings themselves."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, NamedTuple, cast

from textual import on
from textual.binding import Binding
from textual.command import DiscoveryHit, Hit, Hits, Provider
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.message import Message
from textual.screen import ModalScreen
from textual.widget import Widget
from textual.widgets import Input, OptionList, Static
from textual.widgets.option_list import Option

from hooktui.screens.keys.hints import hint
from hooktui.screens.keys.search_words import words_for
from hooktui.screens.widgets.header import TABS
from hooktui.screens.widgets.keyed_button import KeyedButton

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from typing import Any, ClassVar

    from textual.app import ComposeResult
    from textual.binding import BindingType
    from textual.dom import DOMNode
    from textual.screen import Screen

    from hooktui.app import HooktuiApp

_KEY_WIDTH = 16  # columns, the space behind it included
_EDGES = 4  # columns of the scrollbar and of a line's own padding
_NARROWEST = 20  # columns in which a line is wrapped
_MOVING = "Moving"
_MOVES = {
    "move", "page", "tab", "first", "last", "cursor_down", "cursor_up", "page_down", "page_up", "scroll_home", "scroll_end",
    "fold", "unfold", "browse",
}  # fmt: skip
_SAID_BY_BEING_HERE = ("command_palette", "help")


class Entry(NamedTuple):
    """One thing that can be done: where, with which keys, and how to do it; `name` is that of the action (`id`)."""

    node: DOMNode
    group: str
    keys: str
    description: str
    action: str
    name: str = ""

    @property
    def enabled(self) -> bool:
        """Whether it can be done now."""
        return bool(self.node.check_action(self.action.partition("(")[0], ()))

    @property
    def words(self) -> str:
        """What else it is called."""
        return words_for(self.name)

    @property
    def explanation(self) -> str:
        """The action that says why it cannot be done now, where there is one."""
        return next((one.action for one in _declared(type(self.node)) if one.id == self.name and not one.description), "")

    def matches(self, words: str) -> bool:
        """Whether every word stands somewhere in the entry."""
        text = f"{self.group} {self.keys} {self.description} {self.words}".lower()
        return all(word in text for word in words.lower().split())


def entries(screen: Screen[Any]) -> Iterator[Entry]:
    """Our own bindings: those of the focused pane, the screen, the app and the other panes; how one moves comes last."""
    return iter(sorted(_entries(screen), key=lambda entry: entry.group == _MOVING))


def _entries(screen: Screen[Any]) -> Iterator[Entry]:
    told: set[tuple[str, str]] = set()
    own_keys = _app(screen).own_keys
    chain = screen.focused.ancestors_with_self if screen.focused else screen.ancestors_with_self
    nodes: dict[type[DOMNode], DOMNode] = {}
    for node in (*chain, *screen.query("*")):
        if node.BINDING_GROUP_TITLE:
            nodes.setdefault(type(node), node)
    for node in nodes.values():
        by_action: dict[str, list[Binding]] = {}
        for binding in _bindings(type(node), own_keys):
            by_action.setdefault(binding.action, []).append(binding)
        for action, bindings in by_action.items():
            keys = " ".join(dict.fromkeys(screen.app.get_key_display(binding) for binding in bindings))
            does = bindings[0].tooltip or bindings[0].description
            group = _MOVING if action.partition("(")[0] in _MOVES else node.BINDING_GROUP_TITLE or ""
            same = ("" if group == _MOVING else keys, does)  # two lists of a screen move alike
            if same not in told:
                told.add(same)
                yield Entry(node, group, keys, does, action, bindings[0].id or "")


def _bindings(node: type[DOMNode], own_keys: Mapping[str, str]) -> Iterator[Binding]:
    """What a class binds, and those of ours it is made from, with a person's own keys; Textual's editing keys go unsaid."""
    for binding in _declared(node):
        own = own_keys.get(binding.id or "")
        mine = replace(binding, key=own, key_display=None) if own else binding
        yield from (one for one in Binding.make_bindings([mine]) if one.description)


def _declared(node: type[DOMNode]) -> Iterator[Binding]:
    for cls in node.__mro__:
        yield from cls.__dict__.get("BINDINGS", ()) if cls.__module__.startswith("hooktui.") else ()


def about(screen: Screen[Any]) -> str:
    """What the pane in focus is for, in a few sentences; without one that says so, what the screen is for."""
    chain = screen.focused.ancestors_with_self if screen.focused else screen.ancestors_with_self
    return next((hint(" ".join(node.HELP.split())) for node in chain if isinstance(node, Widget) and node.HELP), "")


def _app(screen: Screen[Any]) -> HooktuiApp:
    return cast("HooktuiApp", screen.app)


class Offer(NamedTuple):
    """A line of the palette: what it does, where, how, and what else people call it."""

    does: str
    where: str
    run: Callable[[], Any]
    words: str


class Actions(Provider):
    """The palette: what can be done now, in the order of the help, then what has no key."""

    async def discover(self) -> Hits:
        """Everything."""
        for does, where, run, _words in self._all():
            yield DiscoveryHit(does, run, help=where)

    async def search(self, query: str) -> Hits:
        """What is like the words."""
        matcher = self.matcher(query)
        for does, where, run, words in self._all():
            if score := max(map(matcher.match, (does, *words.split()))):
                yield Hit(score, matcher.highlight(does), run, text=does, help=where)

    def _all(self) -> Iterator[Offer]:
        app, told = self.app, set()
        for entry in entries(self.screen):
            action = entry.action if entry.enabled else entry.explanation
            if entry.group == _MOVING or entry.action in _SAID_BY_BEING_HERE or entry.description in told or not action:
                continue
            told.add(entry.description)
            run = partial(app.run_action, action, entry.node)
            yield Offer(entry.description, f"{entry.group} · {entry.keys}", run, entry.words)
        yield from self._elsewhere(told)
        yield Offer("Change the theme", "Dark, light and Textual's other themes", app.search_themes, "colours colors")
        yield Offer("Save a screenshot", "Write the screen to an SVG file", app.deliver_screenshot, "picture image svg")

    def _elsewhere(self, told: set[str]) -> Iterator[Offer]:
        """What the other screens can do: choosing it goes there first."""
        app = _app(self.screen)
        for mode, title in TABS:
            screen = getattr(import_module(f"hooktui.screens.{mode}.screen"), f"{title}Screen")
            for binding in _bindings(screen, app.own_keys) if mode != app.current_mode else ():
                does = binding.tooltip or binding.description
                if does not in told and binding.action not in _MOVES:
                    told.add(does)
                    where = f"{title} · {app.get_key_display(binding)}"
                    yield Offer(does, where, partial(app.do_elsewhere, mode, binding.action), words_for(binding.id or ""))


class _Lines(OptionList):
    """The keys, a line each; tells when it has another width."""

    class Resized(Message):
        """There is another number of columns."""

    def on_resize(self) -> None:
        """Tell it."""
        self.post_message(self.Resized())


class HelpScreen(ModalScreen[Entry | None]):
    """All keys of a screen, searchable; returns the thing to do, None for nothing."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,question_mark", "dismiss(None)", "Close"),
        Binding("down", "move('cursor_down')", "Next", show=False),
        Binding("up", "move('cursor_up')", "Previous", show=False),
        Binding("pagedown", "move('page_down')", "Next page", show=False),
        Binding("pageup", "move('page_up')", "Previous page", show=False),
    ]

    def __init__(self, over: Screen[Any]) -> None:
        super().__init__()
        self._entries = list(entries(over))
        self._about = about(over)

    def compose(self) -> ComposeResult:
        """A filter above the list."""
        with Vertical(classes="dialog large") as box:
            box.border_title = "Keys"
            yield Static(self._about, id="about", markup=False)
            yield Input(placeholder="Search keys and actions", compact=True)
            yield _Lines(compact=True, markup=False)
            with Horizontal(classes="buttons"):
                yield KeyedButton("enter", "Do it", "screen.move('select')")
                yield KeyedButton("esc", "Close", "screen.dismiss(None)")

    def on_mount(self) -> None:
        """Show everything first."""
        self._fill("")

    @on(_Lines.Resized)
    def _wrap(self) -> None:
        """Wrap anew."""
        self._fill(self.query_one(Input).value)

    def on_input_changed(self, event: Input.Changed) -> None:
        """Narrow the list."""
        self._fill(event.value)

    def on_input_submitted(self) -> None:
        """Do what is under the cursor."""
        self.query_one(OptionList).action_select()

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """This is to be done."""
        self.dismiss(self._entries[int(event.option.id or 0)])

    def action_move(self, how: str) -> None:
        """Move in the list while the filter keeps the focus."""
        getattr(self.query_one(OptionList), f"action_{how}")()

    def _fill(self, words: str) -> None:
        options = self.query_one(OptionList)
        options.clear_options()
        group = ""
        for number, entry in enumerate(self._entries):
            if not entry.matches(words):
                continue
            if entry.group != group:
                heading = Content.styled(entry.group, "$accent bold")
                options.add_option(Option(Content.assemble("\n", heading) if group else heading, disabled=True))
                group = entry.group
            options.add_option(Option(_line(entry, options.size.width), id=str(number), disabled=not entry.enabled))
        if not options.option_count:
            options.add_option(Option(Content("Nothing of that name."), disabled=True))
        options.action_first()


def _line(entry: Entry, width: int) -> Content:
    """The keys, and beside them what they do, in some columns."""
    keys = Content.styled(f"{entry.keys:<{_KEY_WIDTH - 2}}  ", "$footer-key-foreground")
    room = max(width - len(keys) - _EDGES, _NARROWEST)
    return Content.assemble(keys, Content("\n" + " " * len(keys)).join(Content(entry.description).wrap(room)))
