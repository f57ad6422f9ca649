"""Install a rule of the gallery: the rules, and below them where the chosen one would go and what would be written."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Callable, Iterator, Sequence

from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Button, Input, Label, OptionList, RadioSet, Select

from hooktui.catalog.catalog import Catalog
from hooktui.core import paths
from hooktui.core.text_sanitizer import one_line, visible
from hooktui.edit import new_hook_places
from hooktui.edit.change_plan import ChangePlan
from hooktui.edit.copy_targets import why_not_run
from hooktui.edit.drafts import HookDraft, Language
from hooktui.edit.file_entries import HOSTS
from hooktui.edit.file_steps import ChangeRefusedError
from hooktui.edit.gallery import rule_drafts
from hooktui.edit.gallery.gallery_rules import RULES, Rule
from hooktui.edit.new_hook_places import NewHookPlace
from hooktui.screens.dialogs.reading_dialog import summary, would_write
from hooktui.screens.hooks.new_hook_dialog import NewHookRequest, planned, usual_place
from hooktui.screens.hooks.past_count import PastCountLine
from hooktui.screens.hooks.picker import Choosable, Picker
from hooktui.screens.services.app_context import app_context
from hooktui.screens.widgets.fields import FieldList
from hooktui.screens.widgets.footer import keyed
from hooktui.screens.widgets.lines import SteadyText
from hooktui.screens.widgets.notifications import notify_failure
from hooktui.screens.widgets.signed_radio_button import SignedRadioButton
from hooktui.trials import gallery_counts
from hooktui.trials.backtest_search import PastCount

_NAME, _COUNT = 18, 12  # columns
_NO_PLACE = -1  # while hook files are looked for; a place is its number
_PATIENCE_S = 30.0  # what takes longer is not counted
_LANGUAGES: tuple[Language, ...] = ("sh", "py", "uv")


class GalleryDialog(ModalScreen[None]):
    """Returns nothing: `make` installs the rule."""

    VERTICAL_BREAKPOINTS = [(0, "-low"), (36, "-high")]
    BINDING_GROUP_TITLE = "Gallery"
    BINDINGS = [
        Binding("escape", "dismiss(None)", "Back"),
        Binding("ctrl+s", "install", "Install"),
        Binding("ctrl+t", "show_past", "Past matches", tooltip="Show the past events that the rule would have matched"),
    ]
    on_worker_state_changed = notify_failure

    def __init__(
        self, catalog: Catalog, place: NewHookPlace | None, make: Callable[[GalleryDialog, NewHookRequest], object]
    ) -> None:
        """`place` is preselected; without one, a place with the project's most common format. `make`: see NewHookDialog."""
        super().__init__()
        self._catalog = catalog
        self._make = make
        self._place = place
        self._places: Sequence[NewHookPlace] = ()

    def compose(self) -> ComposeResult:
        with Vertical(classes="dialog large") as box:
            box.border_title = "Gallery: popular rules"
            box.border_subtitle = "beside each rule: your past calls that it would have acted on"
            yield Picker(id="rules", placeholder="rule, what it does …", click_chooses=False)
            with Horizontal(classes="row"):
                yield Label("Where")
                yield Select[int]((("Looking for hook files…", _NO_PLACE),), compact=True, allow_blank=False, id="where")
            with Horizontal(classes="row", id="script"):
                yield Label("Script")
                with RadioSet(id="language", compact=True):
                    yield from (SignedRadioButton(language, value=language == "sh", id=language) for language in _LANGUAGES)
            yield PastCountLine("^t", self.action_show_past, id="past")
            yield SteadyText(id="trouble", classes="fault")
            with VerticalScroll(id="written"):
                yield FieldList(0)
            with Horizontal(classes="buttons"):
                yield Button(keyed("enter", "Install"), id="install", compact=True)
                yield Button(keyed("esc", "Back"), id="back", compact=True)

    async def on_mount(self) -> None:
        """Offer the rules, then the places, which takes a search for hook files."""
        rules = self.query_one(Picker)
        rules.offer([_choosable(rule) for rule in RULES.values()], "")
        rules.begin()
        self._places = await asyncio.to_thread(new_hook_places.places, self._catalog.project)
        usual = self._place or usual_place(self._catalog, self._places)
        where = self.query_one("#where", Select)
        where.set_options((_title(place), number) for number, place in enumerate(self._places))
        where.value = self._places.index(usual) if usual in self._places else 0
        self._preview()
        self._count_past()

    def refuse(self, why: str) -> None:
        self._tell(why)

    @on(OptionList.OptionHighlighted)
    @on(Select.Changed)
    @on(RadioSet.Changed)
    def _choose(self) -> None:
        self._preview()

    @work(exclusive=True, exit_on_error=False, group="past", description="Counting past calls")
    async def _count_past(self) -> None:
        """Show beside the rules how many past calls each would have acted on."""
        past = await gallery_counts.counts(self._catalog.project, app_context(self).db, _PATIENCE_S)
        for name, count in past.items():
            self.query_one(Picker).replace(_choosable(RULES[name], count))

    def _draft(self) -> HookDraft | None:
        """The rule at the chosen place, under a free name; None before both are there."""
        where, key = self.query_one("#where", Select).value, self.query_one(Picker).key
        if not (key and self._places and isinstance(where, int)):
            return None
        place, rule = self._places[where], RULES[key]
        available = rule_drafts.languages(rule, place)
        for language in _LANGUAGES:
            self.query_one(f"#{language}").display = language in available
        self.query_one("#script").display = len(available) > 1
        pressed = _LANGUAGES[max(self.query_one(RadioSet).pressed_index, 0)]
        language = pressed if pressed in available else available[0]
        return rule_drafts.draft(rule, place, next(self._free_names(rule.name)), language)

    def _free_names(self, name: str) -> Iterator[str]:
        """The rule's name, or with a number if a hook or a script has it."""
        hooks = self._catalog.hooks
        taken = {hook.name for hook in hooks} | {paths.stem(paths.name(path)) for hook in hooks for path in hook.covers}
        names = itertools.chain([name], (f"{name}-{number}" for number in itertools.count(2)))
        return (candidate for candidate in names if candidate not in taken)

    @work(exclusive=True, exit_on_error=False, group="preview", description="Looking at the place")
    async def _preview(self) -> None:
        draft = self._draft()
        if draft is None or draft.rule is None:
            return
        count, is_estimate = self.query_one(PastCountLine), bool(draft.rule.pattern)
        count.count(draft.listener, draft.script_listener, draft.place.project, about=is_estimate)
        plan, trouble = await asyncio.to_thread(_planned, draft)
        obstacle = await asyncio.to_thread(why_not_run, plan.hook, self._catalog.project) if plan else ""
        self._tell(trouble or (f"The hook will not run: {obstacle}. Fix this first." if obstacle else ""))
        self.query_one("#written", VerticalScroll).scroll_home(animate=False)
        lines = [draft.rule.about]
        if plan:
            lines.append(f"{summary(plan, self._catalog.project)} {draft.place.spec.runs_new_hooks}")
        written = would_write(plan.steps, self._catalog.project) if plan else ()
        self.query_one(FieldList).show([*(("", Content(line)) for line in lines), *written])

    def _tell(self, trouble: str) -> None:
        line = self.query_one("#trouble", SteadyText)
        line.set_text(Content.styled(f"✕ {visible(trouble)}" if trouble else "", "$error"))
        line.display = bool(trouble)

    @on(Picker.Chosen)
    @on(Button.Pressed, "#install")
    @work(exclusive=True, exit_on_error=False, group="install", description="Installing the rule")
    async def action_install(self) -> None:
        draft = self._draft()
        plan, trouble = await asyncio.to_thread(_planned, draft) if draft else (None, "")
        if draft and plan:
            self._make(self, NewHookRequest(plan, draft.place, draft.script_listener))
        else:
            self._tell(trouble)

    def action_show_past(self) -> None:
        from hooktui.screens.hooks.past_dialog import PastDialog

        if draft := self._draft():
            self.app.push_screen(PastDialog.of_draft(draft, draft.place.project, app_context(self).db))

    @on(Input.Submitted)
    def _submitted(self) -> None:
        self.query_one(Picker).choose()

    @on(Button.Pressed, "#back")
    def _back(self) -> None:
        self.dismiss(None)


def _choosable(rule: Rule, past: PastCount | None = None) -> Choosable:
    """A rule, and of how many past calls it would have acted on how many."""
    count = f"{past.matched:,} of {past.searched:,}" if past and past.searched else ""
    return Choosable(rule.name, (rule.name, count, rule.summary), (_NAME, _COUNT))


def _title(place: NewHookPlace) -> str:
    file = f"{place.shown}, agent {place.agent}" if place.agent else place.shown
    return one_line(f"{HOSTS[place.format]}, {place.scope}: {file}")


def _planned(draft: HookDraft) -> tuple[ChangePlan | None, str]:
    if draft.rule and (refusal := rule_drafts.refusal(draft.rule, draft.place)):
        return None, refusal
    try:
        return planned(draft), ""
    except ChangeRefusedError as error:
        return None, str(error)
