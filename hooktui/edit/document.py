"""The text of a hook file: its form, its problems, and changes of it that touch no other byte."""

from __future__ import annotations

from itertools import accumulate
from typing import TYPE_CHECKING, NamedTuple, Protocol

from hooktui import formats
from hooktui.connect.disconnection import taken_back
from hooktui.core import paths
from hooktui.core.model import ONLY_IN_AGENT, HookDirectory
from hooktui.formats import json_source, yaml_edit
from hooktui.formats.agenthooks import hook_file_edit
from hooktui.formats.agenthooks.hook_file import HOOK_FILE, OFF_FILE
from hooktui.formats.form_fields import FormField
from hooktui.formats.json_hooks import json_edit
from hooktui.formats.json_hooks.entry_fields import OFF, in_group
from hooktui.formats.text_edit import APPEND, BOM, shown

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from hooktui.catalog.catalog import Catalog
    from hooktui.core.model import Diagnostic, EntryPath, Hook
    from hooktui.formats.node import Node, Span

__all__ = ["Document", "Form", "FormField", "concerns", "in_its_place"]

_PROBE = "a value that no hook has"
_OF_TRUST = ("untrusted", "changed-since-trusted")  # shown in a line of their own, not at a field


class Syntax(Protocol):
    """Changes of a text. Paths lead from its root; every function raises ValueError rather than change anything else."""

    def put(self, text: str, path: EntryPath, value: object) -> str:
        """Set the value at a path, with the parents that are missing."""

    def remove(self, text: str, path: EntryPath) -> str:
        """Delete the value at a path."""


class EntrySyntax(Syntax, Protocol):
    """Changes of a text that lists hooks. APPEND is the end of a list."""

    def find(self, text: str, path: EntryPath) -> Node | None:
        """The value at a path; None if there is none."""

    def move(
        self, text: str, path: EntryPath, to: EntryPath, above: Mapping[str, object] | None = None, gone: EntryPath = ()
    ) -> str:
        """Move an element of a list, as it is written, to the end of the list at `to`, in a group with the values `above`.

        `gone` is what to remove: the element, or what it leaves empty.
        """


def _entries(ending: str) -> EntrySyntax:
    """The syntax of files with an ending. TOML's is imported only when needed: few people have such hooks."""
    if ending == ".toml":
        from hooktui.formats import toml_edit

        return toml_edit
    return yaml_edit if ending in (".yaml", ".yml") else json_edit


class Form(NamedTuple):
    """The fields of one hook in a text, and its problems.

    `troubles` has the problem of a value by its field's label; `refusal` says why there is no form. `event` is the canonical
    name of the event where the catalog has several spellings, else "".
    """

    problems: tuple[Diagnostic, ...] = ()
    fields: tuple[FormField, ...] = ()
    troubles: Mapping[str, Diagnostic] = {}
    refusal: str = ""
    event: str = ""


