"""A new hook: its name, its event, and whose it is."""

from __future__ import annotations

import asyncio
import os
from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from textual import on
from textual.binding import Binding
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Button, Input, Label, OptionList, RadioButton, RadioSet, Static
from textual.widgets.option_list import Option

from hooktui import events, paths, templates, trust
from hooktui.formats import agenthooks
from hooktui.plain import visible
from hooktui.screens.widgets.places import Place

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import ClassVar

    from textual.app import ComposeResult
    from textual.binding import BindingType
    from textual.screen import Screen

    from hooktui.catalog import Catalog
    from hooktui.model import Scope

_EVENTS = tuple(name for name in events.CANONICAL if name in events.TRIGGERS)
_SCOPES: Mapping[str, tuple[Scope, str]] = {
    "project": ("project", "this project (.agents/hooks, can be committed)"),
    "user": ("user", "me, in every project (~/.config/agents/hooks)"),
}


class Wanted(NamedTuple):
    """What the person wants made."""

    draft: templates.Draft
    scope: Scope


class Made(NamedTuple):
    """A new hook: its HOOK.md, and the place in its script where one goes on."""

    file: str
    place: Place


async def make_hook(screen: Screen[None], catalog: Catalog) -> Made | None:
    """Ask for a hook and make it; None when nothing was made. To be called in a worker.

    Raises OSError when it cannot be written.
    """
    counts = Counter(hook.event for hook in catalog.hooks)
    wanted = await screen.app.push_screen_wait(NewHookDialog(counts))
    if wanted is None:
        return None
    try:
        file = await asyncio.to_thread(_create, catalog.project, wanted)
    except FileExistsError as error:
        text = f"{paths.short(error.filename)} is there already: choose another name, or edit that one."
        screen.notify(visible(text), title="Not made", severity="error", markup=False)
        return None
    script = os.path.join(os.path.dirname(file), wanted.draft.entry)
    before, _, _ = templates.script(wanted.draft).partition("change me")
    return Made(file, Place(script, before.count("\n") + 1))


def _create(project: str, wanted: Wanted) -> str:
    """Write the hook. What a person has just made is approved as it is, like `hooktui new` at a terminal."""
    root = paths.agenthooks_user_root() if wanted.scope == "user" else paths.agenthooks_project_root(project)
    file = templates.create(root, wanted.draft)
    made = agenthooks.read(file, wanted.scope).hooks
    if wanted.scope != trust.OWN_SCOPE:
        trust.approve(project, {hook.id: trust.digest(hook) for hook in made})
    return file


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
        """Name, event, owner."""
        with Vertical(classes="dialog") as box:
            box.border_title = "New hook"
            yield Label("Name")
            yield Input(placeholder="block-dangerous", compact=True, id="name")
            yield Label("Event")
            yield OptionList(*map(self._event, _EVENTS), id="event", compact=True, markup=False)
            yield Label("For")
            with RadioSet(id="scope", compact=True):
                for name, (_, label) in _SCOPES.items():
                    yield RadioButton(label, value=name == "project", id=name)
            yield Static(id="trouble")
            with Horizontal(classes="buttons"):
                yield Button(Content.assemble(("^s ", "$footer-key-foreground"), "Create"), id="create", compact=True)
                yield Button(Content.assemble(("esc ", "$footer-key-foreground"), "Back"), id="back", compact=True)

    def on_mount(self) -> None:
        """Most hooks guard tools."""
        self.query_one(OptionList).highlighted = _EVENTS.index("pre-tool-call")

    def _event(self, name: str) -> Option:
        count = self._counts.get(name, 0)
        about = (f"{events.MEANING[name]}", "$foreground 60%")
        return Option(Content.assemble(f"{name:<24}", (f"{count or '':>3}  ", "$foreground 60%"), about), id=name)

    @on(Input.Submitted)
    @on(OptionList.OptionSelected)
    def _next(self) -> None:
        self.focus_next()

    @on(Button.Pressed, "#back")
    def _back(self) -> None:
        self.dismiss(None)

    @on(Button.Pressed, "#create")
    def action_create(self) -> None:
        """Return what was asked for, or say what is wrong with it."""
        option = self.query_one(OptionList).highlighted_option
        pressed = self.query_one(RadioSet).pressed_button
        assert option is not None
        assert option.id is not None
        assert pressed is not None
        assert pressed.id is not None
        try:
            draft = templates.Draft(self.query_one("#name", Input).value, option.id)
        except ValueError as error:
            self.query_one("#trouble", Static).update(Content.styled(visible(str(error)), "$error"))
            self.query_one("#name").focus()
            return
        self.dismiss(Wanted(draft, _SCOPES[pressed.id][0]))
