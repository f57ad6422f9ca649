"""A new hook as it is typed: its name, its faults, and what its host and its script have to match."""

from __future__ import annotations

import itertools
import re
import shutil
from typing import TYPE_CHECKING, Literal, NamedTuple

from hooktui import formats, hosts
from hooktui.config import suggest
from hooktui.core import events, paths, patterns
from hooktui.core.model import AzureEntry, Hook, HookDirectory
from hooktui.core.patterns import InvalidPatternError, RegexTimeoutError
from hooktui.edit.new_hook_places import spelling
from hooktui.formats import host_tools, regexes
from hooktui.formats.agenthooks import frontmatter
from hooktui.formats.agenthooks.hook_file import FORMAT
from hooktui.formats.json_hooks import json_events
from hooktui.runner import matching

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from hooktui.core.model import Scope
    from hooktui.edit.copy_targets import Target
    from hooktui.edit.gallery.gallery_rules import Rule
    from hooktui.edit.new_hook_places import NewHookPlace

Language = Literal["sh", "py", "uv"]  # uv: Python by `uv run --script`
Field = Literal["name", "event", "tool", "pattern"]

_LONG_TOOL = 32  # characters of a tool's name
_SUGGESTED = 40  # characters of a suggested name
_ESCAPES = re.compile(r"\\[A-Za-z]")  # in a regex, not part of what it matches
_EXCEPTIONS = re.compile(r"\(\?<?![^()]*\)")  # parts of a regex that say what it does not match


class HookDraft(NamedTuple):
    """A hook to be written at a place. `event` may have any spelling.

    `tool` is the matcher, as the host reads it; `pattern` is a regex for the tool's input. `rule` is the rule of the gallery
    that the hook installs, if any. A draft may be unfinished (see `faults`).
    """

    place: NewHookPlace
    name: str
    event: str
    tool: str | None = None
    pattern: str | None = None
    language: Language = "sh"
    rule: Rule | None = None

    @property
    def faults(self) -> Mapping[Field, str]:
        """What is wrong by field, each a sentence; empty if the hook can be created."""
        faults: dict[Field, str | None] = {"name": name_fault(self.name), "event": _event_fault(self.place, self.event)}
        if not faults["event"]:
            reads, has_input = matches_tools(self.place, self.canonical), self.canonical in matching.WITH_TOOL
            faults["tool"] = self._matcher_fault("tool", self.tool, can_match=reads, is_regex=not self._is_names)
            faults["pattern"] = self._matcher_fault("pattern", self.pattern, can_match=has_input, is_regex=True)
        return {field: fault for field, fault in faults.items() if fault}

    def remark(self, hooks: Iterable[Hook]) -> str:
        """The warning that `check` would give for the name, given these hooks; empty if there is none."""
        if form := frontmatter.name_problem(self.name):
            return f"{form}: {frontmatter.NAME_RULE}"
        return namesakes(self.name, self.place.scope, hooks) if self.target.is_directory else ""

    def _matcher_fault(self, field: Field, text: str | None, *, can_match: bool, is_regex: bool) -> str | None:
        if text is None:
            return None
        if not can_match:
            return f"{field} needs a tool event ({', '.join(events.TOOL_EVENTS)}), not {self.event}"
        error = regexes.check(text) if is_regex else None
        return None if error is None else f"{field} is not a valid regex: {error.message}"

    @property
    def canonical(self) -> str:
        """The event's canonical name, or the format's own."""
        return events.canonical(self.event) or self.event

    @property
    def written(self) -> str:
        """The event as the file will spell it; a HOOK.md may use any known spelling."""
        any_spelling = self.target.is_directory and self.event in events.TRIGGERS
        return self.event if any_spelling else spelling(self.place, self.canonical)

    @property
    def target(self) -> Target:
        return self.place.target(self.name)

    @property
    def syntax(self) -> Literal["sh", "py"]:
        return syntax(self.language)

    @property
    def denies(self) -> bool:
        """Whether the new script denies what it matches: only before a tool, and not if it matches every tool."""
        return not self.rule and self.canonical == "pre-tool-call" and bool(self.tool or self.pattern)

    @property
    def matcher(self) -> str | None:
        """The matcher to write; some hosts require one."""
        every = "*" if self.place.spec.matcher.required and self.canonical in events.TOOL_EVENTS else None
        return every if self.script_filter[0] or not self.tool else self.tool

    @property
    def script_filter(self) -> tuple[str | None, str | None]:
        """The regexes for tool and input that the script must check because its host does not."""
        tool = None if self.place.spec.matcher.is_read else self.tool
        pattern = self.rule.pattern if self.rule else "" if self.place.searches_input else self.pattern
        return tool or None, pattern or None

    @property
    def listener(self) -> Hook:
        """The hook with what its host matches, for the matcher tester."""
        pattern = self.pattern if self.place.searches_input else None
        return self._hook(self.place.format, self.matcher, pattern, self.written)

    @property
    def script_listener(self) -> Hook | None:
        """A hook whose matcher equals what the script checks; None if it checks nothing."""
        return self._hook(FORMAT, *self.script_filter, self.canonical) if any(self.script_filter) else None

    def _hook(self, format_name: str, tool: str | None, pattern: str | None, written: str) -> Hook:
        place = {"id": f"draft:{format_name}", "scope": self.place.scope, "file": self.target.file}
        return formats.detached_hook(format_name, self.canonical, written, self.name).replace(
            **place, tool=tool, pattern=pattern
        )

    def wider_tool(self, names: Iterable[str]) -> tuple[tuple[str, ...], str]:
        """The hosts among these that the tool of a HOOK.md misses, and a regex that matches theirs, too."""
        if not self.tool or not self.target.is_directory or self.canonical not in events.TOOL_EVENTS:
            return (), ""
        if not patterns.is_quick(self.tool, ("x" * _LONG_TOOL,)):  # it is asked at every key
            return (), ""
        try:
            missed = tuple(
                name for name in names if host_tools.is_foreign(self.tool, name) and host_tools.called(self.tool, name)
            )
            return missed, host_tools.widened(self.tool, missed) if missed else ""
        except (InvalidPatternError, RegexTimeoutError):
            return (), ""

    @property
    def _is_names(self) -> bool:
        """Whether the matcher is a list of names or `*`, not a regex."""
        spec = self.place.spec
        if spec.matcher.rule_for(self.written) == "ignored":
            return False
        if hosts.json_spec(spec.name):
            return json_events.is_names(self.tool or "", self.written, spec)
        return self.tool in spec.matcher.everything


