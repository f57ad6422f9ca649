"""What hooktui tells about a diagnostic code."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from hooktui.core.model import Severity


class Code(NamedTuple):
    """A diagnostic code. `known` says how hooktui knows what it says, `also` is the severity of a lesser breach, and `no_fix`
    says why there is no automatic fix.

    `local`: it is about this machine, so that nobody can act on it in CI.
    """

    severity: Severity
    paragraph: str
    known: str
    also: Severity | None = None
    no_fix: str = ""
    local: bool = False
