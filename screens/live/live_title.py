"""The title of the Live screen's list: following or paused, filter and search."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.content import Content

from hooktui.core.text_sanitizer import one_line
from hooktui.screens.keys.hints import hint

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from hooktui.log.read.search import SearchResults
    from hooktui.screens.widgets.decision_list import DecisionList
    from hooktui.screens.widgets.empty import Empty

    Part = tuple[str, str]

_NOTHING = "No decisions yet.\nDecisions appear here as hooks make them, for every agent."
_NOTHING_KEYS = (
    ("{demo}", "watch the demo: agents at work"),
    ("hooktui connect", "in a shell: let your agent call hooktui"),
)
_MUTED = "$secondary"


def title(decisions: DecisionList, words: str, sought: str, projects: Sequence[str]) -> Content:
    """The title: following or paused, filter, search, wrapping and panning."""
    return Content.assemble(
        _state(decisions), *_filter(words, projects), *_search(decisions, sought.strip()), *_look(decisions)
    )


def count(found: SearchResults, total: int) -> str:
    """The number of matches and of all decisions, with an ellipsis while searching."""
    return f"{len(found):,} of {total:,}{'' if found.complete else ' …'}"


def explain(nothing: Empty, *, nothing_at_all: bool) -> None:
    """Explain an empty list."""
    if nothing_at_all:
        nothing.show(_NOTHING, _NOTHING_KEYS)
    else:
        nothing.show("No decisions match the filter.", [("esc", "show all")])


def _state(decisions: DecisionList) -> Part:
    if decisions.following:
        return "● following", "$success"
    new, follow = decisions.unseen, hint("{follow} follow")
    return f"‖ paused{f' · {new:,} new: {follow}' if new else ''}", "$warning"


def _filter(words: str, projects: Sequence[str]) -> Iterator[Part]:
    if words:
        yield f" ─ {one_line(words)}", "$foreground"
        yield " · esc show all", _MUTED
    elif len(projects) > 1:
        yield f" ─ {len(projects)} projects", "$foreground"
        yield hint(" · {only-here} only this project"), _MUTED


def _search(decisions: DecisionList, sought: str) -> Iterator[Part]:
    matches = decisions.matches
    if matches is None:
        return
    if not matches:
        yield f" ─ {one_line(sought)}: {'no matches' if matches.complete else 'searching…'}", "$warning"
        return
    at = decisions.current
    place = f"{matches.row_of(at) + 1:,} of " if at is not None and at in matches else ""
    yield f" ─ {one_line(sought)}: {place}{len(matches):,}{'' if matches.complete else ' …'}", "$warning"
    yield hint(" · {next-match} {previous-match}"), _MUTED


def _look(decisions: DecisionList) -> Iterator[Part]:
    if decisions.look.wrap:
        yield " ─ wrapped", _MUTED
    if decisions.look.pan:
        yield f" ─ scrolled by {decisions.look.pan} · ← back", _MUTED
