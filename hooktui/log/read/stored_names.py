"""How the log calls what a person calls by its own name: without its secrets (entry.py), by the user's configuration."""

from __future__ import annotations

from hooktui.core import config
from hooktui.log.write import entry
from hooktui.security import redaction


def as_stored(name: str) -> str:
    """A hook, a file or a project; a function of SQL, too."""
    return entry.stored_name(name, _own())


def session(name: str) -> str:
    """A session's id."""
    return entry.session_name(name, _own())


def text(words: str) -> str:
    """What a payload or an output holds, or the name of a tool or an event."""
    return redaction.redact(words, _own())


def _own() -> tuple[str, ...]:
    """The user's own patterns."""
    return config.load_or_defaults()[0].redact
