"""A hook file in JSON or TOML: `{"hooks": {Event: [entry or {matcher, hooks: [entry]}]}}` (formats.md §3).

Next to the `hooks` of a group there may be `off`: entries that hooktui disabled. No host reads that key.

A bad entry never hides the others. If the host ignores the file, its hooks are listed and do not run.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from hooktui.core import events
from hooktui.core.model import Obstacle
from hooktui.formats import Parsed, hook_identity
from hooktui.formats.diagnostic_collector import is_comment
from hooktui.formats.json_hooks import entry_fields, file_checks, json_command, json_entry, json_events, json_shapes
from hooktui.formats.json_hooks.entry_fields import OFF, OFF_LIST, kind_of, pairs, repeated
from hooktui.formats.json_hooks.json_entry import EntrySite, Surroundings, note_repeated
from hooktui.formats.json_hooks.json_events import Matcher
from hooktui.formats.node import Node, find

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from hooktui.core.model import EntryPath, Fix, Hook
    from hooktui.formats.diagnostic_collector import DiagnosticCollector
    from hooktui.formats.json_hooks.json_file import JsonHookFile
    from hooktui.hosts import Host

_OURS = ("hooks", "disableAllHooks", "version")
_SEQUENTIAL = "sequential"  # the hooks of this event run one after another


def hooks(file: JsonHookFile, spec: Host, project: str) -> Parsed:
    """Read the hooks of a file in order, by the rules of a host."""
    notes, root = file.notes, file.root
    notes.consequence = file.consequence
    spec = spec.replace(entry=file.entry) if file.entry else spec
    entries = []
    file_checks.report_unreadable(file, spec)
    if root is not None and isinstance(root.value, dict):
        entries = list(_HookFileReader(file, spec, project).hooks())
    elif root is not None:
        file_checks.report_no_object(root, spec, notes)
    notes.hook = None
    lost = (
        notes.skipped or notes.lost_events.get(hook.event_as_written) or notes.lost_entries.get(hook.id) for hook in entries
    )
    entries = [_skipped(hook, why) if why else hook for hook, why in zip(entries, lost, strict=True)]
    known = hook_identity.identified(notes.stamped(entries))
    labels = [hook.label for hook in known if hook.enabled] or file_checks.lost_commands(notes.text)
    diagnostics = notes.diagnostics(known, labels)
    return Parsed(
        hooks=known,
        diagnostics=tuple(note.replace(fix=None) for note in diagnostics) if file.source.read_only else diagnostics,
        watched=(file.path, *json_command.watched(entries)),
        files=(file.path,),
    )


def event_keys(file: JsonHookFile, spec: Host) -> Mapping[str, Any]:
    """What a file has where its host reads events, by key."""
    value: Any = file.values
    for step in spec.events_in(file.path):
        value = value.get(step)
    return value if isinstance(value, dict) else {}


def _skipped(hook: Hook, why: str) -> Hook:
    obstacle = Obstacle(skip="host-skips-file", why=why)
    return hook.replace(obstacle=obstacle, problems=(*hook.problems, "host-skips-file"))


class _HookFileReader:
    """Reads a file from the top down to its entries. An entry's number counts the entries of its event."""

    def __init__(self, file: JsonHookFile, spec: Host, project: str) -> None:
        self.file = file
        self.spec = spec
        self.project = project
        self.notes = file.notes
        self.counted: Counter[str] = Counter()

    def hooks(self) -> Iterator[Hook]:
        assert self.file.root is not None
        around = self._check_top(self.file.root)
        if self.spec.entry.shape == "list":
            file = self._site("", self.file.root)._replace(path=self.file.prefix, around=around)
            for site in _listed_sites(file, self.notes, self._begin_hook):
                for hook in self._entry(site.node, site):
                    yield hook.replace(enabled=hook.enabled and site.known)
            return
        container, node = self._events(self.file.root)
        if node is None:
            return
        self._check_wrapper(self.file.root, container)
        if not isinstance(node.value, dict):
            self._wrong(f"hooks must be an object, not {kind_of(node.value)}", node, loses_file=self.spec.entry.strict)
            return
        if not self.spec.entry.strict:
            json_events.report_twins(node, self.spec, self.notes)
        doubtful = self._repeated(node)
        for key, value in (entry for entry in node.entries if not self._is_other(entry[0].value)):
            yield from self._event(key, value, node, around + doubtful.get(key.value, Surroundings()), container)
        yield from self._set_aside(self.file.root)

    def _is_other(self, key: str) -> bool:
        """Whether a key next to the events is a note or a setting."""
        return key in self.spec.entry.other_keys or (is_comment(key) and "unknown event" not in self.spec.entry.file_faults)

    def _set_aside(self, root: Node) -> Iterator[Hook]:
        """The entries that hooktui disabled, of a host without groups. The host ignores the key, so they break nothing."""
        aside = root.members.get(OFF) if self.spec.entry.shape == "flat" else None
        for key, value in aside.entries if aside else ():
            if key.value in self.spec.events and isinstance(value.value, list):
                for hook in self._event(key, value, root, Surroundings(), (OFF,)):
                    yield hook.replace(enabled=False)

    def _events(self, root: Node) -> tuple[EntryPath, Node | None]:
        """The object with the events, and its path; None if there is none."""
        usual = self.spec.events_in(self.file.path)
        wrapped = root.members.get("hooks")
        if usual or wrapped is None or not isinstance(wrapped.value, dict):
            return usual, wrapped if usual else root
        return ("hooks",), wrapped

    def _check_wrapper(self, root: Node, container: EntryPath) -> None:
        """Report events inside `hooks` in a file whose host reads them at the top."""
        if container != self.spec.events_in(self.file.path):
            key, wrapped = pairs(root)["hooks"]
            fix, hint = json_shapes.bared(root, wrapped, self.notes), "write the events as the keys of the file"
            self.notes.breaks_file(self.spec, "its events must not be inside hooks", key.span, fix, hint=hint)

    def _check_top(self, root: Node) -> Surroundings:
        fields = pairs(root)
        if self.notes.is_json:
            file_checks.check_extras(self.file.extras, self.spec, self.notes)
            file_checks.check_comment_signs(root, self.spec, self.notes)
            file_checks.check_surrogates(self.spec, self.notes)
            self._check_top_keys(root)
            self._check_switch(root)
            if any(place.settings and place.fits(self.file.path) for place in self.spec.files):
                file_checks.check_settings(root, self.spec, self.notes)
        file_checks.check_version(root, self.spec, self.notes)
        has_modules = self.spec.plugins is not None and self.spec.plugins.modules in fields
        is_of_mod = has_modules and bool(self.file.source.plugin_root)
        if "hooks" not in fields and not is_of_mod and self.spec.events_in(self.file.path):
            self._miss_hooks(root)
        doubtful = self._repeated(root, _OURS)
        return sum(doubtful.values(), Surroundings())

    def _check_top_keys(self, root: Node) -> None:
        """Report unknown top-level keys and a byte order mark if the host rejects the file for them."""
        entry = self.spec.entry
        if "byte order mark" in entry.file_faults and self.file.has_bom:
            self.notes.breaks_file(self.spec, "it starts with a byte order mark", (0, 1), fault="byte order mark")
        misplaced = () if "hooks" in root.value else self.spec.events  # `_miss_hooks` reports them
        for key, _ in root.entries:
            if entry.refuses_top_key(key.value) and key.value not in misplaced:
                self.notes.breaks_file(self.spec, f"unknown key {key.value}", key.span)
        if path := entry.stray_hooks(root.value) if "hooks" in root.value else ():
            self._report_stray(root, path)

    def _report_stray(self, node: Node, path: Sequence[str]) -> None:
        """Report hooks outside of `hooks` for which the host loses the file."""
        for name in path:
            key, node = pairs(node)[name]
        problem = f"{key.value} looks like hooks in the wrong place, which only older versions allow"
        self.notes.breaks_file(self.spec, problem, key.span, hint='move them to their event under "hooks", or delete them')

    def _miss_hooks(self, root: Node) -> None:
        """Report events outside `hooks`. Other keys of a settings file are not checked."""
        fix = json_shapes.wrapped(root, self.spec.events, self.notes)
        event = next((key for key, _ in root.entries if key.value in self.spec.events), None)
        if event is not None:
            problem, hint = f'{event.value} must be under "hooks"', 'move it under "hooks"'
            if self.spec.entry.refuses_top_key(event.value):
                self.notes.breaks_file(self.spec, problem, event.span, fix, hint=hint)
            else:
                message = f"{problem}: {self.spec.title} ignores it here"
                self.notes.error("missing-field", message, event.span, hint=hint, fix=fix)
            return
        objects = (key for key, value in root.entries if isinstance(value.value, dict))
        if not self.notes.misspelled_keys(objects, ("hooks",), self.spec.title) and file_checks.is_in_directory(
            self.notes.file, self.spec
        ):
            file_checks.report_no_hooks(root, self.notes)

    def _check_switch(self, root: Node) -> None:
        name = self.spec.entry.switch_key
        _, place = self._events(root) if name in self.spec.entry.other_keys else (None, root)
        key, value = pairs(place).get(name.partition(".")[0], (None, None)) if place else (None, None)
        value = find(value, tuple(name.split(".")[1:])) if value else None
        if key is None or value is None:
            return
        if not isinstance(value.value, bool):
            message = f"{name} must be true or false, not {kind_of(value.value)}"
            loses_file = self.spec.entry.strict or "switch" in self.spec.entry.file_faults
            self._wrong(message, value, loses_file=loses_file)
        elif self.spec.entry.switch == "ignored":
            message = f"{self.spec.title} ignores {name} in its own files"
            self.notes.on(self.spec.name, "warning", "ignored-key", message, key.span)

    def _event(self, key: Node, value: Node, beside: Node, around: Surroundings, container: EntryPath) -> Iterator[Hook]:
        site = self._site(key.value, value)._replace(path=(*self.file.prefix, *container, key.value))
        self._begin_hook(site)
        before = len(self.notes.collected)
        named = json_events.resolve(key, value, beside, self.spec, self.notes)
        around += Surroundings(named.obstacles, self._codes_since(before))
        if not named.known and not isinstance(value.value, list):
            self.notes.hook = None
            return
        if not isinstance(value.value, list):
            self.notes.hook = None
            message = f"{key.value} must be a list, not {kind_of(value.value)}"
            loses_file = named.known and self.spec.entry.loses_file(key.value)
            self._wrong(message, value, loses_file=loses_file, fix=json_shapes.listed(value, self.notes))
            return
        fires = self.spec.fires_as(key.value, self.file.source.agent or "")
        event = named.event if fires == key.value else events.canonical(fires) or fires
        site = site._replace(event=event, known=named.known and container != (OFF,), around=around)
        items = ((index, item) for index, item in enumerate(value.items) if named.known or isinstance(item.value, dict))
        for index, item in items:
            is_group = self.spec.entry.shape != "flat" and _is_group(item.value)
            yield from (self._group if is_group else self._flat)(item, site._replace(path=(*site.path, index)))

    def _site(self, written: str, node: Node) -> EntrySite:
        """The position of a value, before its path and matcher are known."""
        return EntrySite(
            spec=self.spec,
            file=self.file.path,
            scope=self.file.scope,
            project=self.project,
            written=written,
            node=node,
            matcher=Matcher(),
            path=(),
            source=self.file.source,
        )

    def _flat(self, item: Node, site: EntrySite) -> Iterator[Hook]:
        self._begin_hook(site)
        lists = (key for key, value in item.entries if isinstance(value.value, list))
        if self.spec.entry.shape != "flat":
            self.notes.misspelled_keys(lists, ("hooks",), self.spec.title)
        if self.spec.entry.shape == "groups" and isinstance(item.value, dict):
            if site.known:
                self._report_flat(item)
            known = site.known and "flat entry" in self.spec.entry.file_faults
            site = site._replace(matcher=self._matcher(item, site), is_flat=site.known, known=known)
        yield from self._entry(item, site)

    def _report_flat(self, item: Node) -> None:
        """Report an entry outside a group if the host requires groups."""
        problem, place = "an entry outside a {matcher, hooks: […]} group", (item.start, item.start + 1)
        fix = json_shapes.grouped(item, self.notes)
        if "flat entry" in self.spec.entry.file_faults:
            self.notes.breaks_file(self.spec, problem, place, fix)
        else:
            self.notes.on(self.spec.name, "error", "never-fires", f"{self.spec.title} ignores {problem}", place, fix=fix)

    def _group(self, item: Node, site: EntrySite) -> Iterator[Hook]:
        """`{matcher, hooks: [entry], off: [entry]}`; without `hooks` some hosts lose the file."""
        self._begin_hook(site)
        before = len(self.notes.collected)
        pattern = json_events.command_pattern(item, self.spec, self.notes, strict=self.spec.entry.strict and site.known)
        matcher = self._matcher(item, site)._replace(pattern=pattern)
        lost = self.notes.lost_entries.get(self.notes.hook or "")
        doubtful = sum(self._repeated(item).values(), Surroundings())
        self._report_group_keys(item)
        around = site.around + doubtful + Surroundings(problems=self._codes_since(before))
        inner = item.members.get("hooks")
        if inner is None and site.known and "flat entry" in self.spec.entry.file_faults:
            self._report_flat(item)
        if inner is not None and not isinstance(inner.value, list):
            message = f"hooks must be a list, not {kind_of(inner.value)}"
            loses_file = self.spec.entry.strict and site.known
            self._wrong(message, inner, loses_file=loses_file, fix=json_shapes.listed(inner, self.notes))
            return
        in_turn = _SEQUENTIAL in self.spec.entry.group_keys and item.value.get(_SEQUENTIAL) is True
        site = site._replace(matcher=matcher, around=around, source=site.source.replace(sequential=in_turn))
        for index, node in enumerate(inner.items if inner is not None else ()):
            for hook in self._entry(node, site._replace(path=(*site.path, "hooks", index))):
                yield _skipped(hook, lost) if lost else hook
        # No host reads disabled entries, so they cannot break the file.
        for index, node in enumerate(item.members[OFF].items if OFF in item.value else ()):
            for hook in self._entry(node, site._replace(known=False, path=(*site.path, OFF, index))):
                yield hook.replace(enabled=False)

    def _entry(self, node: Node, site: EntrySite) -> Iterator[Hook]:
        self._begin_hook(site)
        self.counted[site.written] += 1
        if not isinstance(node.value, dict):
            message = f"an entry must be an object, not {kind_of(node.value)}"
            self._wrong(message, node, loses_file=self.spec.entry.strict and site.known)
            return
        hook = json_entry.read(site._replace(node=node, number=self.counted[site.written]), self.notes)
        if hook is not None:
            yield hook

    def _matcher(self, item: Node, site: EntrySite) -> Matcher:
        node = item.members.get("matcher")
        strict = self.spec.entry.strict and site.known
        return json_events.read_matcher(node, site.written, self.spec, self.notes, strict=strict)

    def _report_group_keys(self, item: Node) -> None:
        for name, (key, _) in pairs(item).items():
            if name in entry_fields.known_to_any() and name != "matcher" and not entry_fields.is_tool(name):
                message = f"{self.spec.title} ignores {name} next to hooks: move it into the entry"
                self.notes.on(self.spec.name, "warning", "ignored-key", message, key.span)
        known = (*entry_fields.known_to_any(), "hooks", *self.spec.entry.group_keys)
        strange = [key for key, _ in item.entries if key.value not in known or entry_fields.is_tool(key.value)]
        missing = () if "matcher" in item.value else ("matcher",)
        entry_fields.report_unread(strange, missing, self.spec, self.notes)

    def _repeated(self, node: Node, only: tuple[str, ...] = ()) -> dict[str, Surroundings]:
        keys = [key for key in repeated(node) if not only or key.value in only]
        notes, spec = self.notes, self.spec
        return {key.value: Surroundings((note_repeated(node, key, notes, spec),), ("duplicate-key",)) for key in keys}

    def _begin_hook(self, site: EntrySite) -> None:
        """Assign new diagnostics to the event's next hook; those of a group belong to its first hook."""
        self.notes.hook, self.notes.event = site._replace(number=self.counted[site.written] + 1).id, site.written

    def _codes_since(self, before: int) -> tuple[str, ...]:
        return tuple(note.code for note in self.notes.collected[before:])

    def _wrong(self, message: str, node: Node, *, loses_file: bool, fix: Fix | None = None) -> None:
        if loses_file:
            self.notes.breaks_file(self.spec, message, node.span, fix)
        else:
            self.notes.error("wrong-type", message, node.span, fix=fix)


