"""The title and the subtitle of the list of sessions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.content import Content

from hooktui.catalog.hook_states import counted
from hooktui.core.text_sanitizer import one_line

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    TextPart = tuple[str, str]  # a text and its style

_GAPS = "✕ records are missing · hooktui doctor --verify"
_MUTED = "$secondary"


def title(scope: Iterable[TextPart], order: str, words: str, marked: str) -> Content:
    """Which sessions are shown, in which order, the filter and the marked session, with the keys that change them."""
    return Content.assemble(("Sessions", "bold"), *scope, *_parts(order, words, marked))


def _parts(order: str, words: str, marked: str) -> Iterator[TextPart]:
    if order != "last":
        yield f" by {order}", ""
    if words:
        yield f" ─ {words}", "$foreground"
        yield " · esc show all", _MUTED
    if marked:
        yield f" ─ {one_line(marked)} marked", "$accent"
        yield " · m compares another", _MUTED


def subtitle(count: int, most: int, altered: str, *, has_gaps: bool) -> Content:
    """How many sessions are listed, `most` at most, after what is wrong with their records."""
    errors = "".join(f"{part} · " for part in (_GAPS if has_gaps else "", altered) if part)
    return Content.assemble((errors, "$error"), f"the first {count:,}" if count == most else counted(count, "session"))
