"""The Try tab: run the hook for real on an event, and see what it does."""

from __future__ import annotations

import asyncio
import json
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from textual import on, work
from textual.binding import Binding
from textual.containers import Container, Horizontal, Vertical, VerticalScroll
from textual.content import Content
from textual.widgets import Static, TabbedContent, TabPane, TextArea
from textual.widgets.text_area import Selection

from hooktui.core.model import FAILURES
from hooktui.core.text_sanitizer import visible
from hooktui.log.read import event_subject
from hooktui.screens.keys.hints import hint
from hooktui.screens.services.app_context import app_context
from hooktui.screens.widgets.cells import duration
from hooktui.screens.widgets.code_area import CodeArea
from hooktui.screens.widgets.editor import location
from hooktui.screens.widgets.fields import FieldList
from hooktui.screens.widgets.footer import KeyedButton
from hooktui.screens.widgets.lines import DECISION_SIGNS
from hooktui.screens.widgets.notifications import notify_failure, refusal
from hooktui.trials import payload_templates, trial_process

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from textual.app import ComposeResult

    from hooktui.catalog.catalog import Catalog
    from hooktui.core.model import DecisionName, Effect, Hook
    from hooktui.screens.widgets.fields import LabelledValue
    from hooktui.trials.unsaved_hooks import Edit

_NOTHING = '""'
_LABEL_WIDTH = 10  # columns
# Texts of a run in display order: label and report field.
_TEXTS = (
    ("why", "why"),
    ("reason", "reason"),
    ("context", "additional_context"),
    ("message", "system_message"),
    ("log", "log"),
    ("stdout", "stdout"),
    ("stderr", "stderr"),
)
_DECISIONS: Mapping[DecisionName, str] = {
    "none": "no opinion",
    "allow": "allowed",
    "ask": "asks the user",
    "deny": "denied",
    "stop": "stops the agent",
}
_VIA = {
    "exit-2": " by exit code 2",
    "json": " by its JSON answer",
    "ok-field": " by the model's answer",
    "permission": " by its JSON answer",
}
_STATES = {
    "timeout": "timed out",
    "invalid-output": "invalid output",
    "interrupted": "interrupted",
    "skipped": "did not run",
    "started": "started asynchronously",
}


