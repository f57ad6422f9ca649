"""What a list of the log is limited to, as parts of its title."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hooktui.core.paths import short
from hooktui.core.text_sanitizer import one_line
from hooktui.log.read.connection import as_stored
from hooktui.screens.keys.hints import hint
from hooktui.screens.services.app_context import app_context

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from textual.screen import Screen

    TextPart = tuple[str, str]  # a text and its style

_MUTED = "$secondary"


class ProjectScope:
    """The projects in the log, and the one that a screen shows."""

    def __init__(self, screen: Screen[None], *, widens: bool = False) -> None:
        """`widens`: while this project has nothing in the log, all projects are shown."""
        self._screen = screen
        self._widens = widens
        self.projects: Sequence[str] = ()  # named as the log stores them
        self.others = 0  # projects besides this

    def take(self, projects: Sequence[str]) -> bool:
        """Take the projects in the log; whether they have changed."""
        if projects == self.projects:
            return False
        self.projects = projects
        self.others = len(set(projects) - {as_stored(app_context(self._screen).project)})
        return True

    @property
    def has_choice(self) -> bool:
        """Whether there is a project to show alone: a fleet has none that is this one."""
        return app_context(self._screen).fleet is None

    @property
    def shown(self) -> str | None:
        """The project to show; None for all, also while the log has no other."""
        services = app_context(self._screen)
        return None if services.all_projects or not self.others or self.is_widened else services.project

    @property
    def is_widened(self) -> bool:
        """Whether all projects are shown because this one has nothing in the log."""
        return self._widens and self.has_choice and bool(self.projects) and self.others == len(set(self.projects))

    @property
    def has_several(self) -> bool:
        return self.shown is None and (len(self.projects) > 1 or self.is_widened)

    def parts(self, *, only_trouble: bool) -> Iterator[TextPart]:
        """Yield the project, or how many there are, and whether only trouble is shown, each with its key."""
        if self.is_widened:
            project = one_line(short(app_context(self._screen).project))
            yield f" ─ none in {project} yet: all projects", "$foreground"
            yield from scope_parts(None, (), only_trouble=only_trouble)
        else:
            yield from scope_parts(self.shown, self.projects if self.has_choice else (), only_trouble=only_trouble)


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
