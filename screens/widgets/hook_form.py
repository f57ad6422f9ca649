"""What a hook is, field by field."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from textual.content import Content

from hooktui import events
from hooktui.plain import one_line, visible
from hooktui.screens.widgets.hook_hosts import hosts_line
from hooktui.screens.widgets.places import near

if TYPE_CHECKING:
    from collections.abc import Iterator

    from hooktui.catalog import Catalog
    from hooktui.model import Hook
    from hooktui.screens.widgets.fields import Field
    from hooktui.screens.widgets.states import Standing


LABEL_WIDTH = 10  # columns
_TRUST = {
    "user": ("the user's own, needs no approval", ""),
    "trusted": ("approved", "$success"),
    "untrusted": ("not approved: p shows it and approves", "$warning"),
    "changed": ("changed since it was approved: p shows it", "$warning"),
}


def fields_of(hook: Hook, catalog: Catalog, stands: Standing) -> Iterator[tuple[Field, ...]]:
    """Labels and values, one or two to a line."""
    yield (("State", _state(hook, catalog, stands)),)
    yield (("Name", Content(one_line(hook.name))),)
    yield (("Event", _event(hook)),)
    if hook.type != "callback":  # a Python agent's own function: the log knows no more of it
        yield from _fields_of_file(hook, catalog)
    yield (("Hosts", hosts_line(hook, catalog.diagnostics)),)
    if hook.type != "callback":
        yield (_action(hook, catalog.project),)
    yield (("File", Content(f"{near(hook.file, catalog.project)}:{hook.line}")),)


def _fields_of_file(hook: Hook, catalog: Catalog) -> Iterator[tuple[Field, ...]]:
    """What its file says about it, and a person to that."""
    trust, colour = _TRUST[catalog.trust.get(hook.id, "untrusted")]
    yield (("About", Content(visible(hook.description)) if hook.description else _faint("no description")),)
    of_tool = hook.event in events.TOOL_EVENTS
    if of_tool or hook.tool is not None:
        yield (("Tool", _regex(hook.tool, "any tool")),)
    if hook.format == "agenthooks" and (of_tool or hook.pattern is not None):
        yield (("Pattern", _regex(hook.pattern, "any input")),)
    yield from _in_pairs(_short_fields(hook))
    yield (("Trust", Content.styled(trust, colour)),)


def _action(hook: Hook, project: str) -> Field:
    if hook.type == "prompt":
        return "Asks", Content(visible(str(hook.extra.get("prompt", ""))))
    return "Runs", Content(near(hook.command, project)) if hook.command else _faint("nothing")


def _short_fields(hook: Hook) -> Iterator[Field]:
    yield "Timeout", Content(f"{hook.timeout_ms:,} ms")
    if hook.format == "agenthooks":
        yield "Priority", Content(str(hook.priority))
    yield "Async", Content("yes, not waited for" if hook.is_async else "no")
    yield "Scope", Content(hook.scope)
    yield "Format", Content(hook.format)


def _in_pairs(fields: Iterator[Field]) -> Iterator[tuple[Field, ...]]:
    while pair := tuple(islice(fields, 2)):
        yield pair


def _state(hook: Hook, catalog: Catalog, stands: Standing) -> Content:
    colour = "$foreground 60%" if stands.style == "muted" else f"${'success' if stands.style == 'ok' else stands.style}"
    why = f": {visible(hook.obstacle.why)}" if hook.obstacle else ""
    winner = catalog.overridden_by(hook)
    if winner is not None and hook.enabled and not hook.obstacle:
        why = f" by {one_line(winner)}"
    return Content.assemble((f"{stands.glyph} {stands.word}", colour), why)


def _event(hook: Hook) -> Content:
    if not hook.event:
        return _faint(f"unknown: {one_line(hook.event_as_written)}" if hook.event_as_written else "none")
    written = "" if hook.event_as_written == hook.event else f", written {one_line(hook.event_as_written)}"
    about = f" · {events.MEANING.get(hook.event, 'an event of this format')}{written}"
    return Content.assemble(one_line(hook.event), (about, "$foreground 60%"))


def _regex(regex: str | None, absent: str) -> Content:
    return _faint(absent) if regex is None else Content.styled(one_line(regex), "$accent")


def _faint(text: str) -> Content:
    return Content.styled(text, "$foreground 60%")
