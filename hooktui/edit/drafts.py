"""A new hook as a person wants it, checked while it is typed: what its host looks at, and what its script has to."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from hooktui import formats, hosts
from hooktui.catalog import matching
from hooktui.core import events, suggest
from hooktui.core.model import Hook
from hooktui.edit import hook_names
from hooktui.edit.file_steps import CannotChange
from hooktui.edit.locate_entry import HOSTS
from hooktui.edit.new_hook_places import spelling
from hooktui.formats import regexes
from hooktui.formats.agenthooks import frontmatter
from hooktui.formats.json_hooks import json_events

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from hooktui.edit.copy_targets import Target
    from hooktui.edit.new_hook_places import NewHookPlace

Language = Literal["sh", "py"]
Field = Literal["name", "event", "tool", "pattern"]


@dataclass(frozen=True, slots=True)
class HookDraft:
    """A hook to be written at a place. `event` is given in any spelling, and held canonical (or the format's own).

    `tool` is the matcher, as the host reads it; `pattern` a regex for the tool's input. A draft may be unfinished: `faults`
    tells what keeps it from being a working hook.
    """

    place: NewHookPlace
    name: str
    event: str
    tool: str | None = None
    pattern: str | None = None
    language: Language = "sh"

    @property
    def faults(self) -> Mapping[Field, str]:
        """What is wrong, a sentence for the person, by the field that it is wrong in; empty when it can be made."""
        told: dict[Field, str | None] = {"name": hook_names.fault(self.name), "event": _event_fault(self.place, self.event)}
        if not told["event"]:
            reads, has_input = matches_tools(self.place, self.canonical), self.canonical in matching.WITH_TOOL
            told["tool"] = self._matcher_fault("tool", self.tool, listens=reads, is_regex=not self._is_names)
            told["pattern"] = self._matcher_fault("pattern", self.pattern, listens=has_input, is_regex=True)
        return {field: fault for field, fault in told.items() if fault}

    def remark(self, hooks: Iterable[Hook]) -> str:
        """What `check` would warn of in the name, beside these hooks; empty when nothing."""
        if form := frontmatter.name_problem(self.name):
            return f"{form}: {frontmatter.NAME_RULE}"
        return hook_names.namesakes(self.name, self.place.scope, hooks) if self.place.format == "agenthooks" else ""

    def _matcher_fault(self, field: Field, written: str | None, *, listens: bool, is_regex: bool) -> str | None:
        if written is None:
            return None
        if not listens:
            return f"a {field} needs a tool event ({', '.join(events.TOOL_EVENTS)}), not {self.event}"
        wrong = regexes.check(written) if is_regex else None
        return None if wrong is None else f"the {field} is no valid regex: {wrong.message}"

    @property
    def canonical(self) -> str:
        """The event's canonical name, or the format's own."""
        return events.canonical(self.event) or self.event

    @property
    def written(self) -> str:
        """The event as it is written; a HOOK.md takes each of the spellings that it knows."""
        if self.place.format == "agenthooks" and self.event in events.TRIGGERS:
            return self.event
        return spelling(self.place, self.canonical)

    @property
    def target(self) -> Target:
        """Where it will stand."""
        return self.place.target(self.name)

    @property
    def denies(self) -> bool:
        """Whether it denies what it was asked to find: without a matcher that would be every tool, and later is too late."""
        return self.canonical == "pre-tool-call" and bool(self.tool or self.pattern)

    @property
    def matcher(self) -> str | None:
        """What the host is told to match; Azure wants to be told in any case."""
        every = "*" if self.place.format == "azure" and self.canonical in events.TOOL_EVENTS else None
        return every if self.sought[0] or not self.tool else self.tool

    @property
    def sought(self) -> tuple[str | None, str | None]:
        """The regexes for tool and input that the script must look for itself: its host does not."""
        spec = hosts.json_spec(self.place.format)
        ignored = spec is not None and not spec.matcher.is_read
        return self.tool or None if ignored else None, None if self.place.format == "agenthooks" else self.pattern or None

    @property
    def listener(self) -> Hook:
        """The hook as far as its host's matcher goes, to be tested."""
        pattern = self.pattern if self.place.format == "agenthooks" else None
        return self._hook(self.place.format, self.matcher, pattern, self.written)

    @property
    def script_listener(self) -> Hook | None:
        """What the script looks for, as a hook with a matcher that says the same; None when it looks for nothing."""
        return self._hook("agenthooks", *self.sought, self.canonical) if any(self.sought) else None

    def _hook(self, format_name: str, tool: str | None, pattern: str | None, written: str) -> Hook:
        return Hook(
            id=f"draft:{format_name}",
            name=self.name,
            event=self.canonical,
            event_as_written=written,
            format=format_name,
            scope=self.place.scope,
            file=self.target.file,
            line=1,
            source=formats.detached_source(format_name),
            tool=tool,
            pattern=pattern,
        )

    @property
    def _is_names(self) -> bool:
        """Whether the matcher is no regex, but everything or a list of names."""
        spec = hosts.spec(self.place.format)
        if spec.matcher.rule_for(self.written) == "ignored":
            return False
        return self.tool in spec.matcher.everything or json_events.is_names(self.tool or "", self.written, spec)


def matches_tools(place: NewHookPlace, event: str) -> bool:
    """Whether a matcher means something for an event there: on tools, and where its host compares it with something else."""
    spec = hosts.json_spec(place.format)
    if event in matching.WITH_TOOL:
        return True
    reads = spec is not None and spec.matcher.is_read and event in matching.SUBJECTS
    return reads and spec is not None and spelling(place, event) not in spec.matcher.ignored_on


def _event_fault(place: NewHookPlace, event: str) -> str | None:
    if place.format == "agenthooks" and event in events.TRIGGERS:
        return None
    try:
        spelling(place, events.canonical(event) or event)
    except CannotChange:
        known = _known(place)
        near = suggest.event(event, known)
        hint = f"did you mean {near}?" if near else f"use one of {', '.join(known)}"
        return f"{event!r} is no event of {_called(place)}: {hint}"
    return None


def _called(place: NewHookPlace) -> str:
    return "a HOOK.md" if place.format == "agenthooks" else HOSTS[place.format]


def _known(place: NewHookPlace) -> Sequence[str]:
    spec = hosts.json_spec(place.format)
    if spec is not None:
        return spec.events
    return [name for name in events.CANONICAL if not place.refusal(name)]
