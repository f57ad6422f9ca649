"""What a person can do about a problem, in a line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.content import Content

from hooktui.core.text_sanitizer import one_line
from hooktui.screens.keys.hints import hint
from hooktui.simulate import NotApproved

if TYPE_CHECKING:
    from hooktui.core.model import Diagnostic

NEEDS_APPROVAL = ("untrusted", "changed-since-trusted")  # the codes of what `p` mends


def advice(problem: Diagnostic, before: str = "") -> Content | None:
    """The key that mends a problem and what it does, else the hint, or None. `before`: keys to hit first."""
    if problem.fix:
        return _key(hint(before + "{fix}"), one_line(problem.fix.label))
    if problem.code in NEEDS_APPROVAL:
        return _key(hint(before + "{approve}"), "look at its files, and approve them")
    return Content.styled(one_line(problem.hint), "$foreground 70%") if problem.hint else None


def refusal(trouble: Exception) -> str:
    """Why a hook cannot be tried; where approving it would help, the keys that lead there."""
    way = hint(": esc, then {approve} shows it and approves it.") if isinstance(trouble, NotApproved) else ""
    return f"{trouble}{way}"


def _key(key: str, does: str) -> Content:
    return Content.assemble((f"{key} ", "$footer-key-foreground"), (does, "$accent"))
