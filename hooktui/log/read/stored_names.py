"""Names as the log stores them: redacted by the user's configuration (entry.py)."""

from __future__ import annotations

from hooktui.core import config
from hooktui.log.write import entry
from hooktui.security import redaction


def as_stored(name: str) -> str:
    """The stored name of a hook, file or project; also an SQL function."""
    return entry.stored_name(name, _patterns())


def session(name: str) -> str:
    """The stored name of a session."""
    return entry.session_name(name, _patterns())


def text(words: str) -> str:
    """Text of a payload or output, or the name of a tool or event, as stored."""
    return redaction.redact(words, _patterns())


def _patterns() -> tuple[str, ...]:
    return config.load_or_defaults()[0].redact
