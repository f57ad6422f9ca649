"""Create a hook step by step: event, existing or new hook, location, matcher, and a diff of what is written.

Each step can go back and keeps the choices made; nothing is written before the end.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from rich.cells import cell_len
from textual import on
from textual.binding import Binding
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Button, ContentSwitcher, Input, Static

from hooktui import connect
from hooktui.catalog.hook_states import hook_state
from hooktui.core import events
from hooktui.core.text_sanitizer import one_line
from hooktui.edit import create_hook, new_hook_places
from hooktui.edit.copy_targets import why_not_run
from hooktui.edit.file_entries import HOSTS
from hooktui.edit.file_steps import ChangeRefusedError
from hooktui.screens.dialogs.reading_dialog import summary, would_write
from hooktui.screens.hooks.draft_form import DraftForm
from hooktui.screens.hooks.hook_browser import matcher_and_owner
from hooktui.screens.hooks.picker import Choosable, Picker
from hooktui.screens.widgets.fields import FieldList
from hooktui.screens.widgets.footer import keyed
from hooktui.screens.widgets.notifications import notify_failure

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from textual.app import ComposeResult

    from hooktui.catalog.catalog import Catalog
    from hooktui.core.model import Hook
    from hooktui.edit.call_rule import CallRule
    from hooktui.edit.change_plan import ChangePlan
    from hooktui.edit.drafts import HookDraft
    from hooktui.edit.new_hook_places import NewHookPlace

_NEW = "new"
GALLERY = "gallery"
_EVENTS, _HOOKS, _PLACES, _DRAFT, _PREVIEW = "events", "hooks", "places", "draft", "preview"
_PICKERS = {_EVENTS: "event, meaning …", _HOOKS: "name, host, scope, state …", _PLACES: "host, scope, file …"}
_QUESTIONS = {
    _EVENTS: "When should it run?",
    _HOOKS: "Use an existing hook or create one?",
    _PLACES: "Where should it live?",
    _DRAFT: "What should it match?",
    _PREVIEW: "Create this hook?",
}
_NAMED = "What should it be called?"  # for an event without a matcher
_NAME, _COUNT = 24, 3  # columns
_HOST, _SCOPE = 16, 8


class NewHookRequest(NamedTuple):
    """The hook to create, and where."""

    plan: ChangePlan
    place: NewHookPlace
    script_listener: Hook | None  # a hook with the matcher that the script applies itself


class NewHookDialog(ModalScreen["Hook | str | None"]):
    """Returns an existing hook to open, or GALLERY; None if one was created, or the user went back."""

    BINDING_GROUP_TITLE = "New hook"
    BINDINGS = [
        Binding("escape", "back", "Back"),
        Binding("ctrl+s", "next", "Next"),
        Binding("pagedown", "read('page_down')", "Read on", show=False),
        Binding("pageup", "read('page_up')", "Read back", show=False),
        Binding("down", "read('down')", "Down", show=False),
        Binding("up", "read('up')", "Up", show=False),
    ]
    on_worker_state_changed = notify_failure

    def __init__(
        self,
        catalog: Catalog,
        event: str,
        place: NewHookPlace | None,
        make: Callable[[NewHookDialog, NewHookRequest], object],
        rule: CallRule | None = None,
    ) -> None:
        """`event` and `place` are preselected; without a place, one with the project's most common format.

        With a `rule` for a logged event the dialog begins with the place, and tool and pattern are filled in.

        `make` starts creating the hook; it dismisses the dialog when that is done, or calls `refuse` with the reason.
        """
        super().__init__()
        self._make = make
        self._catalog = catalog
        self._rule = rule
        self._event = rule.event if rule else event
        self._place = None if rule else place
        self._draft: HookDraft | None = None
        self._plan: ChangePlan | None = None
        self._history: list[str] = []  # the steps taken
        self._host = _usual_host(catalog)

    def compose(self) -> ComposeResult:
        with Vertical(classes="dialog large") as box:
            box.border_title = "New hook"
            yield Static(id="trail", markup=False)
            with ContentSwitcher(initial=_EVENTS):
                yield from (Picker(id=step, placeholder=placeholder) for step, placeholder in _PICKERS.items())
                yield DraftForm(id=_DRAFT)
                with VerticalScroll(id=_PREVIEW, can_focus=False):
                    yield FieldList(0)
            with Horizontal(classes="buttons"):
                yield Button(id="next", compact=True)
                yield Button(keyed("esc", "Back"), id="back", compact=True)

    def on_mount(self) -> None:
        """Ask for the event, and search for hook files meanwhile."""
        project = self._catalog.project
        self._search = self.run_worker(
            lambda: new_hook_places.places(project),
            thread=True,
            group="places",
            description="Looking for hook files",
            exit_on_error=False,
        )
        self.query_one(f"#{_EVENTS}", Picker).offer(list(_event_choices(self._catalog, self._host)), self._event)
        self._show(_EVENTS)
        if self._rule is not None:
            self.call_after_refresh(self._ask_place)

    @property
    def _step(self) -> str:
        return self.query_one(ContentSwitcher).current or _EVENTS

    def _go(self, step: str) -> None:
        self._history.append(self._step)
        self._show(step)

    def _show(self, step: str) -> None:
        self.query_one(ContentSwitcher).current = step
        creates = step == _PREVIEW
        self.query_one("#next", Button).label = keyed("enter", "Create" if creates else "Next")
        chosen = (" › ".join(self._chosen(step)), "$foreground 60%")
        question = _QUESTIONS[step] if step != _DRAFT or self.query_one(DraftForm).seeks else _NAMED
        self.query_one("#trail", Static).update(Content.assemble((question, "bold"), "  ", chosen))
        match self.query_one(f"#{step}"):
            case DraftForm() | Picker() as asks:
                asks.begin()
            case _:
                self.set_focus(self.query_one("#next"))

    def _chosen(self, step: str) -> Iterator[str]:
        place = self._place if step in (_DRAFT, _PREVIEW) else None
        if step != _EVENTS:
            yield new_hook_places.spelled(self._event, place.format if place else self._host)
        if place is not None:
            yield f"{HOSTS[place.format]}, {place.agent or place.scope}"
        if step == _PREVIEW and self._draft is not None:
            yield one_line(self._draft.name)

    def action_back(self) -> None:
        if self._history:
            self._show(self._history.pop())
        else:
            self.dismiss(None)

    action_browse = action_back  # escape in the matcher tester

    async def action_next(self) -> None:
        if self._step == _DRAFT:
            await self._preview()
        elif self._step == _PREVIEW and self._plan is not None and self._draft is not None:
            self._make(self, NewHookRequest(self._plan, self._draft.place, self._draft.script_listener))
        elif self._step in _PICKERS:
            self.query_one(f"#{self._step}", Picker).choose()

    def refuse(self, why: str) -> None:
        """Go back to the fields, and say why the hook could not be created."""
        self.action_back()
        self.query_one(DraftForm).tell(why)

    @on(Input.Submitted)
    async def _submitted(self) -> None:
        await self.action_next()

    async def on_button_pressed(self, event: Button.Pressed) -> None:
        if event.button.id == "back":
            self.action_back()
        else:
            await self.action_next()

    @on(Picker.Chosen, f"#{_EVENTS}")
    async def _take_event(self, event: Picker.Chosen) -> None:
        if event.key == GALLERY:
            self.dismiss(GALLERY)
            return
        self._event = event.key
        present = [hook for hook in self._catalog.own_hooks if hook.event == event.key]
        if not present:
            await self._ask_place()
            return
        self.query_one(f"#{_HOOKS}", Picker).offer(list(_present(self._catalog, present)), _NEW)
        self._go(_HOOKS)

    @on(Picker.Chosen, f"#{_HOOKS}")
    async def _take_hook(self, event: Picker.Chosen) -> None:
        if event.key == _NEW:
            await self._ask_place()
        elif event.key == GALLERY:
            self.dismiss(GALLERY)
        else:
            self.dismiss(next(hook for hook in self._catalog.hooks if hook.id == event.key))

    async def _ask_place(self) -> None:
        places = await self._search.wait()
        usual = self._place or self._of_rule(places) or usual_place(self._catalog, places)
        rows = await asyncio.to_thread(lambda: [_offered(place, place.refusal(self._event)) for place in places])
        self.query_one(f"#{_PLACES}", Picker).offer(rows, _key(usual))
        self._go(_PLACES)

    def _of_rule(self, places: Sequence[NewHookPlace]) -> NewHookPlace | None:
        return next((place for place in places if self._rule and place.format == self._rule.host), None)

    @on(Picker.Chosen, f"#{_PLACES}")
    async def _take_place(self, event: Picker.Chosen) -> None:
        self._place = next(place for place in await self._search.wait() if _key(place) == event.key)
        form = self.query_one(DraftForm)
        if self._rule is not None and self._rule.event == self._event:
            form.fill(self._rule.matcher(self._place), self._rule.pattern)
        form.ask(self._place, self._event, self._catalog.hooks)
        self._go(_DRAFT)

    async def _preview(self) -> None:
        form = self.query_one(DraftForm)
        draft = self._draft = form.draft()
        if draft is None:
            return
        try:
            plan = self._plan = await asyncio.to_thread(planned, draft)
        except ChangeRefusedError as error:
            form.tell(str(error))
            return
        project = self._catalog.project
        obstacle = await asyncio.to_thread(why_not_run, plan.hook, project)
        summaries = [("", Content(summary(plan, project))), ("", _outcome(draft, obstacle))]
        entry_first = sorted(plan.steps, key=lambda step: step.path != plan.hook.file)
        self.query_one(FieldList).show((*summaries, *would_write(entry_first, project)))
        self.query_one(VerticalScroll).scroll_home(animate=False)
        self._go(_PREVIEW)

    def action_read(self, how: str) -> None:
        getattr(self.query_one(f"#{_PREVIEW}"), f"scroll_{how}")(animate=False)


def planned(draft: HookDraft) -> ChangePlan:
    """The new hook with two examples of it. Raises ChangeRefusedError."""
    from hooktui.hook_tests import new_rule_examples

    return new_rule_examples.with_examples(create_hook.plan(draft, own=True), draft)


def _outcome(draft: HookDraft, obstacle: str) -> Content:
    does = "denies what it matches" if draft.denies else "decides nothing until you edit its script"
    if obstacle:
        return Content.styled(f"✕ The hook will not run: {one_line(obstacle)}. Fix this first.", "$error")
    return Content(f"{draft.place.spec.runs_new_hooks}\nThe hook {does}.")


def _usual_host(catalog: Catalog) -> str:
    """The host whose words are the user's: that of all hooks, "" for several; without hooks, the first agent program in use."""
    names = {hook.format for hook in catalog.own_hooks}
    if not names:
        return next((name for name, site in connect.SITES.items() if connect.installed(site)), "")
    return names.pop() if len(names) == 1 else ""


