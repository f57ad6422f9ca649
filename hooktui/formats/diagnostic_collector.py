"""Collect the diagnostics of one file; offsets become the lines and columns that a person sees."""

from __future__ import annotations

import difflib
import json
from bisect import bisect_right
from typing import TYPE_CHECKING

from hooktui.core.model import Diagnostic, Fix
from hooktui.formats import regexes, text_edit
from hooktui.formats.text_edit import LINE_END

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from hooktui.core.dialects import Dialect
    from hooktui.core.model import Hook, Severity
    from hooktui.formats.node import Node, ParseError, Span
    from hooktui.hosts import Host
    from hooktui.hosts.shared.entry_spec import FileFault

_MESSAGE_LIMIT = 300
_LIKENESS = 0.8
_LOST = "host-skips-file"
_UNREAD = (_LOST, "bad-json")  # codes of problems that lose the file
_SHOWN = 3  # names of hooks in a message


def shortened(text: str, limit: int = _MESSAGE_LIMIT) -> str:
    """Cut a text that may quote an untrusted file to the length of a message."""
    return text if len(text) <= limit else f"{text[: limit - 1]}…"


def is_comment(key: str) -> bool:
    """Whether a key is a person's note, which no program reads: `_comment`, `$schema`, `//`."""
    return key.startswith(("_", "$", "//"))


