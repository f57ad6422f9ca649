"""What PyYAML objects to, in words that help, at the place that is to blame."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import yaml

if TYPE_CHECKING:
    from hooktui.formats.notes import Span

# YAML 1.1's c-printable; the C loader tells a byte offset, so it is looked for here.
_FORBIDDEN = re.compile("[^\t\n\r -~\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_DOUBLE_QUOTED = re.compile(r'"(?:[^"\\\r\n]|\\[^\r\n])*"')
_QUOTE_IT = "quote the value"

# The start of PyYAML's problem (C loader, then the Python one) -> the hint. What comes first holds.
_HINTS = (
    (
        "mapping values are not allowed",
        "a value that holds `: ` must be quoted; a key needs a line of its own and the right indentation",
    ),
    ("could not find expected ':'", "a line here must be `key: value`"),
    ("did not find expected key", "a value that begins with a quote must end with it; keys of one mapping stand in one column"),
    ("expected <block end>", "a value that begins with a quote must end with it; keys of one mapping stand in one column"),
    ("found unexpected end of stream", "the quote is not closed"),
    ("found unexpected document indicator", "the quote is not closed"),
    ("found a tab character", "indent with spaces, not tabs"),
    ("found character '\\t'", "indent with spaces, not tabs"),
    ("found character", "a value that begins with @ ` % or a tab must be quoted"),
    ("did not find expected alphabetic", "a value that begins with * or & must be quoted"),
    ("expected alphabetic", "a value that begins with * or & must be quoted"),
    ("found undefined alias", "a value that begins with * must be quoted"),
    ("did not find expected ','", "the bracket is not closed"),
    ("expected ','", "the bracket is not closed"),
    ("did not find expected node content", _QUOTE_IT),
    ("expected the node content", _QUOTE_IT),
    ("block sequence entries", "a list begins on a line of its own; or quote the value"),
    ("sequence entries", "a list begins on a line of its own; or quote the value"),
)
# Problems of an unquoted value that YAML takes for something else: the whole value is to blame.
_UNQUOTED = (
    "mapping values are not allowed",
    "found character",
    "did not find expected alphabetic",
    "expected alphabetic",
    "did not find expected key",
    "expected <block end>",
)
_KEY_AND_VALUE = re.compile(r"[ \t]*(?:- +)*[\w.-]+[ \t]*:[ \t]+([^\s'\"|>].*?)[ \t]*(?:[ \t]#.*)?(?=[\r\n]|\Z)")
# Problems noticed far behind what causes them: the place that is named is where the construct begins.
_BLAME_CONTEXT = ("found unexpected end of stream", "found unexpected document indicator", "could not find expected ':'")
_BLAME_BRACKET = ("did not find expected ','", "expected ','")
_BAD_ESCAPE = ("found unknown escape character", "did not find expected hexdecimal number", "expected escape sequence of")


class Fault(Exception):
    """What is wrong with a YAML text, where; `replacement` is what the span should rather be."""

    def __init__(self, code: str, message: str, span: Span, hint: str = "", replacement: str | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.span = span
        self.hint = hint
        self.replacement = replacement


def check_characters(source: str, offset: int) -> None:
    """Raise Fault for a control character: neither editors nor YAML can show it."""
    wrong = _FORBIDDEN.search(source)
    if wrong:
        at = offset + wrong.start()
        raise Fault("bad-yaml", f"the control character U+{ord(wrong.group()):04X} is not allowed", (at, at + 1), "delete it")


def explain(error: yaml.YAMLError, text: str, offset: int, end: int) -> Fault:
    """PyYAML's error about text[offset:end] as a fault of the whole text."""
    if not isinstance(error, yaml.MarkedYAMLError) or error.problem_mark is None:
        return Fault("bad-yaml", str(error), (offset, offset))
    problem = error.problem or "cannot be read"
    at = offset + error.problem_mark.index
    begun = at if error.context_mark is None else offset + error.context_mark.index
    if problem.startswith(_BAD_ESCAPE):
        return _bad_escape(text, begun, at)
    if problem.startswith(_UNQUOTED) and (fault := unquoted(text, at, problem)):
        return fault
    if problem.startswith(_BLAME_CONTEXT) or (problem.startswith(_BLAME_BRACKET) and at >= _content_end(text, end)):
        at = begun
    at = min(at, max(_content_end(text, end), offset))
    hint = next((hint for start, hint in _HINTS if problem.startswith(start)), "")
    return Fault("bad-yaml", problem, (at, _line_end(text, at, end)), hint)


def unquoted(text: str, at: int, message: str) -> Fault | None:
    """The fault of a value around `at` that only lacks quotes; None when there is no `key: value` on that line."""
    start = max(text.rfind("\n", 0, at), text.rfind("\r", 0, at)) + 1
    line = _KEY_AND_VALUE.match(text, start)
    if line is None or not line.start(1) <= at <= line.end(1):
        return None
    quoted = "'" + line.group(1).replace("'", "''") + "'"
    return Fault("bad-yaml", message, line.span(1), f"quote the value: {quoted}", quoted)


def _bad_escape(text: str, begun: int, at: int) -> Fault:
    """The whole scalar is to blame: in double quotes a backslash must begin an escape that YAML knows."""
    escape = text[at : at + 2] if text[at : at + 1] == "\\" else text[begun : at + 1][-3:]
    scalar = _DOUBLE_QUOTED.match(text, begun)
    message = f"{escape} is no escape that double quotes know"
    if scalar is None:
        return Fault("bad-yaml", message, (begun, at + 2), "in single quotes a backslash stands for itself")
    single = "'" + scalar.group()[1:-1].replace('\\"', '"').replace("'", "''") + "'"
    return Fault("bad-yaml", message, scalar.span(), f"in single quotes a backslash stands for itself: {single}", single)


def _content_end(text: str, end: int) -> int:
    return len(text[:end].rstrip())


def _line_end(text: str, start: int, end: int) -> int:
    """Behind the last character of the line; at least one character further where there is one."""
    match = re.compile(r"[^\r\n]*").match(text, start, end)
    return match.end() if match else start
