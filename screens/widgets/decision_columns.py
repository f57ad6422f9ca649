"""Which columns the Live screen shows, and how wide each is."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from hooktui.screens.widgets.cells import Column

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

NARROW, WIDE = 90, 150  # columns below which event and call share one; from which reasons fit
_LEAST = 12  # width of a long column
_NEVER = 1_000


class ColumnKind(NamedTuple):
    """One column: meaning, width or share of the space (also for wide terminals), and the width it is shown from."""

    meaning: str
    width: int = 0
    wide: int = 0
    share: int = 0
    wide_share: int = 0
    title: str | None = None
    shown_from: int = 0


MARK = "mark"
_BOTH = "event and call"  # in one column in a narrow terminal
# In display order.
KINDS: Mapping[str, ColumnKind] = {
    MARK: ColumnKind("marked, or matches the search", 1, 1, title="◆"),
    "time": ColumnKind("when the event began", 14, 14),
    "event": ColumnKind("the event", 19, 22),
    "call": ColumnKind("the tool's command or file, or the prompt", share=9, wide_share=8, title="detail"),
    _BOTH: ColumnKind("the event and its detail", share=14, title="event"),
    "decision": ColumnKind("the decision", 8, 8),
    "hooks that ran": ColumnKind("the hooks that ran, and failures", share=8, wide_share=5, title="hooks"),
    "took": ColumnKind("how long the agent waited for hooks", 8, 8, title="duration"),
    "session": ColumnKind("the agent's session", 14, 20, shown_from=NARROW),
    "project": ColumnKind("the project, if there are several", 14, 18, shown_from=132),
    "agent": ColumnKind("the agent program", 10, 12, shown_from=_NEVER),
    "reason": ColumnKind("the reason for a denial", share=7, wide_share=7, shown_from=WIDE),
}
CHOICES = tuple(name for name in KINDS if name not in (MARK, _BOTH))
_FIRST_TO_GO = ("reason", "agent", "project", "session", "took", "hooks that ran", "event")
_SHORT_TIME = 11


def columns(width: int, chosen: Collection[str] = (), *, marked: bool = False, several: bool = False) -> Sequence[Column]:
    """What fits into a width of what was chosen, or of what is usual.

    `marked`: with a column for marks; `several`: with the project, as the log has more than one.
    """
    names = [name for name in CHOICES if (name in chosen if chosen else usual(name, width, several=several))]
    if width < NARROW and {"event", "call"} <= set(names):
        names = [_BOTH if name == "call" else name for name in names if name != "event"]
    names = [MARK] * marked + names
    for name in _FIRST_TO_GO:
        if _room(names, width) < _LEAST * sum(bool(KINDS[name].share) for name in names) and name in names:
            names.remove(name)
    return _laid_out(names, width)


def usual(name: str, width: int, *, several: bool) -> bool:
    """Whether a column is shown by default at a width."""
    return width >= KINDS[name].shown_from and (several or name != "project")


def _fixed(name: str, width: int) -> int:
    kind = KINDS[name]
    if name == "time" and width < NARROW:
        return _SHORT_TIME
    return kind.wide if width >= WIDE else kind.width


def _share(name: str, width: int) -> int:
    return KINDS[name].wide_share if width >= WIDE else KINDS[name].share


def _room(names: Sequence[str], width: int) -> int:
    """The space left for the long columns."""
    return width - sum(_fixed(name, width) for name in names) - (len(names) - 1)


def _laid_out(names: Sequence[str], width: int) -> Sequence[Column]:
    room, shares = _room(names, width), sum(_share(name, width) for name in names)
    widths = {name: _fixed(name, width) + room * _share(name, width) // max(shares, 1) for name in names}
    last = next((name for name in reversed(names) if KINDS[name].share), names[-1])
    widths[last] += width - sum(widths.values()) - (len(names) - 1)
    return [
        Column(name, widths[name], right=name == "took", title=KINDS[name].title, long=bool(KINDS[name].share))
        for name in names
    ]
