"""Whether a script finds files from where it stands itself, and whether beyond the directory that it belongs to.

Told by the words in its text, generously: a script that may do so is called where it stands, which is never wrong.
"""

from __future__ import annotations

import re
from typing import Final

# How scripts name their own place, in the shell, Python, JavaScript, Ruby, Perl and PowerShell. `$0` alone may be awk's, or
# for a message.
_SELF: Final = re.compile(
    r"""\$\{0 | (?<!basename[ ])"\$0" | =\$0\b | (?:dirname|realpath|readlink)\b[^\n$]*\$0
    | ^(?!\s*(?:echo|printf)\b).*basename[ ]"?\$0
    | BASH_SOURCE | __file__ | sys\.argv\[0\] | sys\.path\[0\] | get(?:source)?file\(
    | __dirname | __filename | import\.meta\.(?:url|dirname|filename) | process\.argv\[1\] | require\.main
    | require_relative | (?:require\(|\bfrom|\bimport)\s*["']\. | __FILE__ | __dir__ | __DIR__ | FindBin
    | PSScriptRoot | MyInvocation""",
    re.VERBOSE,
)
# What leads one directory up; from a script itself, into the one that it stands in.
_UP: Final = re.compile(
    r"""(?<![\w.])\.\.(?![\w.]) | pardir | dirname(?=[ (]) | __dirname | \.parent\b | (?<=[%*])/\*
    | require_relative | (?:require\(|\bfrom|\bimport)\s*["'](?=\.) | __dir__ | __DIR__ | FindBin:: | :h(?=[:}])
    | sys\.path\[0\] | PSScriptRoot""",
    re.VERBOSE,
)
# What goes up by ways that cannot be counted: a path taken apart as a text, a name for `dirname`, one step in a loop.
_UNCOUNTED: Final = re.compile(
    r"""__file__(?:\[|\.\w) | (?=.*__file__).*\b(?:split|index|find|replace|removesuffix)\(
    | (?:=[ ]*(?:\w+\.)*|import[ ])dirname\b(?![ (])
    | \b(\w+)[ ]?=[ ]?.*(?:\b\1\b.*(?:dirname|\.parent)\b | dirname\b.*\b\1\b)""",
    re.VERBOSE,
)
_UPS: Final = re.compile(r"\.parents\b(?:\[(\d+)\])?")
_LONGEST: Final = 1000  # characters of a line that a person wrote
_ANY: Final = 99  # directories up, where all are gone through
# A line from which on paths begin elsewhere.
_MOVING: Final = re.compile(r"\s*(?:\w+ )?\$?\w+ ?=|.*\b(?:cd|pushd|chdir)\b")


def refers(text: str) -> bool:
    """Whether a script finds anything from where it stands."""
    return any(map(_SELF.search, _lines(text)))


def names(text: str, path: str) -> bool:
    """Whether a script names a path, or the end of one, other than in a comment."""
    return any(path in line for line in _lines(text))


def leaves(text: str, depth: int) -> bool:
    """Whether a script finds something from where it stands that is more than `depth` directories further up."""
    if refers(text) and any(len(line) > _LONGEST or _UNCOUNTED.search(line) for line in _lines(text)):
        return True
    lines = {line: _ups(line) for line in _lines(text)}
    own = [ups for line, ups in lines.items() if _SELF.search(line)]
    others = {line: ups for line, ups in lines.items() if not _SELF.search(line)}
    moving = sum(ups for line, ups in others.items() if _MOVING.match(line))
    further = max((ups for line, ups in others.items() if not _MOVING.match(line)), default=0)
    return bool(own) and max(own) + moving + further - 1 > depth


def _lines(text: str) -> list[str]:
    return [line for line in text.splitlines() if not line.lstrip().startswith("#")]


def _ups(line: str) -> int:
    indexed = (int(index) + 1 if index else _ANY for index in _UPS.findall(line))
    return len(_UP.findall(line)) + sum(indexed)
