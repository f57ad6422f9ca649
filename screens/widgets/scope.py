"""What a list of the log is limited to, as parts of its title."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hooktui.core.paths import short
from hooktui.core.text_sanitizer import one_line
from hooktui.log.read.connection import as_stored
from hooktui.screens.keys.hints import hint

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    TextPart = tuple[str, str]  # a text and its style

_MUTED = "$secondary"


def are_several(projects: Sequence[str], here: str) -> bool:
    """Whether the log's projects, named as it stores them, include another than `here`."""
    return bool(set(projects) - {as_stored(here)})


def scope_parts(project: str | None, projects: Sequence[str], *, only_trouble: bool) -> Iterator[TextPart]:
    """Yield the project, or how many there are, and whether only trouble is shown, each with its key."""
    if project:
        yield f" ─ {one_line(short(project))}", "$foreground"
        yield hint(" · {only-here} all projects"), _MUTED
    elif len(projects) > 1:
        yield f" ─ {len(projects)} projects", "$foreground"
        yield hint(" · {only-here} only this project"), _MUTED
    if only_trouble:
        yield " ─ denied or failed", "$error"
        yield hint(" · {only-trouble} all"), _MUTED