class TryPane(Vertical):
    """The event above, the outcome below."""

    BINDING_GROUP_TITLE = "Try"
    HELP = """
    Runs the hook for real on an event that you can edit, under its usual limits. Unsaved edits run next to the saved version.
    The log marks the run as synthetic. To try a logged event, choose it on the Match tab ({match}).
    """
    BINDINGS = [
        Binding("ctrl+n", "template", "New event", id="new-event"),
        Binding("escape", "screen.browse", "Leave", tooltip="Back to the hooks", priority=True),
    ]
    on_worker_state_changed = notify_failure

    def __init__(self, unsaved: Callable[[], Sequence[Edit]], script_listeners: Mapping[str, Hook | None]) -> None:
        """`unsaved` returns the unsaved edits, which a try includes.

        `script_listeners` tells by hook ID what a new hook's script looks for.
        """
        super().__init__()
        self._unsaved = unsaved
        self._hook: Hook | None = None
        self._directory = ""
        self._trying = False
        self._script_listeners = script_listeners
        self._tried = ("", False)  # the version of the last try, and whether it had unsaved edits
        self._listeners = 0  # hooks that listen to the event
        self._result: Mapping[str, Any] | None = None  # the report of the last try, with its payload
        self._about = ""  # the part of the event to select, as JSON

    def compose(self) -> ComposeResult:
        yield CodeArea("json")
        with Horizontal(classes="buttons"):
            yield KeyedButton(hint("{run}"), "Run", "screen.detail('run')", id="run")
            yield KeyedButton(hint("{keep-example}", typing=True), "Keep as an example", "screen.detail('keep')", id="keep")
            yield Static(id="try-state")
        with VerticalScroll(id="outcome"), Container(id="versions"):
            yield FieldList(_LABEL_WIDTH, id="outcome-here")
            yield FieldList(_LABEL_WIDTH, id="outcome-saved")

    def show(self, hook: Hook, catalog: Catalog, payload: Mapping[str, Any] | None = None) -> None:
        """Show an event for a hook: the given one, or an example if the hook is a new one."""
        known, self._hook, self._directory = self._hook, hook, catalog.directory
        self._listeners = sum(other.event == hook.event and not other.calls_hooktui for other in catalog.hooks)
        is_stale = bool(self._tried[0]) and self._tried != (hook.version, bool(self._unsaved()))
        if is_stale:
            self._invite()
        if payload is not None:
            self._offer(payload_templates.payload_again(payload))
        elif known is None or known.id != hook.id:
            self.action_template()

    def action_template(self) -> None:
        if self._hook is not None:
            self._offer(payload_templates.payload_for(self._hook, self._directory, self._script_listeners.get(self._hook.id)))

    def _offer(self, event: Mapping[str, Any]) -> None:
        self.query_one(CodeArea).load_text(json.dumps(event, indent=2, ensure_ascii=False))
        self._about = json.dumps(event_subject.of_payload(event), ensure_ascii=False)
        if self.size:
            self.call_after_refresh(self._select)
        app_context(self).type_ahead.hold(lambda: bool(self._about) and self._is_active)
        self._invite()

    @on(TextArea.Changed)
    def _expire(self) -> None:
        """Take the result away once it is one of another event."""
        if self._result is not None and self._payload() != self._result["payload"]:
            self._invite()

    def _payload(self) -> object:
        with suppress(ValueError):
            return json.loads(self.query_one(CodeArea).text)
        return None

    @property
    def _is_active(self) -> bool:
        """Whether this tab is the one shown; another may have been opened before this one was laid out."""
        tab = self.query_ancestor(TabPane)
        return tab.query_ancestor(TabbedContent).active == tab.id

    def _invite(self) -> None:
        self._tell(_faint("Runs the hook for real on this event, under its usual limits. The log marks the run as synthetic."))

    def on_resize(self) -> None:
        self._select()

    def _select(self) -> None:
        """Select the event's subject, so that typing replaces it."""
        about, self._about = self._about, ""
        area = self.query_one(CodeArea)
        at = area.text.find(about)
        if about not in ("", _NOTHING) and at >= 0:
            area.selection = Selection(location(area.text, at + 1), location(area.text, at + len(about) - 1))
            area.scroll_to(x=0, animate=False)  # selecting scrolls to the end if there is no room yet
            area.call_after_refresh(area.show_top)

    def action_run(self) -> None:
        if self._trying:
            self.workers.cancel_group(self, "try")
            return
        try:
            payload = json.loads(self.query_one(CodeArea).text)
        except ValueError as error:
            self._tell(Content.styled(f"The payload is not valid JSON: {error}", "$error"))
            return
        if isinstance(payload, dict):
            self._run(payload)
        else:
            self._tell(Content.styled("The payload must be a JSON object.", "$error"))

    @work(exclusive=True, exit_on_error=False, group="try", description="Trying the hook")
    async def _run(self, payload: dict[str, Any]) -> None:
        from hooktui.screens.dialogs.trust_dialog import is_approved

        catalog = app_context(self).catalog
        assert self._hook is not None and catalog is not None
        if not await is_approved(self.screen, self._hook, catalog):
            return
        self._set_trying(True)
        edits = self._unsaved()
        try:
            reports = await trial_process.try_hook(self._directory, self._hook.id, payload, edits)
        except payload_templates.TrialError as error:
            self._tell(Content.styled(visible(refusal(error)), "$error"))
        except asyncio.CancelledError:
            self._tell(Content.styled("Cancelled; the hook and its child processes were stopped.", "$foreground"))
            raise
        else:
            self._tried = (self._hook.version, bool(edits))
            self._show(reports)
            self._take_result({**reports[-1], "payload": payload})
        finally:
            self._set_trying(False)

    def _set_trying(self, running: bool) -> None:
        self._trying = running
        self.query_one("#run", KeyedButton).says(hint("{run}"), "Cancel" if running else "Run")
        self.query_one("#try-state", Static).update(Content.styled("running…" if running else "", "$accent"))

    def _tell(self, text: Content) -> None:
        self._tried = ("", False)
        self._take_result(None)
        self.query_one("#outcome-here", FieldList).show([("", text)])
        self.query_one("#outcome-saved").display = False

    def _take_result(self, report: Mapping[str, Any] | None) -> None:
        self._result = report
        self.query_one("#keep").visible = report is not None

    @work(exclusive=True, exit_on_error=False, group="dialog", description="Keeping an example")
    async def keep_example(self) -> None:
        """Keep the event of the last try as an example."""
        from hooktui.screens.services import example_keeping

        if self._result is None:
            self.notify(hint("Run the hook on this event first ({run})."))
        elif self._unsaved():
            self.notify(hint("Save ({save}) or undo your edits first: an example is of what is saved."), severity="warning")
        else:
            await example_keeping.keep(self.screen, self._result)

    def _show(self, reports: Sequence[Mapping[str, Any]]) -> None:
        """Show what the hook did; with unsaved edits, what the saved hook did next to it."""
        both = (Content.styled(hint("Draft ({save} saves)"), "$accent"), _faint("Saved"))
        notes = both if len(reports) > 1 else (None,)
        sentence = f"A try runs this hook alone, 1 of {self._listeners} for this event."
        alone = [("", _faint(sentence))] if self._listeners > 1 else []
        for name, report, note in zip(("#outcome-here", "#outcome-saved"), reports, notes, strict=False):
            self.query_one(name, FieldList).show([*_outcome(report, note), *alone])
        self.query_one("#outcome-saved").display = len(reports) > 1


def _outcome(report: Mapping[str, Any], note: Content | None) -> Iterator[LabelledValue]:
    run = report["hooks"][0]
    did: Effect = "rewrite" if _has_rewritten(run) else run["decision"]
    glyph, colour = ("▲", "$warning") if run["state"] in FAILURES else DECISION_SIGNS[did]
    yield "", Content.assemble((f"{glyph} {_decision(run)}", f"{colour} bold"), f" · {duration(run['duration_ms'])}")
    if note is not None:
        yield "", note
    for label, key in _TEXTS:
        if run.get(key):
            yield label, Content(visible(str(run[key])).rstrip("\n"))
    for problem in run["problems"]:
        yield "problem", Content(visible(str(problem)))
    if run["modified_input"] is not None:
        yield "new input", Content(visible(json.dumps(run["modified_input"], indent=2, ensure_ascii=False)))
    if run["truncated"]:
        yield "", _faint("The output was truncated in the middle.")


def _decision(run: Mapping[str, Any]) -> str:
    decision = "rewrote the input" if _has_rewritten(run) else _DECISIONS[run["decision"]]
    if run["state"] == "ok":
        return decision + _VIA.get(run["via"], "")
    return f"{_STATES.get(run['state'], run['state'])}{_ended(run)}: {decision}"


def _has_rewritten(run: Mapping[str, Any]) -> bool:
    return run["decision"] == "none" and run["modified_input"] is not None


def _ended(run: Mapping[str, Any]) -> str:
    if run["signal"] is not None:
        return f" by signal {run['signal']}"
    return f" with exit code {run['exit_code']}" if run["exit_code"] else ""


def _faint(text: str) -> Content:
    return Content.styled(text, "$foreground 60%")
