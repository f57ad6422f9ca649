"""The syntaxes of regexes in agent programs, as Python's."""

from __future__ import annotations

from hooktui.core import patterns

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Literal

    Dialect = Literal["javascript", "python", "rust"]


def python(pattern: str, dialect: Dialect) -> str:
    """Translate a pattern of a dialect to Python's.

    Raises InvalidPatternError if it is not valid in the dialect, UnknownMeaningError if hooktui cannot translate it.
    """
    if dialect == "python" or patterns.is_common(pattern):
        return pattern
    if dialect == "rust":
        from hooktui.core import rust_regex

        return rust_regex.python(pattern)
    from hooktui.core import js_regex

    return js_regex.python(pattern)
