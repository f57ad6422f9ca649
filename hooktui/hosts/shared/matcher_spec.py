"""How a host reads matchers."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Literal

    from hooktui.core.dialects import Dialect

    MatcherRule = Literal["search", "names", "whole names", "whole", "regex", "exact", "ignored"]


class MatcherSpec:
    """How a host reads a matcher. A host with rules of its own has a subclass."""

    # `search`: a regex in tool names and a pattern in the input. `names`: a list of exact names, else an unanchored regex;
    # `whole names`: else a regex for the whole name. `whole`: a regex for the whole name. `regex`: a regex, unanchored, or, if
    # it is not valid, an exact name. `exact`: a value. `ignored`: not at all.
    rule: MatcherRule = "names"
    # The syntax of regexes.
    dialect: Dialect = "javascript"
    # What a list of names may contain besides letters and digits, and what separates the names.
    characters: str = "_-, |"
    separators: str = "|,"
    # The matchers for every tool, None for a missing one.
    everything: tuple[str | None, ...] = (None, "", "*")
    # Blanks around a matcher do not count, except in a regex for the whole name.
    trims: bool = False
    # Events (as written) on which it is ignored.
    ignored_on: tuple[str, ...] = ()
    # What it is compared with on events (as written) without a tool, where that is a closed list.
    values: Mapping[str, tuple[str, ...]] = {}
    # These explain it in the form and for a new hook.
    field_help: str = ""
    draft_help: str = ""

    @property
    def is_read(self) -> bool:
        return self.rule != "ignored"

    @property
    def required(self) -> bool:
        """Whether no tool matches without a matcher."""
        return None not in self.everything

    def is_list(self, matcher: str) -> bool:
        """Whether a matcher consists of names and separators only: then names are compared exactly."""
        return all(letter in self.characters or (letter.isascii() and letter.isalnum()) for letter in matcher)

    def rule_for(self, event_as_written: str) -> MatcherRule:
        """The rule for an event as the file spells it."""
        return self.rule

    def names_of(self, tool: str, event_as_written: str, aliases: Mapping[str, tuple[str, ...]]) -> tuple[str, ...]:
        """The names of a tool that a list on an event may have. A regex is compared with the first."""
        return (tool, *aliases.get(tool, ()))

    def searched_aliases(self, aliases: Sequence[str]) -> Sequence[str]:
        return ()

    def subject(self, event_as_written: str) -> str | None:
        """What it is compared with on an event without a tool: a text in which `{name}` is a field of the payload.

        None for the usual field.
        """
        return None
