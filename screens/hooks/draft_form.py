"""The fields of a new hook, checked while the user types, above a live matcher test."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Mapping, Sequence

from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.widgets import Input, Label, RadioSet

from hooktui import connect
from hooktui.catalog.host_support import title
from hooktui.core import paths
from hooktui.core.model import Hook
from hooktui.core.text_sanitizer import visible
from hooktui.edit import create_hook, drafts
from hooktui.edit.drafts import Field, HookDraft, Language, matches_tools
from hooktui.edit.new_hook_places import NewHookPlace
from hooktui.runner import matching
from hooktui.screens.hooks.match_pane import MatchPane
from hooktui.screens.hooks.past_count import PastCountLine
from hooktui.screens.services.app_context import app_context
from hooktui.screens.widgets.lines import SteadyText
from hooktui.screens.widgets.signed_radio_button import SignedRadioButton

_FIELDS: Mapping[Field, str] = {"tool": "Tool", "pattern": "Pattern", "name": "Name"}
_LANGUAGES: tuple[Language, ...] = ("sh", "py")
_SUBJECT = "regex for the event's subject; empty: any"
_PATTERN = "regex for its input, e.g. rm -rf"


class DraftForm(Vertical):
    """Fields, their errors, what the hook would have matched, and the live tester."""

    BINDINGS = [
        Binding("ctrl+t", "show_past", "Past matches", tooltip="Show the past events that the hook would have matched"),
        Binding("ctrl+n", "widen", "Match in all", tooltip="Match it in all installed agent programs", show=False),
    ]

    def __init__(self, *, id: str) -> None:  # noqa: A002  # Textual's name
        super().__init__(id=id)
        self._place: NewHookPlace | None = None
        self._event = ""
        self._hooks: Sequence[Hook] = ()
        self._taken: Collection[str] = ()
        self._installed: Sequence[str] = ()
        self._filled: dict[str, str] = {}  # the values that were filled in

    def compose(self) -> ComposeResult:
        for name, label in _FIELDS.items():
            yield Horizontal(Label(label), Input(compact=True, select_on_focus=False, id=name), classes="row", id=f"{name}-row")
            yield SteadyText(id=f"{name}-fault", classes="fault")
        with Horizontal(classes="row"):
            yield Label("Script")
            with RadioSet(id="language", compact=True):
                yield from (SignedRadioButton(language, value=language == "sh") for language in _LANGUAGES)
        yield SteadyText(id="trouble", classes="fault")
        yield PastCountLine("^t", self.action_show_past)
        yield MatchPane(lambda: ())

    def ask(self, place: NewHookPlace, event: str, hooks: Sequence[Hook]) -> None:
        """Ask for a hook at a place, next to the hooks there; keep what was typed before."""
        self._place, self._event, self._hooks = place, event, hooks
        self._installed = [name for name, site in connect.SITES.items() if connect.installed(site)]
        scripts = {paths.stem(paths.name(path)) for hook in hooks for path in hook.covers}
        self._taken = {hook.name for hook in hooks} | scripts
        of_tool = event in matching.WITH_TOOL
        self.query_one("#tool-row").display = matches_tools(place, event)
        self.query_one("#pattern-row").display = of_tool
        self.query_one("#tool-row Label", Label).update("Tool" if of_tool else "Matcher")
        self.query_one("#tool", Input).placeholder = place.spec.matcher.draft_help if of_tool else _SUBJECT
        checker = "empty: any" if place.searches_input else "checked by the script"
        self.query_one("#pattern", Input).placeholder = f"{_PATTERN}; {checker}"
        self.query_one(MatchPane).display = self.query_one(PastCountLine).display = matches_tools(place, event)
        self._look()

    def fill(self, tool: str | None, pattern: str | None) -> None:
        """Fill in tool and pattern, except for what was typed."""
        for name, value in (("tool", tool or ""), ("pattern", pattern or "")):
            field = self.query_one(f"#{name}", Input)
            if field.value == self._filled.get(name, ""):
                field.value = self._filled[name] = value

    @property
    def seeks(self) -> bool:
        """Whether the hook can match anything; otherwise only name and language are asked."""
        return any(self.query_one(row).display for row in ("#tool-row", "#pattern-row"))

    def begin(self) -> None:
        """Focus the first field; of a rule for a call, whose tool is right, the pattern, selected until it is edited."""
        first = next(field for field in self.query(".row Input") if field.display and field.parent and field.parent.display)
        pattern = self.query_one("#pattern", Input)
        if not (self._filled.get("tool") and self.query_one("#pattern-row").display):
            self.screen.set_focus(first)
            return
        self.screen.set_focus(pattern)
        if pattern.value == self._filled["pattern"]:
            pattern.action_select_all()

    def draft(self) -> HookDraft | None:
        """The draft; None if a field is invalid, which then has the focus, or if the name was just corrected."""
        draft = self._typed_draft()
        better = drafts.corrected_name(draft.name)
        faulty = next((name for name in _FIELDS if name in draft.faults), "name" if better else None)
        if faulty is None:
            return draft
        field = self.query_one(f"#{faulty}", Input)
        if faulty == "name" and better:
            field.value, field.cursor_position = better, len(better)
        self.screen.set_focus(field)
        return None

    def tell(self, trouble: str) -> None:
        self._say("trouble", trouble)

    def _say(self, where: str, fault: str, remark: str = "", offer: str = "", key: str = "enter") -> None:
        """Show an error, or else a remark, and the value that a key offers instead; hide the line if there is neither."""
        line = self.query_one(f"#{where}", SteadyText)
        about = (f"✕ {visible(fault)}", "$error") if fault else (f"▲ {visible(remark)}" if remark else "", "$warning")
        way = ((f"\n{key} ", "$footer-key-foreground"), (f"use {offer}", "$accent")) if offer else ()
        line.set_text(Content.assemble(about, *way))
        line.display = bool(fault or remark)

    def _typed_draft(self) -> HookDraft:
        assert self._place is not None
        tool, pattern = self._typed("tool"), self._typed("pattern")
        name = self._typed("name") or self.query_one("#name", Input).placeholder
        language = _LANGUAGES[max(self.query_one(RadioSet).pressed_index, 0)]
        return HookDraft(self._place, name, self._event, tool, pattern, language)

    def _typed(self, name: str) -> str | None:
        """The text of a visible field; None if it is empty."""
        return self.query_one(f"#{name}", Input).value or None if self.query_one(f"#{name}-row").display else None

    @on(Input.Changed, "#tool, #pattern, #name")
    def _look(self) -> None:
        if self._place is None:
            return
        suggested = drafts.suggested_name(self._event, self._typed("tool"), self._typed("pattern"), self._taken)
        self.query_one("#name", Input).placeholder = suggested
        draft = self._typed_draft()
        missed, wider = ((), "") if "tool" in draft.faults else draft.wider_tool(self._installed)
        remark = f"matches no tool of {', '.join(map(title, missed))}" if missed else ""
        self._say("tool-fault", draft.faults.get("tool", ""), remark, wider, "^n")
        self._say("pattern-fault", draft.faults.get("pattern", ""))
        self._say("name-fault", draft.faults.get("name", ""), draft.remark(self._hooks), drafts.corrected_name(draft.name))
        self._look_at_place(draft)
        tester, past = self.query_one(MatchPane), self.query_one(PastCountLine)
        if {"tool", "pattern"} & draft.faults.keys():
            tester.rest("Waiting for a valid regex.")
            past.rest()
        elif tester.display:
            tester.show(draft.listener, self._place.project, app_context(self).db, draft.script_listener)
            past.count(draft.listener, draft.script_listener, self._place.project)

    def action_widen(self) -> None:
        """Match what other installed hosts call the same tools."""
        _, wider = self._typed_draft().wider_tool(self._installed)
        if wider:
            field = self.query_one("#tool", Input)
            field.value, field.cursor_position = wider, len(wider)

    def action_show_past(self) -> None:
        from hooktui.screens.hooks.past_dialog import PastDialog

        draft = self._typed_draft()
        if self._place is not None and not {"tool", "pattern"} & draft.faults.keys():
            self.app.push_screen(PastDialog.of_draft(draft, self._place.project, app_context(self).db))

    @work(exclusive=True, exit_on_error=False, group="place", description="Looking at the place")
    async def _look_at_place(self, draft: HookDraft) -> None:
        """Show what prevents writing the hook there, such as another hook of that name."""
        refusal = "" if draft.faults else await asyncio.to_thread(create_hook.refusal, draft)
        self.tell(refusal)
