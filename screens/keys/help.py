"""Every key by name: the help overlay and the command palette, both built from the bindings themselves."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

from textual import actions
from textual.app import ComposeResult
from textual.binding import Binding
from textual.command import DiscoveryHit, Hit, Hits, Provider
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.dom import DOMNode
from textual.screen import ModalScreen, Screen
from textual.widget import Widget
from textual.widgets import Input, OptionList, Static
from textual.widgets.option_list import Option

from hooktui.screens.keys.hints import hint
from hooktui.screens.keys.keymap import is_offered
from hooktui.screens.keys.legend import LEGEND
from hooktui.screens.services.app_context import app_context
from hooktui.screens.widgets.filter import has_words
from hooktui.screens.widgets.footer import KeyedButton

_KEY_WIDTH = 16  # columns, the space after the key included
_MARGIN = 4  # columns of the scrollbar and an option's padding
_MIN_WIDTH = 20  # columns to wrap a description in
_MOVING = "Moving"
_MOVES = {
    "move", "page", "tab", "first", "last", "cursor_down", "cursor_up", "page_down", "page_up", "scroll_home", "scroll_end",
    "fold", "unfold", "browse",
}  # fmt: skip
# Other words for the actions, by ID: the palette and the help find them too.
_SYNONYMS: Mapping[str, str] = {
    "approve": "permit trust accept allow untrusted",
    "compare": "diff difference two sessions",
    "connect": "install wire register claude record",
    "copy": "clipboard yank",
    "copy-hook": "convert duplicate clone migrate translate migration",
    "delete": "remove erase trash",
    "demo": "example sample tutorial",
    "editor": "vim nano external open file",
    "export": "save download report html csv jsonl markdown share redacted",
    "filter": "find search query",
    "fix": "repair correct quick fix",
    "fix-all": "repair correct quick fixes",
    "follow": "tail resume pause stop",
    "form": "edit change settings fields properties",
    "group": "sort order arrange",
    "help": "keys shortcuts bindings",
    "history": "statistics stats versions latency",
    "jump": "go to focus pane",
    "next": "search denial failure",
    "keep-example": "test case save record hook tests",
    "match": "test regex pattern matcher",
    "new": "add create insert",
    "new-event": "payload template",
    "only-here": "project scope filter all projects",
    "only-trouble": "denials denied failed failures errors blocked filter",
    "open-hook": "go to source definition",
    "quit": "exit close leave",
    "redo": "again",
    "run": "execute",
    "save": "write store",
    "sort": "order",
    "suspend": "shell background",
    "switch": "enable disable activate deactivate toggle turn on turn off mute",
    "prove": "unproved guards mutation coverage tests examples",
    "tests": "examples test run suite",
    "take-back": "undo restore undelete revert recover trash",
    "try": "test run dry execute simulate rerun repeat replay again",
    "try-past": "replay backtest regression history",
    "what-ran": "version source diff text",
    "why-not": "skipped explain reason",
}
_SELF_EVIDENT = ("command_palette", "help")  # in the palette
_LATER = ("open",)  # there: what nobody looks up


class HelpEntry(NamedTuple):
    """One action: the widget it acts on, its keys and its description; `name` is the binding's ID."""

    node: DOMNode
    group: str
    keys: str
    description: str
    action: str
    name: str = ""

    @property
    def enabled(self) -> bool:
        _, action, parameters = actions.parse(self.action)
        return bool(self.node.check_action(action, parameters))

    @property
    def words(self) -> str:
        return words_for(self.name)

    @property
    def explanation(self) -> str:
        """The action that explains why this one cannot run now; "" if there is none."""
        bindings = _declared(type(self.node))
        return next((binding.action for binding in bindings if binding.id == self.name and not binding.description), "")

    def matches(self, words: str) -> bool:
        return has_words(words, self.group, self.keys, self.description, self.words)


def entries(screen: Screen[Any], own_keys: Mapping[str, str]) -> Iterator[HelpEntry]:
    """Yield hooktui's bindings: the focused pane's first, then the screen's, the app's and the other panes'; moving last."""
    return iter(sorted(_entries(screen, own_keys), key=lambda entry: entry.group == _MOVING))


