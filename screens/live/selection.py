"""What the Live screen shows, as a query, and the title above it; and why there are no decisions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from textual.content import Content

from hooktui.core.text_sanitizer import one_line
from hooktui.log.read import query
from hooktui.screens.keys.hints import hint
from hooktui.screens.widgets.empty import CONNECT_KEYS, explain_empty_log

if TYPE_CHECKING:
    import re
    from collections.abc import Iterable, Iterator

    from hooktui.log.read.query import Query
    from hooktui.screens.widgets.decision_list import DecisionList
    from hooktui.screens.widgets.empty import Empty
    from hooktui.screens.widgets.scope import ProjectScope

    TextPart = tuple[str, str]  # a text and its style


@dataclass
class Selection:
    """`words` is the filter as typed, a valid query."""

    scope: ProjectScope
    words: str = ""
    only_trouble: bool = False

    @property
    def shown(self) -> Query:
        here = f"project:{query.quoted(self.scope.shown)}" if self.scope.shown else ""
        wanted = query.parse(query.joined(here, self.words))
        return query.of_trouble(wanted) if self.only_trouble else wanted

    @property
    def highlight(self) -> re.Pattern[str] | None:
        return query.parse(self.words).highlight

    @property
    def name(self) -> str:
        """The filter in words; "" if everything is shown."""
        return self.words.strip() or ("denied or failed" if self.only_trouble else "")


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


def title(decisions: DecisionList, scope: Iterable[TextPart], filter_words: str) -> Content:
    """Return the title; `scope` names the project and says whether only trouble is shown."""
    return Content.assemble(_state(decisions), *scope, *_filter_parts(filter_words.strip()))


def subtitle(decisions: DecisionList, total: int, *, filtered: bool) -> str:
    """How many rows there are, and of how many: of a fleet's log, at most the newest that a search returns."""
    results, most = decisions.results, decisions.reader.most if decisions.reader else None
    newest = "newest " if most is not None and len(results) >= most else ""
    if not results.complete:
        return f"{newest}{decisions.count:,} …"
    return f"{newest}{decisions.count:,} of {total if filtered else decisions.count:,}"


def _state(decisions: DecisionList) -> TextPart:
    if decisions.following:
        return "● following", "$success"
    new, follow = decisions.unseen, hint("{follow} follows")
    return f"‖ paused{f' · {new:,} new · {follow}' if new else ''}", "$foreground"


def _filter_parts(words: str) -> Iterator[TextPart]:
    if words:
        yield f" ─ {one_line(words)}", "$foreground"
        yield " · esc show all", _MUTED
