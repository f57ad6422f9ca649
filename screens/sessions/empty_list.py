"""Why the list of sessions is empty, and what to do."""

from __future__ import annotations

from hooktui.screens.widgets.empty import Empty, explain_empty_log, where_looked

_NO_SESSIONS = "No sessions yet.\nhooktui logs every event of a connected agent here, session by session."


def explain_nothing(nothing: Empty, words: str, error: str, *, only_trouble: bool) -> None:
    """Explain an empty list; `words` is the filter, `error` what is wrong with it."""
    if words:
        nothing.show(error or "No sessions match the filter.", [("esc", "show all")])
    elif only_trouble:
        nothing.show("No session has denials or failures.", [("{only-trouble}", "show all")])
    else:
        explain_empty_log(nothing, f"{_NO_SESSIONS}\n\n{where_looked(nothing)}")