def _entries(screen: Screen[Any], own_keys: Mapping[str, str]) -> Iterator[HelpEntry]:
    listed: set[tuple[str, str]] = set()
    chain = (screen.focused or screen).ancestors_with_self
    nodes: dict[type[DOMNode], DOMNode] = {}
    for node in (*chain, *screen.query("*")):
        if node.BINDING_GROUP_TITLE:
            nodes.setdefault(type(node), node)
    for node in nodes.values():
        by_action: dict[str, list[Binding]] = {}
        for binding in _bindings(type(node), own_keys):
            if _is_offered(binding, screen):
                by_action.setdefault(binding.action, []).append(binding)
        for action, bindings in by_action.items():
            keys = " ".join(dict.fromkeys(screen.app.get_key_display(binding) for binding in bindings))
            description = bindings[0].tooltip or bindings[0].description
            group = _MOVING if action.partition("(")[0] in _MOVES else node.BINDING_GROUP_TITLE or ""
            duplicate = ("" if group == _MOVING else keys, description)  # all lists of a screen move alike
            if duplicate not in listed:
                listed.add(duplicate)
                yield HelpEntry(node, group, keys, description, action, bindings[0].id or "")


def _is_offered(binding: Binding, screen: Screen[Any]) -> bool:
    """Whether a key makes sense for what the app shows, a fleet or this machine."""
    _, action, parameters = actions.parse(binding.action)
    return is_offered(action, parameters, fleet=app_context(screen).fleet is not None)


def _bindings(node: type[DOMNode], own_keys: Mapping[str, str]) -> Iterator[Binding]:
    """The bindings of a class and its bases in hooktui, with the user's own keys; Textual's editing keys are left out."""
    for binding in _declared(node):
        own = own_keys.get(binding.id or "")
        bound = replace(binding, key=own, key_display=None) if own else binding
        yield from (each for each in Binding.make_bindings([bound]) if each.description)


def _declared(node: type[DOMNode]) -> Iterator[Binding]:
    for cls in node.__mro__:
        yield from cls.__dict__.get("BINDINGS", ()) if cls.__module__.startswith("hooktui.") else ()


def about(screen: Screen[Any]) -> str:
    """The help text of the focused pane, else of the screen."""
    chain = (screen.focused or screen).ancestors_with_self
    return next((hint(" ".join(node.HELP.split())) for node in chain if isinstance(node, Widget) and node.HELP), "")


class PaletteLine(NamedTuple):
    """A line of the palette: what it does, where, how to run it, and other words for it."""

    title: str
    place: str
    run: Callable[[], Any]
    words: str


class PaletteCommands(Provider):
    """What can be done now in the order of the help, then what the other screens can do, then what has no key."""

    async def discover(self) -> Hits:
        for line in self._lines():
            yield DiscoveryHit(line.title, line.run, help=line.place)

    async def search(self, query: str) -> Hits:
        """List the commands that match, by title or by other words."""
        matcher = self.matcher(query)
        for line in self._lines():
            if score := max(map(matcher.match, (line.title, line.words, *line.words.split()))):
                yield Hit(score, matcher.highlight(line.title), line.run, text=line.title, help=line.place)

    def _lines(self) -> Iterator[PaletteLine]:
        app, listed = self.app, set()
        for entry in sorted(entries(self.screen, app_context(self.screen).own_keys), key=lambda entry: entry.name in _LATER):
            action = entry.action if entry.enabled else entry.explanation
            if entry.group == _MOVING or entry.action in _SELF_EVIDENT or entry.description in listed or not action:
                continue
            listed.add(entry.description)
            run = partial(app.run_action, action, entry.node)
            yield PaletteLine(entry.description, f"{entry.group} · {entry.keys}", run, entry.words)
        yield from self._of_other_screens(listed)
        if app_context(self.screen).fleet is None:
            disconnect = partial(app.run_action, "app.connect('disconnect')")
            yield PaletteLine("Disconnect an agent program", "Takes out what connecting wrote", disconnect, "uninstall remove")
        yield PaletteLine("Change theme", "Dark, light and Textual's other themes", app.search_themes, "colours colors")
        yield PaletteLine("Save screenshot", "Write the screen to an SVG file", app.deliver_screenshot, "picture image svg")

    def _of_other_screens(self, listed: set[str]) -> Iterator[PaletteLine]:
        """The commands of the other screens; running one goes there first."""
        app, services = self.app, app_context(self.screen)
        for mode, place in services.screens.items():
            for binding in _bindings(place.load(), services.own_keys) if mode != app.current_mode else ():
                description = binding.tooltip or binding.description
                if description not in listed and binding.action not in _MOVES and _is_offered(binding, self.screen):
                    listed.add(description)
                    where = f"{place.title} · {app.get_key_display(binding)}"
                    run = partial(services.navigator.run_on, mode, binding.action)
                    yield PaletteLine(description, where, run, words_for(binding.id or ""))


