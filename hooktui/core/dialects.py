"""The syntaxes of regexes in agent programs, each of which is translated to Python's."""

from __future__ import annotations

from hooktui.core import patterns

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Literal

    Dialect = Literal["javascript", "python", "rust"]


def python(pattern: str, dialect: Dialect) -> str:
    """The Python regex that means what a pattern means in a dialect. Raises BadPattern for one that is not valid there."""
    if dialect == "python" or patterns.is_common(pattern):
        return pattern
    if dialect == "rust":
        from hooktui.core import rust_regex

        return rust_regex.python(pattern)
    from hooktui.core import js_regex

    return js_regex.python(pattern)
