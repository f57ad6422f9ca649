"""Compile the regexes of matchers for the index, so that the fast path needs no `re`, which takes 6 ms to import.

The result is what `re` passes to its C module. It fits one version of that module, which the index names in its key.
"""

from __future__ import annotations

import marshal
import warnings
from re import _compiler, _parser  # type: ignore[attr-defined]
from typing import TYPE_CHECKING

from hooktui.catalog import matching
from hooktui.core import patterns

if TYPE_CHECKING:
    from collections.abc import Iterable

    from hooktui.core.model import Hook
    from hooktui.core.patterns import RegexCode


def compiled(hooks: Iterable[Hook]) -> dict[str, bytes]:
    """The code of each regex that judging hooks may search with, marshalled, without plain texts and invalid regexes."""
    usable = [hook for hook in hooks if not hook.obstacle]
    regexes = {text for hook in usable for text in matching.regexes(hook) if not patterns.is_plain(text)}
    codes = {text: code(text) for text in regexes}
    return {text: marshal.dumps(code) for text, code in codes.items() if code}


def code(regex: str) -> RegexCode | None:
    """The arguments of `_sre.compile` that follow the pattern; None if it is not valid."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about syntax that may change in a later Python
            parsed = _parser.parse(regex)
            words = _compiler._code(parsed, 0)
    except (_compiler.error, OverflowError, RecursionError):
        return None
    state = parsed.state
    names: list[str | None] = [None] * state.groups
    for name, number in state.groupdict.items():
        names[number] = name
    return int(state.flags), [int(word) for word in words], state.groups - 1, state.groupdict, tuple(names)
