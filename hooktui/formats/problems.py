"""One file's text, and what is found wrong in it: offsets become the lines and columns a person sees."""

from __future__ import annotations

import re
from bisect import bisect_right
from typing import TYPE_CHECKING

from hooktui.core.model import Diagnostic, Fix
from hooktui.formats import regexes

if TYPE_CHECKING:
    from collections.abc import Callable

    from hooktui.core.model import Severity
    from hooktui.formats.yaml_faults import Fault
    from hooktui.formats.yaml_source import Node

# From and to, in characters of the text without its byte order mark; the end is exclusive.
Span = tuple[int, int]

_LINE_END = re.compile(r"\r\n?|\n")
_MESSAGE_LIMIT = 300


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

    def fault(self, fault: Fault) -> None:
        """Note what the reader of the text objects to."""
        fix = None if fault.mending is None else self.replacement(*fault.mending)
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
