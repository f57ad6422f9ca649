"""The part of a HostSpec that says how matchers are read."""

from __future__ import annotations

from hooktui.core.records import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Literal

    from hooktui.core.dialects import Dialect

    MatcherRule = Literal["search", "names", "whole", "regex", "ignored"]


class MatcherSpec(Record):
    """How a host reads a matcher.

    `rule`: `search` a regex in tool names and a pattern in the input; `names` a list of exact names, else an unanchored
    regex; `whole` a regex for the whole name; `regex` a regex, unanchored, or, if it is not valid, an exact name;
    `ignored` not at all. `dialect` is the syntax of regexes. `camel_rule` applies to events in camelCase.
    `characters` may occur, besides letters and digits, in a list of names; `separators` separate the names. `everything`
    are the matchers for every tool; `required`: without a matcher no tool matches. On `ignored_on` events (as written)
    the matcher is ignored. `field_help` and `draft_help` explain the matcher in the form and for a new hook.
    `anchored`: a regex under the rule `names` must match the whole name. `alias_regex`: it may match an alias of the tool.
    `values`: what matchers are compared with on events (as written) without a tool, where that is a closed list. Under the
    rule `regex`, `subjects` are what a matcher is compared with on events (as written) instead of the tool: a text in which
    `{name}` is a field of the payload; a matcher on `exact_on` events is an exact value, and with `trims` the blanks around it
    do not count. `command_key` is a key next to the matcher with a regex for the shell's command; then no other tool matches.
    """

    rule: MatcherRule = "names"
    camel_rule: MatcherRule | None = None
    characters: str = "_-, |"
    separators: str = "|,"
    anchored: bool = False
    alias_regex: bool = False
    everything: tuple[str, ...] = ("", "*")
    required: bool = False
    ignored_on: tuple[str, ...] = ()
    dialect: Dialect = "javascript"
    exact_on: tuple[str, ...] = ()
    trims: bool = False
    values: Mapping[str, tuple[str, ...]] = {}
    subjects: Mapping[str, str] = {}
    command_key: str = ""
    field_help: str = ""
    draft_help: str = ""

    @property
    def is_read(self) -> bool:
        return self.rule != "ignored"

    def is_list(self, matcher: str) -> bool:
        """Whether a matcher consists of names and separators only: then names are compared exactly."""
        return all(letter in self.characters or (letter.isascii() and letter.isalnum()) for letter in matcher)

    def rule_for(self, event_as_written: str) -> MatcherRule:
        """The rule for an event as the file spells it."""
        return self.camel_rule if self.camel_rule and event_as_written[:1].islower() else self.rule