class DiagnosticCollector:
    """The diagnostics of one file, located by spans of its text.

    `hook` is the ID of the hook that new ones belong to, None for the whole file, `event` its event as written. `skipped` says
    why the file's own host ignores it; empty if it does not; `lost_events`, by event, why it runs no hook of that, and
    `lost_entries` why not a single one, by ID. `consequence`: what the host does about a file that it cannot read.
    """

    def __init__(self, file: str, text: str) -> None:
        self.file = file
        self.text = text
        self.hook: str | None = None
        self.event = ""
        self.skipped = ""
        self.lost_events: dict[str, str] = {}
        self.lost_entries: dict[str, str] = {}
        self.consequence = "ignores this file"
        self.collected: list[Diagnostic] = []
        self._starts: list[int] = []

    def place(self, offset: int) -> tuple[int, int]:
        """Line and column of an offset, both from 1."""
        if not self._starts:
            self._starts = [0, *(match.end() for match in LINE_END.finditer(self.text))]
        line = bisect_right(self._starts, offset)
        return line, offset - self._starts[line - 1] + 1

    def error(self, code: str, message: str, span: Span = (0, 0), *, hint: str = "", fix: Fix | None = None) -> None:
        """Add an error: the hook cannot do what it says."""
        self.collected.append(self.diagnostic("error", code, message, span, hint=hint, fix=fix))

    def warning(self, code: str, message: str, span: Span = (0, 0), *, hint: str = "", fix: Fix | None = None) -> None:
        """Add a warning: the hook may not do what it says, or not on every host."""
        self.collected.append(self.diagnostic("warning", code, message, span, hint=hint, fix=fix))

    def info(self, code: str, message: str, span: Span = (0, 0), *, hint: str = "") -> None:
        """Add a note: nothing is wrong with the hook."""
        self.collected.append(self.diagnostic("info", code, message, span, hint=hint))

    def fault(self, fault: ParseError) -> None:
        fix = None if fault.fix is None else self.replacement(*fault.fix)
        self.error(fault.code, fault.message, fault.span, hint=fault.hint, fix=fix)

    def diagnostic(
        self, severity: Severity, code: str, message: str, span: Span, *, hint: str = "", fix: Fix | None = None
    ) -> Diagnostic:
        (line, column), (end_line, end_column) = self.place(span[0]), self.place(span[1])
        return Diagnostic(
            severity=severity,
            code=code,
            message=shortened(message),
            file=self.file,
            line=line,
            column=column,
            end_line=end_line,
            end_column=end_column,
            hint=shortened(hint),
            fix=fix,
            hook=self.hook,
        )

    def regex_fix(self, pattern: str, span: Span, written: Callable[[str], str], dialect: Dialect = "python") -> Fix | None:
        """A fix for an invalid regex, None if the intended one is unclear. `written` formats it for the file."""
        meant = regexes.repaired(pattern, dialect)
        return None if meant is None else self.replacement(f"write {meant}", span, written(meant))

    @property
    def is_json(self) -> bool:
        """Whether a fix can write JSON; TOML has only its strings, numbers and booleans in common."""
        return not self.file.endswith(".toml")

    def renaming(self, key: Node, name: str) -> Fix:
        """A fix that writes another name for a key, in each of TOML's headers that contain it."""
        text = json.dumps(name) if key.style == '"' else name
        spans = (key.span, *key.repeated)
        whole = spans[0][0], spans[-1][1]
        renamed = text_edit.spliced(self.text[: whole[1]], [(*span, text) for span in spans])
        return self.replacement(f"write {name}", whole, renamed[whole[0] :])

    def instead(self, node: Node, text: str | None) -> Fix | None:
        return None if text is None else self.replacement(f"write {text}", node.span, text)

    def replacement(self, label: str, span: Span, text: str) -> Fix:
        start, end = span
        old = self.text[start:end]
        return Fix(label=label, kind="replace", path=self.file, start=start, end=end, old=old, text=text)

    def on(
        self, host: str, severity: Severity, code: str, message: str, span: Span, *, hint: str = "", fix: Fix | None = None
    ) -> None:
        self.collected.append(self.diagnostic(severity, code, message, span, hint=hint, fix=fix).replace(hosts=(host,)))

    def breaks_file(
        self, spec: Host, why: str, span: Span, fix: Fix | None = None, *, hint: str = "", fault: FileFault | None = None
    ) -> None:
        """Add a place that makes the file's own host ignore the whole file, or not even start, or ignore just this entry."""
        if self.hook and self.event and spec.entry.loses_entry_on(self.event):
            problem = f"{spec.title} ignores this entry, older versions the whole file: {why}"
            self.on(spec.name, "error", _LOST, problem, span, hint=hint, fix=fix)
            self.lost_entries.setdefault(self.hook, problem)
            return
        consequence = "does not start" if fault in spec.entry.start_faults else self.consequence
        problem = f"{spec.title} {consequence}: {why}"
        self.on(spec.name, "error", _LOST, problem, span, hint=hint, fix=fix)
        self.skipped = self.skipped or f"{problem} (line {self.place(span[0])[0]})"

    def misspelled_keys(self, keys: Iterable[Node], known: Iterable[str], host: str) -> set[str]:
        """Warn about unknown keys that resemble a missing known key, and return them. Ignore all others.

        If two resemble the same key, only the first gets a fix.
        """
        known, written, misspelled = tuple(known), set[str](), set[str]()
        for key in (key for key in keys if not is_comment(key.value)):
            if meant := next(iter(difflib.get_close_matches(key.value, known, 1, _LIKENESS)), None):
                fix = self.renaming(key, meant) if meant not in written else None
                written.add(meant)
                misspelled.add(key.value)
                message = f"{key.value} is not a key that {host} reads"
                self.warning("unknown-key", message, key.span, hint=f"did you mean {meant}?", fix=fix)
        return misspelled

    def stamped(self, hooks: list[Hook]) -> tuple[Hook, ...]:
        codes: dict[str | None, list[str]] = {}
        for note in self.collected:
            codes.setdefault(note.hook, []).append(note.code)
        return tuple(hook.replace(problems=tuple(dict.fromkeys((*hook.problems, *codes.get(hook.id, ()))))) for hook in hooks)

    def diagnostics(self, hooks: Iterable[Hook], labels: Sequence[str] = ()) -> tuple[Diagnostic, ...]:
        """The collected diagnostics; those of an entry that became no hook belong to the file.

        `labels` are those of the hooks that the host loses with the file; "" for an unknown one."""
        ids, lost = {hook.id for hook in hooks}, lost_hooks(labels)
        notes = (note if note.hook in ids else note.replace(hook=None) for note in self.collected)
        alone = {shortened(problem) for problem in self.lost_entries.values()}
        return tuple(
            note.replace(message=f"{note.message}. {lost}")
            if lost and note.code in _UNREAD and note.message not in alone
            else note
            for note in notes
        )


def lost_hooks(labels: Sequence[str]) -> str:
    """Say which hooks a file loses that its host ignores; "" for none."""
    named = [label for label in dict.fromkeys(labels) if label][:_SHOWN]
    if not labels:
        return ""
    if len(labels) == 1:
        return f"Its hook {named[0]} does not run." if named else "Its hook does not run."
    names = f": {', '.join(named)}{', …' * (len(labels) > len(named))}" if named else ""
    return f"None of its {len(labels)} hooks run{names}."
