"""Explain PyYAML's errors and locate their cause."""

from __future__ import annotations

import re
from typing import NamedTuple

import yaml

from hooktui.formats.node import ParseError, Span, TextFix
from hooktui.formats.text_edit import line_start

# Not c-printable in YAML 1.1. Searched here, because the C loader reports an offset in bytes.
_FORBIDDEN = re.compile("[^\t\n\r -~\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_DOUBLE_QUOTED = re.compile(r'"(?:[^"\\\r\n]|\\[^\r\n])*"')
_KEY_AND_VALUE = re.compile(r"[ \t]*(?:- +)*[\w.-]+[ \t]*:[ \t]+([^\s'\"|>].*?)[ \t]*(?:[ \t]#.*)?(?=[\r\n]|\Z)")
_BAD_ESCAPE = ("found unknown escape character", "did not find expected hexdecimal number", "expected escape sequence of")
_NO_PAIR = "expected `key: value`"


class _Problem(NamedTuple):
    """PyYAML's messages (C loader, then Python loader), and our own.

    `unquoted` is the message if the value only lacks quotes. `far`: PyYAML notices the error long after its cause;
    `line`: the whole line is marked.
    """

    starts: tuple[str, ...]
    message: str
    hint: str = ""
    unquoted: str = ""
    far: bool = False
    line: bool = False


_PROBLEMS = (
    _Problem(
        ("mapping values are not allowed",),
        "a key is not allowed here",
        "put each key on its own line, aligned with the others",
        unquoted="a value that contains `: ` must be quoted",
        line=True,
    ),
    _Problem(("could not find expected ':'",), _NO_PAIR, far=True),
    _Problem(
        ("did not find expected key", "expected <block end>"),
        "this does not continue the lines before it",
        "close every quote, and align the keys of a mapping",
        unquoted="a value that begins like a list or a mapping must be quoted",
    ),
    _Problem(("found unexpected end", "found unexpected document"), "the quote is not closed", far=True),
    _Problem(("found a tab character", "found character '\\t'"), "tabs are not allowed for indentation", "indent with spaces"),
    _Problem(
        ("found character",),
        "a value cannot begin with this character",
        unquoted="a value cannot begin with this character unless it is quoted",
    ),
    _Problem(
        ("did not find expected alphabetic", "expected alphabetic"),
        "a name must follow * and &",
        unquoted="a value that begins with * or & must be quoted",
    ),
    _Problem(("did not find expected ','", "expected ','"), "the bracket is not closed", far=True),
    _Problem(("did not find expected node content", "expected the node content"), "a value is missing here"),
    _Problem(
        ("block sequence entries", "sequence entries"),
        "a list cannot begin here",
        "start it on its own line",
        unquoted="a value that begins with `- ` must be quoted",
    ),
)


def repeated(text: str, key: str, place: Span, again: Span | None) -> ParseError:
    """The error of a duplicate key. `again` is the span of a repetition with the same value."""
    plain = again is not None and "#" not in text[again[0] : place[0]]
    fix = TextFix("delete the second one", again, "") if again and plain else None
    return ParseError("duplicate-key", f"duplicate key {key}", place, "delete one of them", fix)


def check_characters(source: str, offset: int) -> None:
    """Raise ParseError for a control character."""
    wrong = _FORBIDDEN.search(source)
    if wrong:
        at = offset + wrong.start()
        message = f"the control character U+{ord(wrong.group()):04X} is not allowed"
        raise ParseError("bad-yaml", message, (at, at + 1), "delete it")


def explain(error: yaml.YAMLError, text: str, offset: int, end: int) -> ParseError:
    """Translate PyYAML's error about text[offset:end]."""
    if not isinstance(error, yaml.MarkedYAMLError) or error.problem_mark is None:
        return ParseError("bad-yaml", str(error), (offset, offset))
    message = error.problem or "cannot be read"
    at = offset + error.problem_mark.index
    begun = at if error.context_mark is None else offset + error.context_mark.index
    if message.startswith(_BAD_ESCAPE):
        return _bad_escape(text, begun, at)
    if text[at : at + 1] == "\t" and not text[line_start(text, at) : at].strip():
        return _tabbed(text, at, end)
    problem = next((known for known in _PROBLEMS if message.startswith(known.starts)), _Problem((), message))
    if problem.unquoted:
        fault = unquoted(text, at, problem.unquoted) or _line_before(text, offset, at)
        if fault:
            return fault
    last = max(len(text[:end].rstrip()), offset)
    if problem.far and (at >= last or re.search(r"[\r\n]", text[begun:at])):
        at = begun
    if problem.line:
        start = line_start(text, at)
        at = start + len(text[start:at]) - len(text[start:at].lstrip())
    at = min(at, last)
    return ParseError("bad-yaml", problem.message, (at, _line_end(text, at, end)), problem.hint)


def _line_before(text: str, offset: int, at: int) -> ParseError | None:
    """The error of a line without a colon, which YAML notices at the next key."""
    start = line_start(text, at)
    last = len(text[:start].rstrip())
    before = line_start(text, last)
    line = text[before:last]
    indent = len(line) - len(line.lstrip())
    is_text = before >= offset and ":" not in line and not line.lstrip().startswith("#")
    if not is_text or not re.fullmatch(rf"[ ]{{{indent}}}[\w.-]+", text[start:at]):
        return None
    return ParseError("bad-yaml", _NO_PAIR, (before + indent, last))


def _tabbed(text: str, at: int, end: int) -> ParseError:
    start = line_start(text, at)
    tabbed = re.compile(r"[ \t]*").match(text, start)
    assert tabbed is not None
    hint, span = "indent with spaces", (at, _line_end(text, at, end))
    fix = TextFix(hint, tabbed.span(), tabbed[0].replace("\t", "  "))
    return ParseError("bad-yaml", "tabs are not allowed for indentation", span, hint, fix)


def unquoted(text: str, at: int, message: str) -> ParseError | None:
    """The error of an unquoted value around `at`; None if the line is not `key: value`."""
    line = _KEY_AND_VALUE.match(text, line_start(text, at))
    if line is None or not line.start(1) <= at <= line.end(1):
        return None
    quoted = "'" + line.group(1).replace("'", "''") + "'"
    fix = TextFix("quote it", line.span(1), quoted)
    return ParseError("bad-yaml", message, line.span(1), f"quote the value: {quoted}", fix)


def _bad_escape(text: str, begun: int, at: int) -> ParseError:
    escape = text[at : at + 2] if text[at : at + 1] == "\\" else text[begun : at + 1][-3:]
    scalar = _DOUBLE_QUOTED.match(text, begun)
    message = f"{escape} is not a valid escape in double quotes"
    hint = "use single quotes, where a backslash is literal"
    if scalar is None:
        return ParseError("bad-yaml", message, (begun, min(at + 2, len(text))), hint)
    single = "'" + scalar.group()[1:-1].replace('\\"', '"').replace("'", "''") + "'"
    return ParseError("bad-yaml", message, scalar.span(), f"{hint}: {single}", TextFix("quote it", scalar.span(), single))


def _line_end(text: str, start: int, end: int) -> int:
    """The end of the line without trailing blanks."""
    return start + len(re.split(r"[\r\n]", text[start:end], maxsplit=1)[0].rstrip())