def syntax(language: Language) -> Literal["sh", "py"]:
    """Return the language that scripts of a language are written in."""
    return "sh" if language == "sh" else "py"


def languages(place: NewHookPlace) -> tuple[Language, ...]:
    """Return the languages for new scripts at a place: `uv` where it is installed, and not in a file that holds the script."""
    is_inline = isinstance(formats.detached_source(place.format), AzureEntry)
    return ("sh", "py", "uv") if shutil.which("uv") and not is_inline else ("sh", "py")


def matches_tools(place: NewHookPlace, event: str) -> bool:
    """Whether a matcher has a meaning for an event: on tools, or where the host matches something else."""
    if event in matching.WITH_TOOL:
        return True
    matcher = place.spec.matcher
    compares = hosts.json_spec(place.format) is not None and matcher.is_read and event in matching.SUBJECTS
    return compares and spelling(place, event) not in matcher.ignored_on


def _event_fault(place: NewHookPlace, event: str) -> str | None:
    if not place.refusal(events.canonical(event) or event):
        return None
    spec = hosts.json_spec(place.format)
    known = spec.events if spec else [name for name in events.CANONICAL if not place.refusal(name)]
    near = suggest.event(event, known)
    hint = f"did you mean {near}?" if near else f"use one of {', '.join(known)}"
    host = place.spec.title
    return f"{event!r} is not {'an' if host[0] in 'AEIOU' else 'a'} {host} event: {hint}"


def suggested_name(event: str, tool: str | None, pattern: str | None, taken: Collection[str]) -> str:
    """Suggest a free name for a hook from what it matches."""
    matched = frontmatter.portable_name(_ESCAPES.sub("-", _EXCEPTIONS.sub("", pattern or tool or "")))
    words = f"{'no' if event == 'pre-tool-call' else 'on'}-{matched}" if matched else f"on-{frontmatter.portable_name(event)}"
    name = words[:_SUGGESTED].strip("-")
    numbered = (f"{name}-{number}" for number in itertools.count(2))
    return next(candidate for candidate in itertools.chain([name], numbered) if candidate not in taken)


def name_fault(name: str) -> str | None:
    """Say why a hook cannot have a name; None if it can."""
    plain = name.isprintable() and name == name.strip() and name and name[0] not in ".-" and not set(name) & set("/\\")
    if not plain:
        return f"{name!r} is not a valid directory name: use letters, digits and hyphens, like block-dangerous"
    return f"the name is longer than {frontmatter.NAME_LIMIT} characters" if len(name) > frontmatter.NAME_LIMIT else None


def corrected_name(name: str) -> str:
    """Correct a name so that every host accepts it; empty if it is fine or cannot be corrected."""
    return frontmatter.portable_name(name) if frontmatter.name_problem(name) or name_fault(name) else ""


def namesakes(name: str, scope: Scope, hooks: Iterable[Hook]) -> str:
    """The warning that `check` would give if another HOOK.md has the same name; empty if none has."""
    same = {hook.scope: hook for hook in hooks if isinstance(hook.source, HookDirectory) and hook.name == name}
    if scope in same:
        return f"{name} is also the name of {paths.short(same[scope].file)}: both hooks run"
    if scope == "project" and "user" in same:
        return f"{name} replaces the user's hook of the same name ({paths.short(same['user'].file)})"
    if scope == "user" and "project" in same:
        return f"{name} is replaced by the project's hook of the same name ({paths.short(same['project'].file)})"
    return ""
