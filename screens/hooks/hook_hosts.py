"""Which hosts a hook works in, on one line."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

from textual.content import Content

from hooktui.catalog.host_support import reach
from hooktui.core.text_sanitizer import one_line

if TYPE_CHECKING:
    from collections.abc import Iterable

    from hooktui.catalog.host_support import Reach
    from hooktui.core.model import Diagnostic, Hook


def hosts_line(hook: Hook, found: Iterable[Diagnostic]) -> Content:
    """The hosts a hook works in, then those it does not; hosts with the same note are grouped."""
    said = sorted(reach(hook, found), key=lambda one: not one.works)
    groups = [(works, note, ", ".join(one.host for one in hosts)) for (works, note), hosts in groupby(said, key=_saying)]
    if len(groups) == 1 and not groups[0][0] and len(said) > 1:
        return Content.assemble(("nowhere", "$warning"), _about(groups[0][1]))
    return Content(" · ").join(_group(*group) for group in groups)


def _saying(one: Reach) -> tuple[bool, str]:
    return one.works, one.note


def _group(works: bool, note: str, names: str) -> Content:
    return Content.assemble(("" if works else "not ", "$warning"), names, _about(note))


def _about(note: str) -> Content:
    return Content.styled(f" ({one_line(note)})" if note else "", "$foreground 60%")
