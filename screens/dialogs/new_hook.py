"""A new hook: its name, its event, what it listens to, and whose it is."""

from __future__ import annotations

import asyncio
from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from textual import on
from textual.binding import Binding
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Button, Input, Label, OptionList, RadioSet, Static
from textual.widgets.option_list import Option

from hooktui import events, paths
from hooktui.editing import making, templates
from hooktui.plain import one_line, visible
from hooktui.screens.widgets.mark import Mark

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import ClassVar

    from textual.app import ComposeResult
    from textual.binding import BindingType
    from textual.screen import Screen

    from hooktui.catalog import Catalog
    from hooktui.editing.making import Made, NewScope

_EVENTS = tuple(name for name in events.CANONICAL if name in events.TRIGGERS)
_SCOPES: Mapping[NewScope, str] = {"project": "this project: .agents/hooks", "user": "all my projects: ~/.config/agents/hooks"}
# Texts that a person types, what stands in them before, and what is said of them when they stay empty.
_TEXTS: Mapping[str, tuple[str, str]] = {
    "name": ("Name", "like block-dangerous: the name of a directory"),
    "tool": ("Tool", "regex on the tool's name, like Shell; empty: any tool"),
    "pattern": ("Pattern", "regex on the tool's input, like rm -rf; empty: any"),
}


class Wanted(NamedTuple):
    """What the person wants made."""

    draft: templates.Draft
    scope: NewScope


async def make_hook(screen: Screen[None], catalog: Catalog) -> Made | None:
    """Ask for a hook and make it; None when nothing was made. To be called in a worker.

    Raises OSError when it cannot be written.
    """
    counts = Counter(hook.event for hook in catalog.hooks)
    wanted = await screen.app.push_screen_wait(NewHookDialog(counts))
    if wanted is None:
        return None
    try:
        made = await asyncio.to_thread(making.make, catalog.project, wanted.scope, wanted.draft, approve=True)
    except FileExistsError as error:
        text = f"{paths.short(error.filename)} is there already: choose another name, or edit that one."
        screen.notify(visible(text), title="Not made", severity="error", markup=False)
        return None
    does = "denies what it matches" if wanted.draft.denies else "only notes that it ran"
    screen.notify(f"{one_line(wanted.draft.name)} {does}: enter edits the script, t tries it.", title="Made", markup=False)
    return made


class NewHookDialog(ModalScreen[Wanted | None]):
    """Asks for what `hooktui new` needs; None when the person went back."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "dismiss(None)", "Back"),
        Binding("ctrl+s", "create", "Create"),
    ]

    def __init__(self, counts: Mapping[str, int]) -> None:
        """`counts`: how many hooks each event has."""
        super().__init__()
        self._counts = counts

    def compose(self) -> ComposeResult:
        """Name, event, matcher, owner."""
        with Vertical(classes="dialog") as box:
            box.border_title = "New hook"
            yield from self._text("name")
            with Horizontal(classes="row events"):
                yield Label("Event")
                yield OptionList(*map(self._event, _EVENTS), id="event", compact=True, markup=False)
            yield from self._text("tool")
            yield from self._text("pattern")
            with Horizontal(classes="row"):
                yield Label("For")
                with RadioSet(id="scope", compact=True):
                    for scope, label in _SCOPES.items():
                        yield Mark(label, value=scope == "project", id=scope)
            yield Static(id="trouble")
            with Horizontal(classes="buttons"):
                yield Button(Content.assemble(("^s ", "$footer-key-foreground"), "Create"), id="create", compact=True)
                yield Button(Content.assemble(("esc ", "$footer-key-foreground"), "Back"), id="back", compact=True)

    def on_mount(self) -> None:
        """Most hooks guard tools."""
        self.query_one(OptionList).highlighted = _EVENTS.index("pre-tool-call")

    def _text(self, name: str) -> Iterator[Horizontal]:
        label, placeholder = _TEXTS[name]
        yield Horizontal(Label(label), Input(placeholder=placeholder, compact=True, id=name), classes="row", id=f"{name}-row")

    def _event(self, name: str) -> Option:
        count = self._counts.get(name, 0)
        about = (f"{events.MEANING[name]}", "$foreground 60%")
        return Option(Content.assemble(f"{name:<23}", (f"{count or '':>2} ", "$foreground 60%"), about), id=name)

    @on(Input.Submitted)
    @on(OptionList.OptionSelected)
    def _next(self) -> None:
        self.focus_next()

    @on(OptionList.OptionHighlighted)
    def _offer_matcher(self, event: OptionList.OptionHighlighted) -> None:
        """Only the events of tools have a tool and an input."""
        for name in ("tool", "pattern"):
            self.query_one(f"#{name}-row").display = event.option.id in events.TOOL_EVENTS
        self._check()

    @on(Input.Changed)
    def _check(self) -> None:
        """Say what is wrong while one types; nothing before anything was typed."""
        named = bool(self.query_one("#name", Input).value)
        self._draft() if named else self._tell("")

    @on(Button.Pressed, "#back")
    def _back(self) -> None:
        self.dismiss(None)

    @on(Button.Pressed, "#create")
    def action_create(self) -> None:
        """Return what was asked for, or say what is wrong with it."""
        draft, pressed = self._draft(), self.query_one(RadioSet).pressed_index
        if draft is None:
            self.set_focus(self.query_one("#name"))
        else:
            self.dismiss(Wanted(draft, tuple(_SCOPES)[pressed]))

    def _draft(self) -> templates.Draft | None:
        """What is asked for; says what is wrong with it."""
        option = self.query_one(OptionList).highlighted_option
        assert option is not None
        assert option.id is not None
        of_tool = option.id in events.TOOL_EVENTS
        name, *matcher = (self.query_one(f"#{text}", Input).value for text in _TEXTS)
        tool, pattern = ((regex or None) if of_tool else None for regex in matcher)
        try:
            draft = templates.Draft(name, option.id, tool, pattern)
        except ValueError as error:
            self._tell(str(error))
            return None
        self._tell("")
        return draft

    def _tell(self, trouble: str) -> None:
        self.query_one("#trouble", Static).update(Content.styled(visible(trouble), "$error"))
