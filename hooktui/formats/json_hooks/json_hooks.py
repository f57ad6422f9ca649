"""A JSON hook file: `{"hooks": {Event: [entry or {matcher, hooks: [entry]}]}}` (formats.md §3).

Next to the `hooks` of a group there may be `off`: entries that hooktui disabled. No host reads that key.

A bad entry never hides the others. If the host ignores the file, its hooks are listed and do not run.
"""

from __future__ import annotations

import os
from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from hooktui.core.model import Obstacle
from hooktui.formats import Parsed, files, json_source
from hooktui.formats.file_notes import HostNotes
from hooktui.formats.json_hooks import entry_fields, json_command, json_entry, json_events, json_shapes
from hooktui.formats.json_hooks.entry_fields import kind_of, pairs, repeated
from hooktui.formats.json_hooks.json_entry import EntrySite, Surroundings, note_repeated
from hooktui.formats.json_hooks.json_events import Matcher

if TYPE_CHECKING:
    from collections.abc import Iterator

    from hooktui.core.model import Fix, Hook, Scope
    from hooktui.formats.json_hooks.json_events import ResolvedEvent
    from hooktui.formats.node import Node, Span
    from hooktui.hosts import HostSpec

LIMIT = 1024 * files.KIB
_OURS = ("hooks", "disableAllHooks", "version")
OFF = "off"


@dataclass(frozen=True, slots=True)
class JsonHookFile:
    """A hook file as JSON. `root` is its object, None if it cannot be read; `extras` are comments and trailing commas.

    `has_bom`: it starts with a byte order mark.
    """

    path: str
    scope: Scope
    notes: HostNotes
    root: Node | None = None
    extras: tuple[Span, ...] = ()
    has_bom: bool = False

    @property
    def events(self) -> tuple[str, ...]:
        """Its event keys as written."""
        listed = self.root.value.get("hooks") if self.root else None
        return tuple(listed) if isinstance(listed, dict) else ()


def load(path: str, scope: Scope) -> JsonHookFile | None:
    """Load a hook file; None if there is none. Content never raises."""
    if not os.path.lexists(path):
        return None
    try:
        text = files.read_text(path, LIMIT)
    except files.Unreadable as refused:
        notes = HostNotes(path, "")
        notes.error(refused.code, str(refused))
        return JsonHookFile(path, scope, notes)
    return parse(text, path, scope)


def parse(text: str, path: str, scope: Scope) -> JsonHookFile:
    """Parse the text of a hook file."""
    has_bom = text.startswith("\ufeff")
    text = text.removeprefix("\ufeff")
    notes = HostNotes(path, text)
    read = json_source.read(text)
    if read.fault is not None:
        notes.fault(read.fault)
        return JsonHookFile(path, scope, notes)
    if read.root is not None and not isinstance(read.root.value, dict):
        notes.error("not-a-mapping", f"the file must contain an object, not {kind_of(read.root.value)}", read.root.span)
        return JsonHookFile(path, scope, notes)
    return JsonHookFile(path, scope, notes, read.root, read.extras, has_bom)


def hooks(file: JsonHookFile, spec: HostSpec, project: str) -> Parsed:
    """Read the hooks of a file in order, by the rules of a host."""
    notes = file.notes
    entries = list(_HookFileReader(file, spec, project).hooks()) if file.root else []
    notes.hook = None
    if notes.skipped:
        entries = [_skipped(hook, notes.skipped) for hook in entries]
    return Parsed(
        hooks=notes.stamped(entries),
        diagnostics=notes.diagnostics(entries),
        watched=(file.path, *json_command.named(entries)),
        files=(file.path,),
    )


def switched_off(file: JsonHookFile) -> bool | None:
    """The value of `disableAllHooks`; None if it is missing or invalid."""
    value = file.root.value.get("disableAllHooks") if file.root else None
    return value if isinstance(value, bool) else None


def _skipped(hook: Hook, why: str) -> Hook:
    obstacle = Obstacle(skip="host-skips-file", why=why)
    return hook.replace(obstacle=obstacle, problems=(*hook.problems, "host-skips-file"))


