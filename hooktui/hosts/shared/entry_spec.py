"""The part of a HostSpec that says how the entries of a JSON hook file are read."""

from __future__ import annotations

from hooktui.core.records import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Literal

    FileFault = Literal[
        "syntax", "comment", "comment sign", "encoding", "byte order mark", "surrogate", "duplicate key",
        "event", "unknown event", "flat entry", "object",
    ]  # fmt: skip


class EntrySpec(Record):
    """What a host reads from one entry of a JSON hook file.

    `types` are those that the host knows, `runs` those that hooktui can run, `skipped_types` those that the host does not run.
    `interpreter` runs a command. `timeouts` are defaults by type in the `timeout_unit`, `prompt_timeout` the one on
    UserPromptSubmit, `whole_seconds`: without a fraction. Newer versions read a number of milliseconds `seconds_below` this as
    seconds. `per_system`: commands by operating system. `strict`: for one entry that violates the schema the host skips the
    file. `nested`: entries must be inside `{matcher, hooks: []}`. `placeholder` means the project's directory in a program and
    its `args`, which no shell reads; `program_key` holds that program; `project_variable` is the environment variable for the
    project's directory; a host that `substitutes_variables` writes it, quoted, in place of `$NAME`, not of `${NAME}`. `blank`
    is a file without hooks. `version`: the only allowed value of the file's `version`. `switch`: which hooks the `switch_key`
    disables if its value is `switched_off`; the list at `disabled_key` disables single ones, by name or command. Any top-level
    key other than `top_keys`, if given, loses the file. `prompts_on`: events on which prompts fire. `tls_only`: http URLs must
    be https, except local ones. `event_key`: `hooks` is a list of entries that name their event in this key; `only_keys`: any
    other key and an empty command violate the schema; `longest_timeout`: so does a longer one. `other_keys` next to the events
    are not hooks. `moved_keys` next to the events were read by older versions; the keys that this one reads instead.
    `drops_entries`: the host skips an entry that violates the schema. `needs_type`: an entry without a type violates the
    schema. The `switch_key` is next to the events if it is one of the `other_keys`. `group_keys`: keys that a group may have in
    addition to `hooks` and `matcher`. Points in the `switch_key` and the `disabled_key` lead below other keys. A host that
    `needs_type` but is not strict skips the entry. `flat_only`: entries have no groups around them. `counts_versions`: the
    `version` is required, and may be higher. `zero_is_default`: a timeout of 0 or less is no error to the host. `unsigned`: 0
    counts as 1, and a number with a point or an exponent violates the schema. `nullable`: keys that may be null, as if they
    were missing. `fails_closed_by`: a key and its value with which an entry's failures deny.

    `file_faults` lose the whole file: text that is not JSON, such as a trailing comma (`syntax`), a comment, text in a string
    that looks like one (`comment sign`), bytes that are not UTF-8 (`encoding`), a byte order mark, half of a pair of `\\ud83d`
    escapes (`surrogate`), a duplicate of a key that the host reads, an event that is no list (`event`), one that is unknown, an
    entry that is not in a group, a value that is no object. With `start_faults` the program does not even start.
    `entry_faults`: what the host does with an entry for a wrong value, by key; `matcher_loses_event`: for a matcher that is not
    text, no hook of the event runs. `timer_overflows`: a longer timeout than the timers of JavaScript have ends at once.
    `reads_utf16`: with a byte order mark.
    """

    types: tuple[str, ...] = ("command",)
    runs: tuple[str, ...] = ("command",)
    keys: tuple[str, ...] = ()
    interpreter: tuple[str, ...] = ("/bin/sh", "-c")
    timeouts: Mapping[str, int] = {}
    timeout_keys: tuple[str, ...] = ("timeout",)
    zero_is_default: bool = False
    unsigned: bool = False
    nullable: tuple[str, ...] = ()
    timeout_unit: Literal["s", "ms"] = "s"
    seconds_below: int = 0
    prompt_timeout: int | None = None
    per_system: bool = False
    strict: bool = False
    drops_entries: bool = False
    file_faults: tuple[FileFault, ...] = ()
    entry_faults: Mapping[str, str] = {}
    matcher_loses_event: bool = False
    timer_overflows: bool = False
    reads_utf16: bool = False
    flat_only: bool = False
    needs_type: bool = False
    start_faults: tuple[FileFault, ...] = ()
    group_keys: tuple[str, ...] = ()
    nested: bool = False
    placeholder: str = ""
    program_key: str = ""
    project_variable: str = ""
    substitutes_variables: bool = False
    version: int | None = None
    counts_versions: bool = False
    blank: str = "{}\n"
    switch: Literal["all files", "file", "ignored"] = "file"
    switch_key: str = "disableAllHooks"
    switched_off: bool = True
    disabled_key: str = ""
    top_keys: tuple[str, ...] | None = None
    skipped_types: tuple[str, ...] = ()
    other_keys: tuple[str, ...] = ()
    moved_keys: Mapping[str, str] = {}
    event_key: str = ""
    only_keys: bool = False
    longest_timeout: int | None = None
    whole_seconds: bool = False
    prompts_on: tuple[str, ...] | None = None
    tls_only: bool = False
    fails_closed_by: tuple[str, str | bool] | None = None

    @property
    def unit_ms(self) -> int:
        """The unit of timeouts in milliseconds."""
        return 1000 if self.timeout_unit == "s" else 1

    @property
    def project_directory(self) -> str:
        """The project's directory in a shell command; empty if the host sets no variable for it."""
        name = f"{{{self.project_variable}}}" if self.substitutes_variables else self.project_variable
        return f'"${name}"' if name else ""

    def timeout_ms(self, timeout: float) -> float:
        """A timeout as written, in milliseconds."""
        return timeout * (1000 if timeout < self.seconds_below else self.unit_ms)

    def default_timeout(self, kind: str, event_as_written: str) -> int:
        """The default timeout in the host's unit."""
        if event_as_written == "UserPromptSubmit" and self.prompt_timeout:
            return self.prompt_timeout
        return self.timeouts[kind]