class Document(NamedTuple):
    """The text of a file with hooks of one format.

    Each change returns the next document, with no other byte changed, and raises ValueError with a message for the person if
    that is impossible. A document never changes, so an earlier one can be restored.
    """

    text: str
    format: str
    path: str

    @classmethod
    def of(cls, hook: Hook, text: str) -> Document:
        return cls(text, hook.format, hook.file)

    # The form

    def form(self, hook: Hook, catalog: Catalog) -> Form:
        """The form of a hook in this text, which the catalog was loaded from. Never raises for what the text holds.

        A callback of a Python agent and a mod have no fields.
        """
        same = in_its_place(hook, [other for other in catalog.hooks if other.file == self.path])
        problems = self.problems(same or hook, catalog)
        if hook.type in ONLY_IN_AGENT:
            return Form(problems)
        if same is None:
            return Form(problems, refusal=_absence(hook, catalog))
        try:
            fields = self.fields(same)
        except ValueError as error:
            return Form(problems, refusal=str(error))
        shown = [problem for problem in problems if problem.file == self.path and problem.code not in _OF_TRUST]
        return Form(problems, fields, self._troubles(fields, shown), event=_canonical_event(same, catalog))

    def problems(self, hook: Hook, catalog: Catalog) -> tuple[Diagnostic, ...]:
        """The problems of a hook in this text, which the catalog was loaded from."""
        return tuple(problem for problem in catalog.diagnostics if concerns(problem, hook))

    def fields(self, hook: Hook) -> tuple[FormField, ...]:
        """The fields of a hook in this text, with their values and positions."""
        fields = formats.load(self.format).fields(self.text, hook)
        return tuple(field._replace(locked=hook.read_only) for field in fields) if hook.read_only else fields

    def fill(self, where: FormField, value: object, saved: str | None = None) -> Document:
        """Set a field; None deletes it. What was deleted since the `saved` text gets its place there back, and its spelling."""
        written = where.as_written(value)
        is_new = saved is not None and written is not None and self.set(where.path, None) is self
        document = self._with_deleted(saved, where.path) if saved is not None and is_new else self
        filled = document.set(where.path, written)
        return self._replace(text=saved) if saved is not None and filled._is_saved(saved, where.path, written) else filled

    def _with_deleted(self, saved: str, path: EntryPath) -> Document:
        """This text with a value as the saved text has it, if only its deletion is undone by that."""
        try:
            without = self._replace(text=saved).set(path, None).text
            restored = self._with(taken_back(saved, without, self.text) or self.text)
            return restored if restored.set(path, None).text == self.text else self
        except ValueError:
            return self

    def _is_saved(self, saved: str, path: EntryPath, value: object) -> bool:
        """Whether this text differs from the saved one only in how it spells a value."""
        before = self._replace(text=saved)
        try:
            return before.set(path, value).text == saved and before.set(path, _PROBE).text == self.set(path, _PROBE).text
        except ValueError:
            return False

    def _troubles(self, fields: Iterable[FormField], problems: Iterable[Diagnostic]) -> dict[str, Diagnostic]:
        """The first problem that begins within each field's value, by the field's label."""
        found: dict[str, Diagnostic] = {}
        starts = list(accumulate((len(line) + 1 for line in self.text.split("\n")), initial=0))
        for problem in problems:
            offset = starts[min(problem.line, len(starts)) - 1] + problem.column - 1
            for form_field in fields:
                if form_field.span and form_field.span[0] <= offset < form_field.span[1]:
                    found.setdefault(form_field.label, problem)
        return found

    # Changes

    def node(self, path: EntryPath) -> Node:
        """The value at a path, with its position in the text without a byte order mark."""
        node = self._entries.find(self.text, path)
        if node is None:
            raise ValueError(f"there is nothing at {shown(path)}")
        return node

    def set(self, path: EntryPath, value: object) -> Document:
        """Set the value at a path, with the parents that are missing; None deletes it, if it is there."""
        if value is not None:
            return self._with(self._syntax.put(self.text, path, value))
        is_there = self._syntax is hook_file_edit or self._entries.find(self.text, path) is not None
        return self.remove(path) if is_there else self

    def insert(self, path: EntryPath, value: object) -> Document:
        return self.set((*path, APPEND), value)

    def remove(self, path: EntryPath) -> Document:
        return self._with(self._syntax.remove(self.text, path))

    def remove_entry(self, path: EntryPath) -> Document:
        """Delete an entry with the group, list and event that it leaves empty. The text is "" if nothing is left."""
        return self.remove(self._whole(path))

    def move_entry(self, path: EntryPath, to: EntryPath, above: Mapping[str, object] | None = None) -> Document:
        """Move an entry, as it is written, to the end of the list at `to`, with what it would leave empty.

        With `above` the list gets a group with these values, and the entry becomes the only one there.
        """
        return self._with(self._entries.move(self.text, path, to, above, self._whole(path)))

    def events_of(self, path: EntryPath) -> EntryPath:
        """The path to the events, for the path of an entry."""
        return path[:-4] if in_group(path) else path[:-2]

    @property
    def is_toml(self) -> bool:
        return paths.extension(self.path) == ".toml"

    @property
    def _syntax(self) -> Syntax:
        return hook_file_edit if paths.name(self.path) in (HOOK_FILE, OFF_FILE) else self._entries

    @property
    def _entries(self) -> EntrySyntax:
        return _entries(paths.extension(self.path))

    def _with(self, text: str) -> Document:
        return self if text == self.text else self._replace(text=text)

    def _whole(self, path: EntryPath) -> EntryPath:
        """The path of an entry, or of what holds nothing else: its group, list or event."""
        if self._entries is yaml_edit and len(path) < yaml_edit.AGENT_PATH:
            return path[:1]  # the document of a global hook
        extras = json_source.read(self.text.removeprefix(BOM)).extras if self._entries is json_edit else ()
        comments = [(start, end) for start, end in extras if end - start > 1]  # the others are commas
        whole, event = path, len(self.events_of(path)) + 1
        while len(whole) > event and _is_all(self.node(whole[:-1]), whole[-1], comments):
            whole = whole[:-1]
        is_list_of_group = in_group((*whole, 0)) and whole[-1] == "hooks"  # without it, the group would lose the file
        return path if is_list_of_group else whole


def _is_all(parent: Node, step: str | int, comments: Sequence[Span]) -> bool:
    """Whether a list holds no other value, or a group no other entry, and no comment."""
    if isinstance(parent.value, list):
        alone = len(parent.items) == 1
    else:
        lists = [value for key, value in parent.entries if key.value in ("hooks", OFF) and key.value != step]
        alone = not any(value.value for value in lists)
    return alone and not any(parent.start <= start < parent.end for start, _ in comments)


def concerns(problem: Diagnostic, hook: Hook) -> bool:
    """Whether a problem belongs to a hook or its whole file."""
    return hook.id in (problem.hook, *problem.other_hooks) or (problem.hook is None and problem.file == hook.file)


def in_its_place(hook: Hook, hooks: Iterable[Hook]) -> Hook | None:
    """Find a hook in a changed text, by its id; a HOOK.md has only one."""
    hooks = tuple(hooks)
    only = hooks[0] if isinstance(hook.source, HookDirectory) and hooks else None
    return next((other for other in hooks if other.id == hook.id), only)


def _canonical_event(hook: Hook, catalog: Catalog) -> str:
    """The canonical name of a hook's event if the file spells it otherwise and the catalog has hooks of several hosts."""
    is_mixed = len({other.format for other in catalog.own_hooks}) > 1
    return hook.event if is_mixed and hook.event != hook.event_as_written else ""


def _absence(hook: Hook, catalog: Catalog) -> str:
    errors = [problem.message for problem in catalog.diagnostics if problem.severity == "error" and problem.file == hook.file]
    if errors and not any(other.file == hook.file for other in catalog.hooks):
        return f"fix the source first: {errors[0]}"
    return f"{hook.label} is no longer in the text"
