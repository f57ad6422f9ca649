"""The title above the decisions: following or paused, what is shown, filter, search; and why there are none."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.content import Content

from hooktui.core.text_sanitizer import one_line
from hooktui.screens.keys.hints import hint
from hooktui.screens.widgets.empty import CONNECT_KEYS, explain_empty_log

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from hooktui.screens.widgets.decision_list import DecisionList
    from hooktui.screens.widgets.empty import Empty
    from hooktui.screens.widgets.scope import ProjectScope

    TextPart = tuple[str, str]  # a text and its style

_MUTED = "$secondary"
_NO_DECISIONS = "No decisions yet.\nDecisions appear here as hooks make them, for every agent."


def explain_nothing(nothing: Empty, filter_words: str, scope: ProjectScope, *, only_trouble: bool) -> None:
    """Say why the list is empty."""
    if filter_words.strip():
        nothing.show("No decisions match the filter.", [("esc", "show all")])
    elif only_trouble:
        nothing.show("Nothing was denied, and no hook failed.", [("{only-trouble}", "show all")])
    elif scope.shown:
        nothing.show("No decisions in this project yet.", [("{only-here}", "show all projects"), *CONNECT_KEYS])
    else:
        explain_empty_log(nothing, _NO_DECISIONS)


def title(decisions: DecisionList, scope: Iterable[TextPart], filter_words: str, search_words: str) -> Content:
    """Return the title; `scope` names the project and says whether only trouble is shown."""
    return Content.assemble(
        _state(decisions),
        *scope,
        *_filter_parts(filter_words.strip()),
        *_search_parts(decisions, search_words.strip()),
        *_look_parts(decisions),
    )


def subtitle(decisions: DecisionList, total: int, *, filtered: bool) -> str:
    """How many rows there are, and of how many: of a fleet's log, at most the newest that a search returns."""
    results, most = decisions.results, decisions.reader.most if decisions.reader else None
    newest = "newest " if most is not None and len(results) >= most else ""
    total = total if filtered or not results.complete else decisions.count
    return f"{newest}{decisions.count:,} of {total:,}{'' if results.complete else ' …'}"


def _state(decisions: DecisionList) -> TextPart:
    if decisions.following:
        return "● following", "$success"
    new, follow = decisions.unseen, hint("{follow} follows")
    return f"‖ paused{f' · {new:,} new · {follow}' if new else ''}", "$warning"


def _filter_parts(words: str) -> Iterator[TextPart]:
    if words:
        yield f" ─ {one_line(words)}", "$foreground"
        yield " · esc show all", _MUTED


def _search_parts(decisions: DecisionList, words: str) -> Iterator[TextPart]:
    matches = decisions.matches
    if matches is None:
        return
    if not matches:
        yield f" ─ {one_line(words)}: {'no matches' if matches.complete else 'searching…'}", "$warning"
        return
    current = decisions.current
    place = f"{matches.row_of(current) + 1:,} of " if current is not None and current in matches else ""
    yield f" ─ {one_line(words)}: {place}{len(matches):,}{'' if matches.complete else ' …'}", "$warning"
    yield hint(" · {next} {previous}"), _MUTED


def _look_parts(decisions: DecisionList) -> Iterator[TextPart]:
    if decisions.look.wrap:
        yield " ─ wrapped", _MUTED
    if decisions.look.pan:
        yield f" ─ scrolled by {decisions.look.pan} · ← back", _MUTED
