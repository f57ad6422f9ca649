"""The form of a hook as its file stands in an editor: what each field holds, what is wrong with it, and filling one in."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import accumulate
from typing import TYPE_CHECKING

from hooktui import formats
from hooktui.core.model import HookDirectory
from hooktui.formats.form_fields import FormField

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from hooktui.catalog.catalog import Catalog
    from hooktui.core.model import Diagnostic, Hook

__all__ = ["Form", "FormField", "concerns", "fill", "form"]

_PROBE = "a value that no hook has"
_OF_TRUST = ("untrusted", "changed-since-trusted")  # stand at the event for want of a better place; a line of their own tells


@dataclass(frozen=True, slots=True)
class Form:
    """The fields of one hook in a text, and its problems.

    `troubles` says by label what is wrong with a field; `refusal` why there is no form.
    """

    problems: tuple[Diagnostic, ...] = ()
    fields: tuple[FormField, ...] = ()
    troubles: Mapping[str, str] = field(default_factory=dict)
    refusal: str = ""


def form(hook: Hook, text: str, found: Catalog) -> Form:
    """The form that a hook has in `text`, which is what its file holds in the catalog. Never raises for what it holds.

    A function of a Python agent has no fields.
    """
    same = in_its_place(hook, [one for one in found.hooks if one.file == hook.file])
    problems = tuple(one for one in found.diagnostics if concerns(one, same or hook))
    if hook.type == "callback":
        return Form(problems)
    if same is None:
        return Form(problems, refusal=_absence(hook, found))
    try:
        fields = formats.load(hook.format).fields(text, same)
    except ValueError as error:
        return Form(problems, refusal=str(error))
    wrong = [one for one in problems if one.file == hook.file and one.code not in _OF_TRUST]
    return Form(problems, fields, _troubles(fields, text, wrong))


def concerns(problem: Diagnostic, hook: Hook) -> bool:
    """Whether a problem is one of a hook, or of its whole file."""
    return problem.hook == hook.id or (problem.hook is None and problem.file == hook.file)


def _absence(hook: Hook, found: Catalog) -> str:
    """Why a hook is not in a text."""
    errors = [one.message for one in found.diagnostics if one.severity == "error" and one.file == hook.file]
    if errors and not any(one.file == hook.file for one in found.hooks):
        return f"the source must be mended first: {errors[0]}"
    return f"{hook.name} is not in the text any more"


def fill(hook: Hook, text: str, where: FormField, value: object, saved: str | None = None) -> str:
    """The text with another value in a field and no other byte changed; ValueError, with a sentence, when that cannot be.

    A field that gets the value back which it has in the `saved` text gets its spelling back too.
    """
    edit = formats.load(hook.format).edit
    filled = edit(text, where.address, value)
    return saved if saved is not None and _is_saved(edit, filled, saved, where.address, value) else filled


def _is_saved(edit: Callable[[str, str, object], str], filled: str, saved: str, address: str, value: object) -> bool:
    """Whether two texts differ only in how they spell one field's value."""
    try:
        return edit(saved, address, value) == saved and edit(saved, address, _PROBE) == edit(filled, address, _PROBE)
    except ValueError:
        return False


def in_its_place(hook: Hook, hooks: Iterable[Hook]) -> Hook | None:
    """Which of the hooks of a changed text is the one that was there: of the same id, the only one of a HOOK.md."""
    hooks = tuple(hooks)
    only = hooks[0] if isinstance(hook.source, HookDirectory) and hooks else None
    return next((one for one in hooks if one.id == hook.id), only)


def _troubles(fields: Iterable[FormField], text: str, problems: Iterable[Diagnostic]) -> dict[str, str]:
    """The first problem that begins within each field's value."""
    found: dict[str, str] = {}
    starts = _line_starts(text)
    for problem in problems:
        offset = starts[min(problem.line, len(starts)) - 1] + problem.column - 1
        for one in fields:
            if one.span and one.span[0] <= offset < one.span[1]:
                found.setdefault(one.label, problem.message)
    return found


def _line_starts(text: str) -> list[int]:
    return list(accumulate((len(line) + 1 for line in text.split("\n")), initial=0))
