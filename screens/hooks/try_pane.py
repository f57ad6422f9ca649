"""Try: run the real hook on an event that one may edit, and see what it does."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, Any

from textual import work
from textual.binding import Binding
from textual.containers import Container, Horizontal, Vertical, VerticalScroll
from textual.content import Content
from textual.widgets import Static
from textual.widgets.text_area import Selection

from hooktui import simulate
from hooktui.core.text_sanitizer import visible
from hooktui.log.read import event_subject
from hooktui.screens.keys.hints import hint
from hooktui.screens.widgets.advice import refusal
from hooktui.screens.widgets.code_area import CodeArea
from hooktui.screens.widgets.editor import location
from hooktui.screens.widgets.failures import tell_failure
from hooktui.screens.widgets.fields import Fields
from hooktui.screens.widgets.keyed_button import KeyedButton
from hooktui.screens.widgets.states import DECISION_SIGNS
from hooktui.security.trust import UNAPPROVED

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from typing import ClassVar

    from textual import getters
    from textual.app import ComposeResult
    from textual.binding import BindingType

    from hooktui.app import HooktuiApp
    from hooktui.catalog.catalog import Catalog
    from hooktui.core.model import DecisionName, Hook, Trust
    from hooktui.screens.widgets.fields import Field
    from hooktui.simulate import Edit

_NOTHING = '""'
_LABEL_WIDTH = 10  # columns
# Texts of a run in the order in which they are shown.
_TEXTS = (
    ("why", "why"),
    ("reason", "reason"),
    ("context", "additional_context"),
    ("message", "system_message"),
    ("log", "log"),
    ("stdout", "stdout"),
    ("stderr", "stderr"),
)


_SAID: Mapping[DecisionName, str] = {
    "none": "no opinion",
    "allow": "allowed",
    "ask": "asks the person",
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
    "failed": "failed",
    "timeout": "took too long and was ended",
    "invalid-output": "printed what cannot be read",
    "interrupted": "was ended",
    "skipped": "did not run",
    "started": "started, not waited for",
}


_EDITED = "Edited here: {save} saves it."


class TryPane(Vertical):
    """Payload above, outcome below."""

    BINDING_GROUP_TITLE = "Try"
    HELP = """
    The hook, run for real on an event that you may edit, under its limits, with what is edited here: the saved version runs
    beside it. The run is marked as synthetic in the log. Logged events stand in the tab Match ({match}): enter tries one.
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+n", "template", "New event", id="new-event"),
        Binding("escape", "screen.browse", "Leave", tooltip="Back to the hooks", priority=True),
    ]
    on_worker_state_changed = tell_failure
    if TYPE_CHECKING:
        app = getters.app(HooktuiApp)

    def __init__(self, unsaved: Callable[[], Sequence[Edit]]) -> None:
        """`unsaved` gives what is typed and not saved: a try runs that."""
        super().__init__()
        self._unsaved = unsaved
        self._hook: Hook | None = None
        self._project = ""
        self._trust: Trust = "untrusted"
        self._trying = False
        self._refused = False  # the last thing told is that nobody has approved the hook
        self.sought: dict[str, Hook | None] = {}  # by the ids of hooks: what their scripts look for themselves
        self._about = ""  # what is to be selected of the event, in JSON

    def compose(self) -> ComposeResult:
        """Payload, a line of buttons, outcome."""
        yield CodeArea("json")
        with Horizontal(classes="buttons"):
            yield KeyedButton(_run_key(), "Run", "screen.run", id="run")
            yield Static(id="try-state")
        with VerticalScroll(id="outcome"), Container(id="versions"):
            yield Fields(_LABEL_WIDTH, id="said")
            yield Fields(_LABEL_WIDTH, id="saved-said")

    def show(self, hook: Hook, catalog: Catalog, payload: Mapping[str, Any] | None = None) -> None:
        """Offer an event for a hook: this one, or a made-up one that fits when the hook is another than before."""
        known, self._hook, self._project = self._hook, hook, catalog.project
        self._trust = catalog.trust.get(hook.id, "untrusted")
        if self._refused and self._trust not in UNAPPROVED:
            self._invite()
        if payload is not None:
            self._offer(simulate.payload_again(payload))
        elif known is None or known.id != hook.id:
            self.action_template()

    def action_template(self) -> None:
        """Begin again with a made-up event."""
        if self._hook is not None:
            self._offer(simulate.payload_for(self._hook, self._project, self.sought.get(self._hook.id)))

    def _offer(self, event: Mapping[str, Any]) -> None:
        self.query_one(CodeArea).load_text(json.dumps(event, indent=2, ensure_ascii=False))
        self._about = json.dumps(event_subject.of_payload(event), ensure_ascii=False)
        if self.size:
            self.call_after_refresh(self._select)
        self.app.hold_keys(lambda: bool(self._about))
        self._invite()

    def _invite(self) -> None:
        self._tell(
            _faint("The hook is run for real on this event, under its limits, and the run is marked synthetic in the log.")
        )

    def on_resize(self) -> None:
        """There is room for the event now: before, its end would be scrolled to."""
        self._select()

    def _select(self) -> None:
        """Select what the event is about: what one types comes in its place."""
        about, self._about = self._about, ""
        area = self.query_one(CodeArea)
        at = area.text.find(about)
        if about not in ("", _NOTHING) and at >= 0:
            area.selection = Selection(location(area.text, at + 1), location(area.text, at + len(about) - 1))
            area.scroll_to(x=0, animate=False)  # where there is no room yet, it scrolled to have the end in view

    def action_run(self) -> None:
        """Run the hook, or end the run under way."""
        if self._trying:
            self.workers.cancel_group(self, "try")
            return
        if self._trust in UNAPPROVED:
            state = "is not approved" if self._trust == "untrusted" else "has changed since it was approved"
            how = hint("esc, then {approve} shows it and approves")
            self._tell(Content.styled(f"The hook {state}, so it does not run: {how}.", "$warning"))
            self._refused = True
            return
        try:
            payload = json.loads(self.query_one(CodeArea).text)
        except ValueError as error:
            self._tell(Content.styled(f"The payload is no JSON: {error}", "$error"))
            return
        if isinstance(payload, dict):
            self._run(payload)
        else:
            self._tell(Content.styled("The payload is no JSON object: { … }", "$error"))

    @work(exclusive=True, exit_on_error=False, group="try", description="Trying the hook")
    async def _run(self, payload: dict[str, Any]) -> None:
        assert self._hook is not None
        self._set_trying(True)
        edits = self._unsaved()
        try:
            reports = await simulate.try_hook(self._project, self._hook.id, payload, edits)
        except simulate.CannotTry as trouble:
            self._tell(Content.styled(visible(refusal(trouble)), "$error"))
        except asyncio.CancelledError:
            self._tell(Content.styled("Cancelled: the hook and all it started were ended.", "$warning"))
            raise
        else:
            self._show(reports)
        finally:
            self._set_trying(False)

    def _set_trying(self, running: bool) -> None:
        self._trying = running
        self.query_one("#run", KeyedButton).says(_run_key(), "Cancel" if running else "Run")
        self.query_one("#try-state", Static).update(Content.styled("running…" if running else "", "$warning"))

    def _tell(self, text: Content) -> None:
        self._refused = False
        self.query_one("#said", Fields).show([(("", text),)])
        self.query_one("#saved-said").display = False

    def _show(self, reports: Sequence[Mapping[str, Any]]) -> None:
        """What the hook did; of an edited one, what the saved one does beside it."""
        both = (Content.styled(hint(_EDITED), "$accent"), _faint("As it is saved:"))
        notes = both if len(reports) > 1 else (None,)
        for name, report, note in zip(("#said", "#saved-said"), reports, notes, strict=False):
            self.query_one(name, Fields).show((field,) for field in _outcome(report, note))
        self.query_one("#saved-said").display = len(reports) > 1


def _outcome(report: Mapping[str, Any], note: Content | None) -> Iterator[Field]:
    """What the one hook did."""
    run = report["hooks"][0]
    glyph, colour = DECISION_SIGNS[run["decision"]]
    yield "", Content.assemble((f"{glyph} {_said(run)}", f"{colour} bold"), f" · {run['duration_ms']:,.1f} ms")
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
        yield "", _faint("The output was longer; its middle is left out.")


def _said(run: Mapping[str, Any]) -> str:
    """How the run ended and what that means, in plain words."""
    decided = _SAID[run["decision"]]
    if run["state"] == "ok":
        return decided + _VIA.get(run["via"], "")
    return f"{_STATES.get(run['state'], run['state'])}{_ended(run)}: {decided}"


def _ended(run: Mapping[str, Any]) -> str:
    if run["signal"] is not None:
        return f" by signal {run['signal']}"
    return f" with exit code {run['exit_code']}" if run["exit_code"] else ""


def _run_key() -> str:
    return hint("{run}").replace("ctrl+", "^")


def _faint(text: str) -> Content:
    return Content.styled(text, "$foreground 60%")
