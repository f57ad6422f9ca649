"""Collect the diagnostics of one file; offsets become the lines and columns that a person sees."""

from __future__ import annotations

import difflib
import json
import re
from bisect import bisect_right
from typing import TYPE_CHECKING

from hooktui.core.model import Diagnostic, Fix
from hooktui.formats import regexes

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from hooktui.core.model import Hook, Severity
    from hooktui.formats.node import Node, ParseError, Span
    from hooktui.hosts import HostSpec

_LINE_END = re.compile(r"\r\n?|\n")
_MESSAGE_LIMIT = 300
_LIKENESS = 0.8


def shortened(text: str, limit: int = _MESSAGE_LIMIT) -> str:
    """A text that may quote a stranger's file, cut to a length that fits a message."""
    return text if len(text) <= limit else f"{text[: limit - 1]}…"


class Notes:
    """Collects the diagnostics of one file; their places are given as spans of its text."""

    def __init__(self, file: str, text: str) -> None:
        self.file = file
        self.text = text
        self.found: list[Diagnostic] = []
        self._starts: list[int] = []

    def place(self, offset: int) -> tuple[int, int]:
        """Line and column of an offset, both from 1."""
        if not self._starts:
            self._starts = [0, *(match.end() for match in _LINE_END.finditer(self.text))]
        line = bisect_right(self._starts, offset)
        return line, offset - self._starts[line - 1] + 1

    def error(self, code: str, message: str, span: Span = (0, 0), *, hint: str = "", fix: Fix | None = None) -> None:
        """Note that the hook cannot do what it says."""
        self.found.append(self.diagnostic("error", code, message, span, hint=hint, fix=fix))

    def warning(self, code: str, message: str, span: Span = (0, 0), *, hint: str = "", fix: Fix | None = None) -> None:
        """Note that the hook may not do what it says, or not on some host."""
        self.found.append(self.diagnostic("warning", code, message, span, hint=hint, fix=fix))

    def fault(self, fault: ParseError) -> None:
        """Note what the reader of the text objects to."""
        fix = None if fault.fix is None else self.replacement(*fault.fix)
        self.error(fault.code, fault.message, fault.span, hint=fault.hint, fix=fix)

    def diagnostic(
        self, severity: Severity, code: str, message: str, span: Span, *, hint: str = "", fix: Fix | None = None
    ) -> Diagnostic:
        """A problem at a span of this file, not collected."""
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
        )

    def regex_fix(self, pattern: str, span: Span, written: Callable[[str], str]) -> Fix | None:
        """A fix for a pattern that is no regex, where it can be told what was meant; `written` spells it as its file does."""
        meant = regexes.mended(pattern)
        return None if meant is None else self.replacement(f"write {meant}", span, written(meant))

    def instead(self, node: Node, text: str | None) -> Fix | None:
        """A fix that writes another value in place of one, as its file spells it; None where it is not known what to write."""
        return None if text is None else self.replacement(f"write {text}", node.span, text)

    def replacement(self, label: str, span: Span, text: str) -> Fix:
        """A fix that writes `text` in place of a span."""
        start, end = span
        old = self.text[start:end]
        return Fix(label=label, kind="replace", path=self.file, start=start, end=end, old=old, text=text)


class HostNotes(Notes):
    """Notes on a file with many hooks. `hook` is the id that the next ones belong to, None for the file as a whole.

    `skipped` says why the file's own host reads none of its hooks; empty when it does.
    """

    def __init__(self, file: str, text: str) -> None:
        super().__init__(file, text)
        self.hook: str | None = None
        self.skipped = ""

    def diagnostic(
        self, severity: Severity, code: str, message: str, span: Span, *, hint: str = "", fix: Fix | None = None
    ) -> Diagnostic:
        """A problem at a span of this file, not collected."""
        return super().diagnostic(severity, code, message, span, hint=hint, fix=fix).replace(hook=self.hook)

    def on(
        self, host: str, severity: Severity, code: str, message: str, span: Span, *, hint: str = "", fix: Fix | None = None
    ) -> None:
        """Note what goes wrong on one host; `host` is the name of its format."""
        self.found.append(self.diagnostic(severity, code, message, span, hint=hint, fix=fix).replace(hosts=(host,)))

    def culprit(self, spec: HostSpec, why: str, span: Span, fix: Fix | None = None) -> None:
        """Note a place because of which the file's own host skips the whole file."""
        self.on(spec.name, "error", "host-skips-file", f"{spec.title} ignores this file: {why}", span, fix=fix)
        self.skipped = self.skipped or f"{spec.title} ignores this file: {why} (line {self.place(span[0])[0]})"

    def slips(self, keys: Iterable[Node], known: Iterable[str], host: str) -> None:
        """Warn about unknown keys of a mapping that are like one which it lacks; others are nobody's business.

        Of two that are like one, the first can be it.
        """
        known, written = tuple(known), set[str]()
        for key in keys:
            if meant := next(iter(difflib.get_close_matches(key.value, known, 1, _LIKENESS)), None):
                text = json.dumps(meant) if key.style == '"' else meant
                fix = self.replacement(f"write {meant}", key.span, text) if meant not in written else None
                written.add(meant)
                message = f"{key.value} is not a key that {host} reads"
                self.warning("unknown-key", message, key.span, hint=f"did you mean {meant}?", fix=fix)

    def stamped(self, hooks: list[Hook]) -> tuple[Hook, ...]:
        """The hooks, each with the codes of what was noted about it, beside those it has."""
        codes: dict[str | None, list[str]] = {}
        for one in self.found:
            codes.setdefault(one.hook, []).append(one.code)
        return tuple(hook.replace(problems=tuple(dict.fromkeys((*hook.problems, *codes.get(hook.id, ()))))) for hook in hooks)

    def diagnostics(self, hooks: list[Hook]) -> tuple[Diagnostic, ...]:
        """The collected diagnostics; those of an entry that became no hook belong to the file."""
        ids = {hook.id for hook in hooks}
        return tuple(
            _with_consequence(note if note.hook in ids else note.replace(hook=None), len(hooks)) for note in self.found
        )


def _with_consequence(note: Diagnostic, hooks: int) -> Diagnostic:
    """Say how many hooks a file loses that its host ignores."""
    if note.code != "host-skips-file" or not hooks:
        return note
    consequence = "Its hook does not run." if hooks == 1 else f"None of its {hooks} hooks run."
    return note.replace(message=f"{note.message}. {consequence}")
