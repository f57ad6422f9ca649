"""Other words for the actions, so that the palette and the help find them."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

_SYNONYMS: Mapping[str, str] = {
    "approve": "permit trust accept allow untrusted",
    "clear-marks": "unmark reset",
    "columns": "fields show hide layout",
    "compare": "diff difference",
    "copy": "clipboard yank",
    "copy-hook": "convert duplicate clone migrate translate migration",
    "copy-some": "clipboard yank",
    "delete": "remove erase trash",
    "demo": "example sample tutorial",
    "editor": "vim nano external open file",
    "export": "save download report html csv jsonl markdown share redacted",
    "filter": "find search query",
    "fix": "repair mend correct quick fix",
    "fix-all": "repair mend correct quick fixes",
    "follow": "tail resume pause stop",
    "form": "edit change settings fields properties",
    "group": "sort order arrange",
    "help": "keys shortcuts bindings",
    "history": "statistics stats versions latency",
    "jump": "go to focus pane",
    "mark": "select bookmark",
    "match": "test regex pattern matcher",
    "new": "add create insert",
    "new-event": "payload template",
    "only-here": "project scope filter all projects",
    "open-hook": "go to source definition",
    "play": "replay watch",
    "quit": "exit close leave",
    "redo": "again",
    "run": "execute",
    "save": "write store",
    "search": "find",
    "sort": "order",
    "summary": "statistics overview plot",
    "suspend": "shell background",
    "switch": "enable disable activate deactivate toggle turn on turn off mute",
    "take-back": "undo restore undelete revert recover trash",
    "try": "test run dry execute simulate",
    "try-again": "rerun repeat replay",
    "try-past": "replay backtest regression history",
    "what-ran": "version source diff text",
    "why-not": "skipped explain reason",
    "wrap": "long lines fold",
}


def words_for(name: str) -> str:
    """An action's ID and other words for it."""
    return f"{name.replace('-', ' ')} {_SYNONYMS.get(name, '')}"
