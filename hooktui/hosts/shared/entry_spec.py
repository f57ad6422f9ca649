"""How a host reads the entries of a hook file."""

from __future__ import annotations

from hooktui.core import paths
from hooktui.core.records import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any, Literal

    FileFault = Literal[
        "syntax", "comment", "comment sign", "encoding", "byte order mark", "surrogate", "duplicate key",
        "event", "unknown event", "flat entry", "object", "switch",
    ]  # fmt: skip
    Shape = Literal["either", "groups", "flat", "list"]

LONGEST_MS = 2**31 - 1  # the longest timer of JavaScript programs
AT_ONCE = "ends the hook at once, and goes on"


class TimeoutFault(Record):
    """What is wrong with a number of an entry, and the number that is meant, or that counts instead.

    Without a `problem` the host takes one for the other. `effect` is what it does about a problem, "" where that violates the
    schema.
    """

    instead: float
    problem: str = ""
    effect: str = ""
    code: Literal["out-of-range", "wrong-type"] = "out-of-range"


class EntrySpec:
    """What a host reads from one entry. A host with rules of its own has a subclass."""

    # The types that the host knows, and those that hooktui can run.
    types: tuple[str, ...] = ("command",)
    runs: tuple[str, ...] = ("command",)
    # The keys that it reads in an entry; those of a group besides `hooks` and `matcher`; those next to the events.
    keys: tuple[str, ...] = ()
    group_keys: tuple[str, ...] = ()
    other_keys: tuple[str, ...] = ()
    # Keys next to the events that older versions read, each with the key that this one reads instead.
    moved_keys: Mapping[str, str] = {}
    # Keys that may be null, as if they were missing.
    nullable: tuple[str, ...] = ()
    # `groups`: entries must be inside `{matcher, hooks: []}`; `flat`: they have no groups around them; `list`: `hooks` is a
    # list of entries, each of which names its event in `event`.
    shape: Shape = "either"
    # An entry without a type violates the schema. A host that is not strict skips it.
    needs_type: bool = False
    # Commands by operating system.
    per_system: bool = False
    # What runs a command; the key of a program that runs without a shell, with `args`.
    interpreter: tuple[str, ...] = ("/bin/sh", "-c")
    program_key: str = ""
    # The environment variable for the project's directory.
    project_variable: str = ""

    # For one entry that violates the schema it skips the file, or the entry.
    strict: bool = False
    drops_entries: bool = False
    # What loses the whole file: text that is not JSON, such as a trailing comma (`syntax`), a comment, text in a string that
    # looks like one (`comment sign`), bytes that are not UTF-8 (`encoding`), a byte order mark, half of a pair of `\ud83d`
    # escapes (`surrogate`), a duplicate of a key that it reads, an event that is no list (`event`), one that is unknown, an
    # entry that is not in a group, a value that is no object, a `switch_key` that is not true or false (`switch`). With
    # `start_faults` the program does not even start.
    file_faults: tuple[FileFault, ...] = ()
    start_faults: tuple[FileFault, ...] = ()
    # What it does with an entry for a wrong value, by key.
    entry_faults: Mapping[str, str] = {}
    # For a matcher that is not text, no hook of the event runs.
    matcher_loses_event: bool = False
    # A file without hooks, and the value of its `version`.
    blank: str = "{}\n"
    version: int | None = None

    # The keys of a timeout, its default by type, and the unit of both.
    timeout_keys: tuple[str, ...] = ("timeout",)
    timeouts: Mapping[str, int] = {}
    timeout_unit: Literal["s", "ms"] = "s"
    # A timeout has no fraction; one that is longer than a timer of JavaScript ends at once.
    whole_seconds: bool = False
    timer_overflows: bool = False

    # Which hooks the `switch_key` disables. A key named `enabled` does so by `false`; points lead below other keys. It is next
    # to the events if it is one of the `other_keys`.
    switch: Literal["all files", "file", "ignored"] = "file"
    switch_key: str = "disableAllHooks"
    # A key and its value with which an entry's failures deny.
    fails_closed_by: tuple[str, str | bool] | None = None

    def loses_file(self, event_as_written: str) -> bool:
        """Whether the host loses the file if the value of an event is no list."""
        return "event" in self.file_faults

    @property
    def unit_ms(self) -> int:
        return 1000 if self.timeout_unit == "s" else 1

    @property
    def unit(self) -> str:
        """The unit of timeouts, in words."""
        return "seconds" if self.timeout_unit == "s" else "milliseconds"

    @property
    def placeholder(self) -> str:
        """What means the project's directory in a program and its `args`, which no shell reads."""
        return f"${{{self.project_variable}}}" if self.program_key and self.project_variable else ""

    @property
    def switched_off(self) -> bool:
        return not self.switch_key.endswith("enabled")

    def directory(self, written: str) -> str:
        """A `cwd` as it is written, with the home directory in place of `~`."""
        return paths.home() + written[1:] if written == "~" or written.startswith("~/") else written

    def default_timeout(self, kind: str, event_as_written: str) -> int:
        return self.timeouts[kind]

    def timeout_ms(self, timeout: float) -> float:
        """A timeout as written, in milliseconds."""
        return timeout * self.unit_ms

    def timeout_taken(self, given: float, default: float) -> float:
        return given if given > 0 else default

    def timeout_fault(self, given: float, default: float) -> TimeoutFault | None:
        if given <= 0:
            return TimeoutFault(problem=f"must be more than 0 {self.unit}", instead=default)
        if self.whole_seconds and given != int(given):
            return self.no_whole_number(given)
        if self.timer_overflows and self.timeout_ms(given) > LONGEST_MS:
            problem = f"must be at most {LONGEST_MS // self.unit_ms} {self.unit}"
            return TimeoutFault(problem=problem, instead=default, effect=AT_ONCE)
        return None

    def no_whole_number(self, given: float) -> TimeoutFault:
        """The fault of a timeout that is not a whole number."""
        return TimeoutFault(problem="must be a whole number of seconds", instead=round(given) or 1, code="wrong-type")

    def allowed_timeout(self, timeout: float) -> float:
        return timeout

    def setting_types(self) -> Mapping[str, type]:
        """Other settings in its files, `below.a.key`, with the JSON type without which it ignores the whole file."""
        return {}

    def loses_entry_on(self, event_as_written: str) -> bool:
        """Whether only an entry is lost that violates the schema, where a `strict` host otherwise loses its whole file."""
        return False

    def refuses(self, key: str, value: Any) -> bool:
        """Whether an entry violates the schema by a key that the host does not read, or by a value of the right type."""
        return False

    def skips_type(self, kind: str) -> bool:
        """Whether the host knows a type of entries and never runs it."""
        return False

    def never_fires(self, entry: Mapping[str, Any], kind: str, event: str, event_as_written: str) -> tuple[str, str]:
        """The key for which an entry never fires on an event, and what the host does; two empty texts if it may fire.

        `entry` has the valid values, `event` is the canonical name.
        """
        return "", ""

    def refuses_top_key(self, key: str) -> bool:
        """Whether a key of the file itself loses the file."""
        return False

    def stray_hooks(self, values: Mapping[str, Any]) -> tuple[str, ...]:
        """The keys that lead to hooks outside of `hooks` which lose the file, () for none."""
        return ()

    def version_fault(self, given: Any) -> str:
        """What is wrong with the file's `version`, None if it has none; "" if nothing is."""
        return "" if given is None or given == self.version else f"version must be {self.version}"

    def reads_utf16(self) -> bool:
        return False
