"""The keys of the Live screen."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.binding import Binding

from hooktui.screens.services.todays_hooks import AUDIT
from hooktui.screens.widgets.decision_actions import DECISION_BINDINGS, NEXT_BINDINGS

if TYPE_CHECKING:
    from textual.binding import BindingType

LIVE_BINDINGS: list[BindingType] = [
    *DECISION_BINDINGS,
    *NEXT_BINDINGS,
    Binding("s", "search", "Search", tooltip="Search the decisions", id="search"),
    Binding("space", "follow", "Follow", key_display="␣", tooltip="Follow new decisions", id="follow"),
    Binding("space", "pause", "Pause", key_display="␣", tooltip="Stop following", id="follow"),
    AUDIT,
    Binding("C", "columns", "Choose columns", show=False, id="columns"),
    Binding("Y", "copy_some", "Copy…", show=False, id="copy-some"),
    Binding("escape", "browse", "Back to the list", show=False),
    Binding("escape", "end_search", "End the search", show=False),
    Binding("escape", "show", "Show all", tooltip="Clear the filter", show=False),
]