def _is_group(value: object) -> bool:
    return isinstance(value, dict) and ("hooks" in value or isinstance(value.get(OFF), list))


def _listed_sites(file: EntrySite, notes: DiagnosticCollector, begin: Callable[[EntrySite], None]) -> Iterator[EntrySite]:
    """The entries that a file lists, then those that hooktui disabled, which are not `known` to the host.

    `file` has the root and what is common to all. `begin` is called with each entry before its event is resolved.
    """
    for name in ("hooks", OFF_LIST):
        value, is_on = file.node.members.get(name), name != OFF_LIST
        if value is not None and not isinstance(value.value, list):
            problem = f"{name} must be a list, not {kind_of(value.value)}"
            if is_on:
                notes.breaks_file(file.spec, problem, value.span)
            else:
                notes.error("wrong-type", problem, value.span)
        for index, item in enumerate(value.items if value else ()):
            site = file._replace(node=item, path=(*file.path, name, index), known=is_on)
            yield _named(site, notes, begin)


def _named(site: EntrySite, notes: DiagnosticCollector, begin: Callable[[EntrySite], None]) -> EntrySite:
    written = site.node.members.get("event")
    if written and type(written.value) is str:
        site = site._replace(written=written.value)
    begin(site)
    if not isinstance(site.node.value, dict):
        return site
    event = json_events.resolve_value(written, site.node, site.spec, notes, strict=site.known and site.spec.entry.strict)
    return site._replace(event=event.event, around=site.around + Surroundings(event.obstacles))
