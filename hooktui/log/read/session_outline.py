"""The outline of a session: which events open and close a subagent or step, blocked stops, loops. Pure functions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from hooktui.core import events as event_names
from hooktui.core import ids
from hooktui.core.model import FAILURES
from hooktui.log.read.sessions import percentile


class SessionEvent(NamedTuple):
    """A dispatch of a session."""

    id: int
    event: str
    tool: str | None
    decision: str
    duration_ms: float
    effect: str = "none"
    state: str = ""  # the worst of its runs
    head: int | None = None  # the first event of its call
    overruled: int = 0
    outcome: str | None = None

    @property
    def denied(self) -> bool:
        return self.decision in ("deny", "stop")

    @property
    def is_trouble(self) -> bool:
        """Whether it was denied, or a hook failed; also a denial that nobody obeyed, or by a hook that is not recorded."""
        return self.denied or self.has_failed or bool(self.overruled) or self.outcome == "denied-by-hook"

    @property
    def has_failed(self) -> bool:
        return self.state in (*FAILURES, "interrupted")


EVENTS = """
SELECT id, event, tool, decision, duration_ms, effect, state, head, overruled, outcome FROM dispatch
WHERE session = ? ORDER BY id"""


class Outline(NamedTuple):
    """What a timeline shows beside its events, by the id of the dispatch.

    `rails` precede an event, one column for each open span: `╭` opens it, `╰` closes it; at most RAILS wide. `lasted` is the
    duration of a span in seconds, at its closing event. `marks` are short labels of notable events.
    """

    rails: Mapping[int, str]
    lasted: Mapping[int, float]
    marks: Mapping[int, str]

    @property
    def width(self) -> int:
        return max(map(len, self.rails.values()), default=0)


RAILS = 6
EMPTY = Outline({}, {}, {})
_LOOP = 3  # consecutive denials of the same tool that count as a loop
# Spans between two events.
_OPENS = {"pre-subagent": "agent", "pre-step": "step", "pre-context-compact": "compact"}
_CLOSES = {
    "post-subagent": "agent",
    "post-step": "step",
    "post-context-compact": "compact",
}
# Events whose payload identifies the span; others are matched by nesting.
KEYED = tuple(event for event in (*_OPENS, *_CLOSES) if event.endswith("subagent"))
# In older logs a truncated payload is not valid JSON.
_NAMES = ", ".join(f"'{event}'" for event in KEYED)
KEYS = f"""
SELECT dispatch.id, CASE WHEN json_valid(payload) THEN coalesce(
    json_extract(payload, '$.agent_id'), json_extract(payload, '$.subagent_name')) END
FROM dispatch JOIN content USING (id)
WHERE session = ?1 AND EXISTS (SELECT 1 FROM dispatch WHERE session = ?1 AND event IN ({_NAMES}))"""


def outline(timeline: Sequence[SessionEvent], keys: Mapping[int, str | None]) -> Outline:
    """Outline a session's events, in order; `keys` are the ids of subagents in payloads, by dispatch."""
    spans = list(_spans(timeline, keys))
    lasted = {timeline[end].id: ids.seconds(timeline[end].id) - ids.seconds(timeline[start].id) for start, end in spans}
    return Outline(dict(_rails(timeline, spans, keys)), lasted, marks(timeline))


def _spans(timeline: Sequence[SessionEvent], keys: Mapping[int, str | None]) -> Iterator[tuple[int, int]]:
    """The positions of opening and closing events, ordered by the closing ones."""
    unclosed: dict[tuple[str, str | None], list[int]] = {}
    for place, event in enumerate(timeline):
        key = keys.get(event.id)
        opened = (_OPENS.get(event.event, ""), key)
        opening = unclosed.get((_CLOSES.get(event.event, ""), key))
        if event.denied:  # nothing began, or the agent had to continue
            continue
        elif opened[0]:
            unclosed.setdefault(opened, []).append(place)
        elif opening:
            yield opening.pop(), place


def _rails(
    timeline: Sequence[SessionEvent], spans: Iterable[tuple[int, int]], keys: Mapping[int, str | None]
) -> Iterator[tuple[int, str]]:
    """The rails of each event; beyond RAILS open spans, the newest are not drawn.

    The rail of a subagent whose events name it passes the events of others by.
    """
    ends = dict(spans)
    columns: list[tuple[int, str | None]] = [(-1, None)] * RAILS  # where each column's span ends, and whose events it has
    for place, event in enumerate(timeline):
        end = ends.get(place)
        free = next((column for column, (last, _) in enumerate(columns) if last < place), None)
        signs = [_rail(last - place, key is None or keys.get(event.id) == key) for last, key in columns]
        if end is not None and free is not None:
            key = keys.get(event.id)
            names_it = any(keys.get(inner.id) == key for inner in timeline[place + 1 : end])
            columns[free] = end, key if names_it else None
            signs[free] = "╭"
        drawn = "".join(signs).rstrip()
        if drawn:
            yield event.id, drawn


def _rail(left: int, is_its_own: bool) -> str:
    """The sign of a span with so many events left at an event, which may be another agent's."""
    return " " if left < 0 or (left and not is_its_own) else "│" if left else "╰"


def marks(timeline: Iterable[SessionEvent]) -> dict[int, str]:
    """Labels of blocked, passed and unchecked stops, and of tools denied repeatedly."""
    labels: dict[int, str] = {}
    blocks, denials, last_tool = 0, 0, None
    for event in timeline:
        if event.event in event_names.TURN_STARTS:
            blocks = 0
        elif event.event == event_names.GATE:
            blocks = blocks + 1 if event.denied else 0
            passed = "not checked" if event.has_failed else "stop passed"
            labels[event.id] = f"stop blocked ×{blocks}" if event.denied else passed
        elif event.event == "pre-tool-call":
            denials = denials + 1 if event.denied and event.tool == last_tool else int(event.denied)
            last_tool = event.tool
            if denials >= _LOOP:
                labels[event.id] = f"loop ×{denials}"
    return labels


_SCALES = tuple(unit * factor for unit in (10.0, 100.0, 1_000.0, 10_000.0, 100_000.0) for factor in (1, 2, 5))


def scale_ms(timeline: Iterable[SessionEvent]) -> float:
    """A round number of milliseconds that 95 % of the dispatches do not exceed."""
    needed = percentile(sorted(event.duration_ms for event in timeline) or [0.0], 95)
    return next((step for step in _SCALES if step >= needed), _SCALES[-1])
