"""How a session's events belong together: what opened and closed, agents within agents, gates, loops. Pure functions."""

from __future__ import annotations

from array import array
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from hooktui.core import events, ids
from hooktui.log.read.sessions import percentile

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence


class SessionEvent(NamedTuple):
    """A dispatch as a session's outline needs it."""

    id: int
    event: str
    tool: str | None
    decision: str
    duration_ms: float

    @property
    def denied(self) -> bool:
        """Whether what it asked for did not happen."""
        return self.decision in ("deny", "stop")


MOMENTS = "SELECT id, event, tool, decision, duration_ms FROM dispatch WHERE session = ? ORDER BY id"


@dataclass(frozen=True, slots=True)
class Outline:
    """What a timeline shows beside the events themselves, each by the id of its dispatch.

    `rails` are drawn in front of an event, a column for each thing that goes on: `╭` opens it, `╰` closes it; they are at most
    RAILS wide. `lasted` is, where something closed, how many seconds it had been open. `marks` are short words on what stands
    out.
    """

    rails: Mapping[int, str]
    lasted: Mapping[int, float]
    marks: Mapping[int, str]

    @property
    def width(self) -> int:
        """Columns that the rails need."""
        return max(map(len, self.rails.values()), default=0)


RAILS = 6
EMPTY = Outline({}, {}, {})
_LOOP = 3  # how often in a row the same tool must be denied to be called a loop
# What goes on between two events.
_OPENS = {"pre-tool-call": "tool", "pre-subagent": "agent", "pre-step": "step", "pre-context-compact": "compact"}
_CLOSES = {
    "post-tool-call": "tool",
    "post-tool-call-failure": "tool",
    "post-subagent": "agent",
    "post-step": "step",
    "post-context-compact": "compact",
}
# Those that a payload tells apart; the others are known by their tool or their nesting.
_KEYED = ", ".join(f"'{event}'" for event in (*_OPENS, *_CLOSES) if event.endswith(("tool-call", "failure", "subagent")))
# In older logs a payload that was too long to be kept whole is no JSON.
KEYS = f"""
SELECT dispatch.id, CASE WHEN json_valid(payload) THEN coalesce(
    json_extract(payload, '$.tool_use_id'), json_extract(payload, '$.agent_id'), json_extract(payload, '$.subagent_name')) END
FROM dispatch JOIN content USING (id) WHERE session = ? AND event IN ({_KEYED})"""


def of(moments: Sequence[SessionEvent], keys: Mapping[int, str | None]) -> Outline:
    """The outline of a session's events, in order; `keys` is what payloads call the tool call or agent that they are about."""
    spans = list(_spans(moments, keys))
    lasted = {moments[end].id: ids.seconds(moments[end].id) - ids.seconds(moments[start].id) for start, end in spans}
    return Outline(dict(_rails(moments, spans)), lasted, marks(moments))


def _spans(moments: Sequence[SessionEvent], keys: Mapping[int, str | None]) -> Iterator[tuple[int, int]]:
    """The places of what opened and what closed it, in the order of the latter."""
    waiting: dict[tuple[str, str | None], list[int]] = {}
    for place, moment in enumerate(moments):
        called = keys.get(moment.id) or moment.tool
        opened = (_OPENS.get(moment.event, ""), called)
        closed = waiting.get((_CLOSES.get(moment.event, ""), called))
        if moment.event in events.TURN_STARTS:  # what a person interrupted never ended
            waiting = {key: places for key, places in waiting.items() if key[0] != "tool"}
        elif moment.denied:  # nothing began, or the agent was made to go on
            continue
        elif opened[0]:
            waiting.setdefault(opened, []).append(place)
        elif closed:
            yield closed.pop(), place


def _rails(moments: Sequence[SessionEvent], spans: Iterable[tuple[int, int]]) -> Iterator[tuple[int, str]]:
    """What stands in front of each event; where too many things go on at once, the last to begin are not drawn."""
    ends = dict(spans)
    columns = [-1] * RAILS  # where what is drawn in a column ends
    for place, moment in enumerate(moments):
        end = ends.get(place)
        free = next((column for column, last in enumerate(columns) if last < place), None)
        signs = ["│" if last > place else "╰" if last == place else " " for last in columns]
        if end is not None and free is not None:
            columns[free] = end
            signs[free] = "╭"
        drawn = "".join(signs).rstrip()
        if drawn:
            yield moment.id, drawn


def marks(moments: Iterable[SessionEvent]) -> dict[int, str]:
    """Dispatches worth a mark on a timeline: a gate that held the agent back, a tool that is denied again and again."""
    found: dict[int, str] = {}
    holds, denials, last_tool = 0, 0, None
    for moment in moments:
        if moment.event in events.TURN_STARTS:
            holds = 0
        elif moment.event == events.GATE:
            holds = holds + 1 if moment.denied else 0
            found[moment.id] = f"gate held ×{holds}" if moment.denied else "gate passed"
        elif moment.event == "pre-tool-call":
            denials = denials + 1 if moment.denied and moment.tool == last_tool else int(moment.denied)
            last_tool = moment.tool
            if denials >= _LOOP:
                found[moment.id] = f"loop ×{denials}"
    return found


_SCALES = tuple(unit * factor for unit in (10.0, 100.0, 1_000.0, 10_000.0, 100_000.0) for factor in (1, 2, 5))


def scale_ms(moments: Iterable[SessionEvent]) -> float:
    """A round length, in milliseconds, that 95 of 100 dispatches fit into."""
    needed = percentile(sorted(moment.duration_ms for moment in moments) or [0.0], 95)
    return next((step for step in _SCALES if step >= needed), _SCALES[-1])


@dataclass(frozen=True, slots=True)
class Slice:
    """The events of one part of a session's time: how many of each decision, and how long agents waited for their hooks."""

    decisions: Mapping[str, int]
    hook_ms: float


def slices(moments: Sequence[SessionEvent], count: int) -> list[Slice]:
    """A session's time in so many parts of the same length."""
    if not moments:
        return []
    first = moments[0].id
    length = max(moments[-1].id - first, 1)
    parts: list[list[SessionEvent]] = [[] for _ in range(count)]
    for moment in moments:
        parts[min((moment.id - first) * count // length, count - 1)].append(moment)
    return [Slice(Counter(one.decision for one in part), sum(one.duration_ms for one in part)) for part in parts]


def numbers(moments: Iterable[SessionEvent]) -> array[int]:
    """The ids of moments, in their order."""
    return array("q", (moment.id for moment in moments))
