"""What is known of a hook beside what its file says: whether it can run, where it comes from."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.content import Content

from hooktui.core import events
from hooktui.core.hook_source import HookDirectory
from hooktui.core.text_sanitizer import one_line, visible
from hooktui.screens.hooks.hook_hosts import hosts_line
from hooktui.screens.keys.hints import hint
from hooktui.screens.widgets.hook_locations import near
from hooktui.screens.widgets.states import host_names
from hooktui.security.trust import UNAPPROVED

if TYPE_CHECKING:
    from collections.abc import Iterator

    from hooktui.catalog.catalog import Catalog
    from hooktui.core.model import Hook, Trust
    from hooktui.screens.widgets.fields import Field
    from hooktui.screens.widgets.states import Standing


LABEL_WIDTH = 11  # columns
_TRUST = {
    "user": ("the user's own, needs no approval", ""),
    "trusted": ("approved", "$success"),
    "untrusted": ("not approved: {approve} shows it and approves", "$warning"),
    "changed": ("changed since it was approved: {approve} shows it", "$warning"),
}


def facts_of(hook: Hook, catalog: Catalog, stands: Standing) -> Iterator[tuple[Field, ...]]:
    """Labels and values."""
    yield (("State", _state(hook, catalog, stands)),)
    yield (("When", _when(hook)),)
    if hook.type == "callback":
        yield (("Name", Content(one_line(hook.name))),)
    else:
        yield (("Trust", _trust(hook, catalog.trust.get(hook.id, "untrusted"))),)
    yield (("Hosts", hosts_line(hook, catalog.diagnostics)),)
    if isinstance(hook.source, HookDirectory):
        yield (("Runs", Content(near(hook.command, catalog.project)) if hook.command else _faint("nothing")),)
    yield (("File", Content(f"{near(hook.file, catalog.project)}:{hook.line}")),)


def _state(hook: Hook, catalog: Catalog, stands: Standing) -> Content:
    colour = "$foreground 60%" if stands.style == "muted" else f"${'success' if stands.style == 'ok' else stands.style}"
    why = f": {visible(hook.obstacle.why)}" if hook.obstacle else ""
    winner = catalog.overridden_by(hook)
    if winner is not None and hook.enabled and not hook.obstacle:
        why = f" by {one_line(winner)}"
    return Content.assemble((f"{stands.glyph} {stands.word}", colour), why)


def _trust(hook: Hook, trust: Trust) -> Content:
    words, style = _TRUST[trust]
    said = Content.styled(hint(words), style)
    if trust not in UNAPPROVED or isinstance(hook.source, HookDirectory):
        return said
    return Content.assemble(said.plain, f"; until then {host_names((hook.format,))} runs it and hooktui does not")


def _when(hook: Hook) -> Content:
    if not hook.event:
        return _faint(f"never: {one_line(hook.event_as_written)} is no event" if hook.event_as_written else "never")
    about = f" · {hook.event}" if hook.event_as_written != hook.event else ""
    return Content.assemble(events.MEANING.get(hook.event, "an event of this format"), (about, "$foreground 60%"))


def _faint(text: str) -> Content:
    return Content.styled(text, "$foreground 60%")