class HelpScreen(ModalScreen[HelpEntry | None]):
    """All keys of a screen, searchable; returns the entry to run, None for nothing."""

    BINDINGS = [
        Binding("escape,question_mark", "dismiss(None)", "Close"),
        Binding("down", "move('cursor_down')", "Next", show=False),
        Binding("up", "move('cursor_up')", "Previous", show=False),
        Binding("pagedown", "move('page_down')", "Next page", show=False),
        Binding("pageup", "move('page_up')", "Previous page", show=False),
    ]

    def __init__(self, over: Screen[Any], own_keys: Mapping[str, str]) -> None:
        super().__init__()
        self._entries = list(entries(over, own_keys))
        self._about = about(over)

    def compose(self) -> ComposeResult:
        with Vertical(classes="dialog large") as box:
            box.border_title = "Keys and signs"
            yield Static(self._about, id="about", markup=False)
            yield Input(placeholder="Search keys and actions", compact=True)
            yield OptionList(compact=True, markup=False)
            with Horizontal(classes="buttons"):
                yield KeyedButton("enter", "Run", "screen.move('select')")
                yield KeyedButton("esc", "Close", "screen.dismiss(None)")

    def on_resize(self) -> None:
        self.call_after_refresh(self.on_input_changed)

    def on_input_changed(self) -> None:
        self._fill(self.query_one(Input).value)

    def on_input_submitted(self) -> None:
        self.query_one(OptionList).action_select()

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        self.dismiss(self._entries[int(event.option.id or 0)])

    def action_move(self, how: str) -> None:
        """Move the cursor. The signs below the last key cannot have it: they are scrolled."""
        options = self.query_one(OptionList)
        last = max((line for line, option in enumerate(options.options) if not option.disabled), default=None)
        if how == "page_down" and options.highlighted == last:
            options.scroll_page_down(animate=False)
            return
        getattr(options, f"action_{how}")()
        if options.highlighted is None:
            options.highlighted = last

    def _fill(self, words: str) -> None:
        options = self.query_one(OptionList)
        options.clear_options()
        group = ""
        for number, entry in enumerate(self._entries):
            if not entry.matches(words):
                continue
            if entry.group != group:
                self._add_heading(entry.group)
                group = entry.group
            line = _line(entry.keys, "$footer-key-foreground", entry.description, options.size.width)
            options.add_option(Option(line, id=str(number), disabled=not entry.enabled))
        if signs := [sign for sign in LEGEND if has_words(words, "signs glyphs legend", *sign)]:
            self._add_heading("Signs")
            options.add_options(Option(_line(*sign, options.size.width), disabled=True) for sign in signs)
        if not options.option_count:
            options.add_option(Option(Content("No matching keys."), disabled=True))
        options.action_first()

    def _add_heading(self, text: str) -> None:
        options = self.query_one(OptionList)
        heading = Content.styled(text, "$foreground bold")
        options.add_option(Option(Content.assemble("\n", heading) if options.option_count else heading, disabled=True))


def _line(keys: str, style: str, description: str, width: int) -> Content:
    """Keys or a sign, and beside them the description, wrapped."""
    left = f"{keys:<{_KEY_WIDTH - 2}}  "
    room = max(width - len(left) - _MARGIN, _MIN_WIDTH)
    return Content.assemble((left, style), Content("\n" + " " * len(left)).join(Content(description).wrap(room)))


def words_for(name: str) -> str:
    """An action's ID and other words for it."""
    return f"{name.replace('-', ' ')} {_SYNONYMS.get(name, '')}"
