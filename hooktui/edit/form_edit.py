"""The form of a hook in the text of an editor: its fields, their problems, and changing one."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import accumulate
from typing import TYPE_CHECKING

from hooktui import formats, hosts
from hooktui.core.model import HookDirectory
from hooktui.formats.form_fields import FormField
from hooktui.formats.json_hooks import file_syntax

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from hooktui.catalog.catalog import Catalog
    from hooktui.core.model import Diagnostic, Hook

__all__ = ["Form", "FormField", "concerns", "fill", "form"]

_PROBE = "a value that no hook has"
_OF_TRUST = ("untrusted", "changed-since-trusted")  # shown in a line of their own, not at a field


@dataclass(frozen=True, slots=True)
class Form:
    """The fields of one hook in a text, and its problems.

    `troubles` has the message for a field by its label; `refusal` says why there is no form. `event` is the canonical name
    of the event where the catalog has several spellings, else "".
    """

    problems: tuple[Diagnostic, ...] = ()
    fields: tuple[FormField, ...] = ()
    troubles: Mapping[str, str] = field(default_factory=dict)
    refusal: str = ""
    event: str = ""


def form(hook: Hook, text: str, catalog: Catalog) -> Form:
    """Return the form of a hook in `text`, which the catalog was loaded from. Never raises for what the text holds.

    A callback of a Python agent has no fields.
    """
    same = in_its_place(hook, [other for other in catalog.hooks if other.file == hook.file])
    problems = tuple(problem for problem in catalog.diagnostics if concerns(problem, same or hook))
    if hook.type == "callback":
        return Form(problems)
    if same is None:
        return Form(problems, refusal=_absence(hook, catalog))
    try:
        fields = formats.load(hook.format).fields(text, same)
    except ValueError as error:
        return Form(problems, refusal=str(error))
    shown = [problem for problem in problems if problem.file == hook.file and problem.code not in _OF_TRUST]
    return Form(problems, fields, _troubles(fields, text, shown), event=_canonical_event(same, catalog))


def _canonical_event(hook: Hook, catalog: Catalog) -> str:
    """The canonical name of a hook's event if the file spells it otherwise and the catalog has hooks of several hosts."""
    is_mixed = len({other.format for other in catalog.own_hooks}) > 1
    return hook.event if is_mixed and hook.event != hook.event_as_written else ""


def concerns(problem: Diagnostic, hook: Hook) -> bool:
    """Whether a problem belongs to a hook or its whole file."""
    return problem.hook == hook.id or (problem.hook is None and problem.file == hook.file)


def _absence(hook: Hook, catalog: Catalog) -> str:
    """Say why a hook is not in a text."""
    errors = [problem.message for problem in catalog.diagnostics if problem.severity == "error" and problem.file == hook.file]
    if errors and not any(other.file == hook.file for other in catalog.hooks):
        return f"fix the source first: {errors[0]}"
    return f"{hook.label} is no longer in the text"


def fill(hook: Hook, text: str, where: FormField, value: object, saved: str | None = None) -> str:
    """Return the text with a new value in a field and no other byte changed. Raises ValueError with a message for the person.

    A field that is set back to its value in the `saved` text gets that spelling, too.
    """
    edit, written = _editor(hook), where.as_written(value)
    filled = edit(text, where.address, written)
    return saved if saved is not None and _is_saved(edit, filled, saved, where.address, written) else filled


def _editor(hook: Hook) -> Callable[[str, str, object], str]:
    """The `Format.edit` of the syntax of a hook's file."""
    return file_syntax.of(hook.file).edit if hosts.json_spec(hook.format) else formats.load(hook.format).edit


def _is_saved(edit: Callable[[str, str, object], str], filled: str, saved: str, address: str, value: object) -> bool:
    """Whether two texts differ only in how they spell the field's value."""
    try:
        return edit(saved, address, value) == saved and edit(saved, address, _PROBE) == edit(filled, address, _PROBE)
    except ValueError:
        return False


def in_its_place(hook: Hook, hooks: Iterable[Hook]) -> Hook | None:
    """Find a hook in a changed text, by its id; a HOOK.md has only one."""
    hooks = tuple(hooks)
    only = hooks[0] if isinstance(hook.source, HookDirectory) and hooks else None
    return next((other for other in hooks if other.id == hook.id), only)


def _troubles(fields: Iterable[FormField], text: str, problems: Iterable[Diagnostic]) -> dict[str, str]:
    """The first problem that begins within each field's value, by the field's label."""
    messages: dict[str, str] = {}
    starts = list(accumulate((len(line) + 1 for line in text.split("\n")), initial=0))
    for problem in problems:
        offset = starts[min(problem.line, len(starts)) - 1] + problem.column - 1
        for form_field in fields:
            if form_field.span and form_field.span[0] <= offset < form_field.span[1]:
                messages.setdefault(form_field.label, problem.message)
    return messages