def _event_choices(catalog: Catalog, host: str) -> Iterator[Choosable]:
    """The events with their number of hooks and meaning, those of `host` first; all their names find them."""
    counts = Counter(hook.event for hook in catalog.own_hooks)
    yield from _gallery(_NAME + _COUNT + 1)
    for event, meaning in new_hook_places.event_meanings(host).items():
        cells = (new_hook_places.spelled(event, host), f"{counts[event] or '':>2}", meaning)
        yield Choosable(event, cells, (_NAME, _COUNT), other_names=events.NAMES.get(event, ()))


def _gallery(width: int) -> Iterator[Choosable]:
    yield Choosable(GALLERY, ("+ From the gallery", "popular rules, ready to install"), (width,))


def _present(catalog: Catalog, hooks: Sequence[Hook]) -> Iterator[Choosable]:
    """A new hook, then the existing ones."""
    width = min(max(_NAME, *(cell_len(one_line(hook.label)) + 2 for hook in hooks)), _NAME + _HOST)
    yield Choosable(_NEW, ("+ New hook", ""), (width,))
    yield from _gallery(width)
    for hook in hooks:
        state = hook_state(catalog, hook, [problem for problem in catalog.diagnostics if problem.hook == hook.id])
        about = f"{HOSTS.get(hook.format, hook.format)}, {hook.scope}, {state.word}  {matcher_and_owner(hook)}".rstrip()
        yield Choosable(hook.id, (f"{state.glyph} {one_line(hook.label)}", about), (width,))


def _offered(place: NewHookPlace, refusal: str) -> Choosable:
    file = f"{place.shown}, agent {place.agent}" if place.agent else place.shown
    file = f"all connected programs: {file}" if place.is_for_all else file
    return Choosable(_key(place), (HOSTS[place.format], place.scope, file), (_HOST, _SCOPE), refusal)


def _key(place: NewHookPlace) -> str:
    return "\0".join((place.format, place.scope, place.path, place.agent))


def usual_place(catalog: Catalog, places: Sequence[NewHookPlace]) -> NewHookPlace:
    """The project's place with the most common format of its hooks; without hooks, with that of the first agent program.

    If several formats are as common, the first place, whose hooks run in every connected program.
    """
    own = Counter(hook.format for hook in catalog.hooks if hook.scope == "project" and not hook.calls_hooktui)
    (usual, most), *others = own.most_common(2) or [(_usual_host(catalog), 1)]
    if any(number == most for _, number in others):
        return places[0]
    return next((place for place in places if (place.format, place.scope) == (usual, "project")), places[0])