class _HookFileReader:
    """Reads a file from the top down to its entries. An entry's number counts the entries of its event."""

    def __init__(self, file: JsonHookFile, spec: HostSpec, project: str) -> None:
        self.file = file
        self.spec = spec
        self.project = project
        self.notes = file.notes
        self.counted: Counter[str] = Counter()

    def hooks(self) -> Iterator[Hook]:
        assert self.file.root is not None
        root = pairs(self.file.root)
        around = self._check_top(self.file.root)
        if "hooks" not in root:
            return
        node = root["hooks"][1]
        if not isinstance(node.value, dict):
            self._wrong(f"hooks must be an object, not {kind_of(node.value)}", node)
            return
        if not self.spec.entry.strict:
            json_events.report_twins(node, self.spec, self.notes)
        doubtful = self._repeated(node)
        for key, value in node.entries:
            yield from self._event(key, value, node, around + doubtful.get(key.value, Surroundings()))

    def _check_top(self, root: Node) -> Surroundings:
        """Check the keys next to `hooks`."""
        fields = pairs(root)
        self._check_extras()
        self._check_top_keys(root)
        self._check_switch(root)
        wanted = self.spec.entry.version
        if wanted is not None and "version" in fields and fields["version"][1].value != wanted:
            version = fields["version"][1]
            fix = self.notes.instead(version, str(wanted) if version.value == str(wanted) else None)
            self.notes.error("bad-value", f"version must be {wanted}", version.span, fix=fix)
        if "hooks" not in fields:
            self._miss_hooks(root)
        doubtful = self._repeated(root, _OURS)
        return sum(doubtful.values(), Surroundings())

    def _check_top_keys(self, root: Node) -> None:
        """Report unknown top-level keys and a byte order mark if the host rejects the file for them."""
        entry = self.spec.entry
        if entry.rejects_bom and self.file.has_bom:
            self.notes.breaks_file(self.spec, "it starts with a byte order mark", (0, 1))
        for key, _ in root.entries:
            if entry.top_keys is not None and key.value not in entry.top_keys:
                self.notes.breaks_file(self.spec, f"unknown key {key.value}", key.span)

    def _miss_hooks(self, root: Node) -> None:
        """Report events outside `hooks`. Other keys of a settings file are not checked."""
        fix = json_shapes.wrapped(root, self.spec.events, self.notes)
        event = next((key for key, _ in root.entries if key.value in self.spec.events), None)
        if event is not None:
            message = f'{event.value} must be under "hooks": {self.spec.title} ignores it here'
            self.notes.error("missing-field", message, event.span, hint='move it under "hooks"', fix=fix)
        elif not self.spec.entry.strict:
            self.notes.error("missing-field", "the file has no hooks", (root.start, root.start + 1), hint='add "hooks": {}')
        if event is None:
            objects = (key for key, value in root.entries if isinstance(value.value, dict))
            self.notes.misspelled_keys(objects, ("hooks",), self.spec.title)

    def _check_extras(self) -> None:
        if self.spec.entry.strict and self.file.extras:
            first = min(self.file.extras)
            extras = "trailing commas" if self.notes.text[first[0]] == "," else "comments"
            self.notes.breaks_file(self.spec, f"{extras} are not valid JSON", first, self._without_commas())

    def _without_commas(self) -> Fix | None:
        """Remove all trailing commas, unless there are comments, which would still break the file."""
        commas, text = sorted(self.file.extras), self.notes.text
        if any(text[slice(*span)] != "," for span in commas):
            return None
        ends = [start for start, _ in commas[1:]]
        between = [text[after:end] for (_, after), end in zip(commas, ends, strict=False)]
        whole = (commas[0][0], commas[-1][1])
        return self.notes.replacement("remove the trailing commas", whole, "".join(between))

    def _check_switch(self, root: Node) -> None:
        key, value = pairs(root).get("disableAllHooks", (None, None))
        if key is None or value is None:
            return
        if not isinstance(value.value, bool):
            self._wrong(f"disableAllHooks must be true or false, not {kind_of(value.value)}", value)
        elif self.spec.entry.switch == "ignored":
            message = f"{self.spec.title} ignores disableAllHooks in its own files"
            self.notes.on(self.spec.name, "warning", "ignored-key", message, key.span)

    def _event(self, key: Node, value: Node, beside: Node, around: Surroundings) -> Iterator[Hook]:
        self.notes.hook = self._next_id(key.value)
        before = len(self.notes.collected)
        named = json_events.resolve(key, beside, self.spec, self.notes)
        around += Surroundings(named.obstacles, self._codes_since(before))
        if not isinstance(value.value, list):
            self.notes.hook = None
            message = f"{key.value} must be a list, not {kind_of(value.value)}"
            self.notes.error("wrong-type", message, value.span, fix=json_shapes.listed(value, self.notes))
            return
        for index, item in enumerate(value.items):
            path = ("hooks", key.value, index)
            if isinstance(item.value, dict) and "hooks" in item.value:
                yield from self._group(item, key.value, named, path, around)
            else:
                yield from self._flat(item, key.value, named, path, around)

    def _flat(
        self, item: Node, written: str, named: ResolvedEvent, path: tuple[str | int, ...], around: Surroundings
    ) -> Iterator[Hook]:
        """Read an entry without a group."""
        matcher = Matcher()
        self.notes.hook = self._next_id(written)
        lists = (key for key, value in item.entries if isinstance(value.value, list))
        self.notes.misspelled_keys(lists, ("hooks",), self.spec.title)
        if self.spec.entry.nested and isinstance(item.value, dict):
            if named.known:
                self._report_flat(item)
            matcher = self._matcher(item, written, named)
        yield from self._entry(item, written, named, matcher, path, around)

    def _report_flat(self, item: Node) -> None:
        """Report an entry outside a group if the host requires groups."""
        problem, place = "an entry outside a {matcher, hooks: […]} group", (item.start, item.start + 1)
        fix = json_shapes.grouped(item, self.notes)
        if self.spec.entry.flat_loses_file:
            self.notes.breaks_file(self.spec, problem, place, fix)
        else:
            self.notes.on(self.spec.name, "error", "never-fires", f"{self.spec.title} drops {problem}", place, fix=fix)

    def _group(
        self, item: Node, written: str, named: ResolvedEvent, path: tuple[str | int, ...], around: Surroundings
    ) -> Iterator[Hook]:
        """`{matcher, hooks: [entry]}`."""
        self.notes.hook = self._next_id(written)
        before = len(self.notes.collected)
        matcher = self._matcher(item, written, named)
        doubtful = sum(self._repeated(item).values(), Surroundings())
        self._report_group_keys(item)
        around += doubtful + Surroundings(problems=self._codes_since(before))
        inner = pairs(item)["hooks"][1]
        if not isinstance(inner.value, list):
            message = f"hooks must be a list, not {kind_of(inner.value)}"
            self._wrong(message, inner, strict=named.known, fix=json_shapes.listed(inner, self.notes))
            return
        for index, node in enumerate(inner.items):
            yield from self._entry(node, written, named, matcher, (*path, "hooks", index), around)
        yield from self._off(item, written, named, matcher, path, around)

    def _off(
        self,
        item: Node,
        written: str,
        named: ResolvedEvent,
        matcher: Matcher,
        path: tuple[str | int, ...],
        around: Surroundings,
    ) -> Iterator[Hook]:
        """Read disabled entries. No host reads them, so they cannot break the file."""
        unread = replace(named, known=False)
        for index, node in enumerate(pairs(item)[OFF][1].items if OFF in item.value else ()):
            for hook in self._entry(node, written, unread, matcher, (*path, OFF, index), around):
                yield hook.replace(enabled=False)

    def _entry(
        self,
        node: Node,
        written: str,
        named: ResolvedEvent,
        matcher: Matcher,
        path: tuple[str | int, ...],
        around: Surroundings,
    ) -> Iterator[Hook]:
        self.counted[written] += 1
        site = EntrySite(
            spec=self.spec,
            file=self.file.path,
            scope=self.file.scope,
            project=self.project,
            written=written,
            event=named.event,
            known=named.known,
            node=node,
            matcher=matcher,
            path=path,
            number=self.counted[written],
            around=around,
        )
        self.notes.hook = site.id
        if not isinstance(node.value, dict):
            message = f"an entry must be an object, not {kind_of(node.value)}"
            self._wrong(message, node, strict=named.known, fix=json_shapes.entry(node, self.notes))
            return
        hook = json_entry.read(site, self.notes)
        if hook is not None:
            yield hook

    def _matcher(self, item: Node, written: str, named: ResolvedEvent) -> Matcher:
        node = pairs(item).get("matcher", (None, None))[1]
        strict = self.spec.entry.strict and named.known
        return json_events.read_matcher(node, written, self.spec, self.notes, strict=strict)

    def _report_group_keys(self, item: Node) -> None:
        for name, (key, _) in pairs(item).items():
            if name in entry_fields.known_to_any() and name != "matcher":
                message = f"{self.spec.title} ignores {name} next to hooks: move it into the entry"
                self.notes.on(self.spec.name, "warning", "ignored-key", message, key.span)
        if "matcher" not in item.value:
            self.notes.misspelled_keys((key for key, _ in item.entries), ("matcher",), self.spec.title)

    def _repeated(self, node: Node, only: tuple[str, ...] = ()) -> dict[str, Surroundings]:
        """The effect of each duplicate key on the hooks below it."""
        keys = [key for key in repeated(node) if not only or key.value in only]
        return {key.value: Surroundings((note_repeated(node, key, self.notes),), ("duplicate-key",)) for key in keys}

    def _next_id(self, written: str) -> str:
        """The ID of the next entry. Diagnostics of a group belong to its first hook."""
        name = f"{os.path.basename(self.file.path)}:{written}:{self.counted[written] + 1}"
        return f"{self.spec.name}:{self.file.scope}:{name}"

    def _codes_since(self, before: int) -> tuple[str, ...]:
        return tuple(note.code for note in self.notes.collected[before:])

    def _wrong(self, message: str, node: Node, *, strict: bool = True, fix: Fix | None = None) -> None:
        self.notes.error("wrong-type", message, node.span, fix=fix)
        if self.spec.entry.strict and strict:
            self.notes.breaks_file(self.spec, message, node.span, fix)
